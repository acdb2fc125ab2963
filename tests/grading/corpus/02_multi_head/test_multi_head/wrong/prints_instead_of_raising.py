# prints instead of raising
# points: 0

def test_multi_head(attention):
    x, state, expected = setting(3, 5, 4, 6)
    if not same(attention(x, state, 4), expected):
        print("wrong!")
