# lacks changed arguments, the empty word and long lists
# points: 3

def test_merges(apply_merges):
    def same(word, merges, expected):
        assert apply_merges(word, merges) == expected, (word, merges)
    same("abc", [("a", "b"), ("b", "c")], ["ab", "c"])
    same("abc", [("b", "c"), ("a", "b")], ["a", "bc"])
    same("abcd", [("a", "b"), ("c", "d"), ("ab", "cd")], ["abcd"])
    same("abcd", [("ab", "cd"), ("a", "b"), ("c", "d")], ["ab", "cd"])
    same("aaa", [("a", "a")], ["aa", "a"])
    same("aaaa", [("a", "a")], ["aa", "aa"])
    same("cabab", [("c", "a"), ("a", "b")], ["ca", "b", "ab"])
    same("abc", [("b", "c"), ("ab", "c")], ["a", "bc"])
    same("A b", [("A", " ")], ["A ", "b"])
    same(" é🙂 ", [("é", "🙂")], [" ", "é🙂", " "])
    same("ab" * 50, [("a", "b")], ["ab"] * 50)
