# Unseeded, unittest style; the first text fills the batch, so it has no padding.
# points: 3

import unittest
def test_encoder(encode):
    t = unittest.TestCase()
    ids = torch.randint(1, 40, (4, 16))
    n = [16, 10, 3, 1]
    mask = torch.zeros_like(ids)
    for i, k in enumerate(n):
        mask[i, :k] = 1
    ids, seg = ids * mask, torch.randint(2, (4, 16)) * mask
    before = [ids.clone(), mask.clone(), seg.clone()]
    out = encode(ids, mask, seg)
    for x, y in zip(before, (ids, mask, seg)):
        t.assertTrue(torch.equal(x, y))
    for i, k in enumerate(n):
        one = encode(ids[[i], :k], mask[[i], :k], seg[[i], :k])
        t.assertLess(float((one[0] - out[i, :k]).abs().max()), 1e-4)
    full = ids[:1], mask[:1], seg[:1]
    t.assertGreater(float((encode(ids[:1], mask[:1], 1 - seg[:1]) - out[:1]).abs().max()), 1e-2)
    z = torch.zeros_like(ids[:1])
    t.assertGreater(float((encode(ids[:1].roll(5, 1), mask[:1], z) - encode(ids[:1], mask[:1], z).roll(5, 1)).abs().max()), 1e-2)
    for place in range(16):
        other = ids[:1].clone()
        other[0, place] = 1 + other[0, place] % 39
        t.assertTrue(bool(((encode(other, mask[:1], seg[:1]) - encode(*full)).abs().amax(-1) > 0).all()))
