# only shapes, for many sizes
# points: 0

def test_multi_head(attention):
    for b, t, h, d in ((1, 2, 3, 4), (2, 3, 2, 5)):
        x, state, expected = setting(b, t, h, d)
        assert attention(x, state, h).shape == x.shape
