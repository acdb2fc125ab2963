# Merges that read like the pair but are other pieces are never tried; a space only within a word.
# points: 3
def test_merges(apply_merges) -> None:
    def expected(word, merges):
        pieces = list(word)
        for left, right in merges:
            out, i = [], 0
            while i < len(pieces):
                if i + 1 < len(pieces) and pieces[i] == left and pieces[i + 1] == right:
                    out.append(left + right)
                    i += 2
                else:
                    out.append(pieces[i])
                    i += 1
            pieces = out
        return pieces

    words = ["", "z", "ab", "aaaaa", "aaaaaa", "ababxab", "Ü 7🙂Ü 7", "xyzxyz", "xy" * 50]
    lists = [
        [],
        [("a", "a")],
        [("a", "b")],
        [("Ü", " "), ("7", "🙂")],
        [("x", "y"), ("y", "z")],
        [("y", "z"), ("x", "y")],
        [("x", "y"), ("xy", "z")],
        [("xy", "z"), ("x", "y")],
    ]
    for word in words:
        for merges in lists:
            given = list(merges)
            result = apply_merges(word, given)
            assert isinstance(result, list)
            assert result == expected(word, merges)
            assert given == merges
    letters = [chr(200 + n) for n in range(100)]
    chain = [("".join(letters[:n]), letters[n]) for n in range(1, 100)]
    assert apply_merges("".join(letters), chain) == ["".join(letters)]
