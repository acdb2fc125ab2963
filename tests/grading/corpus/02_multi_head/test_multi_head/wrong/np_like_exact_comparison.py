# np-like exact comparison
# points: 0

def test_multi_head(attention):
    x, state, expected = setting(3, 5, 4, 6)
    assert (attention(x, state, 4) == expected).all()
