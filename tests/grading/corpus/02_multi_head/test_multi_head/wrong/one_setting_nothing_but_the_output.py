# one setting, nothing but the output
# points: 3

def test_multi_head(attention):
    x, state, expected = setting(3, 5, 4, 6)
    assert same(attention(x, state, 4), expected)
