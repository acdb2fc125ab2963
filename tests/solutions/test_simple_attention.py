import math

import pytest
import torch
import torch.nn.functional as F

from solutions.simple_attention import attention_weights, scaled_dot_product_attention

# Every size differs from every other, so that no two axes can be confused.
BATCH, HEADS, QUERIES, KEYS, D_K, D_V = 2, 3, 5, 7, 4, 6


def query_key_value(*leading, dtype=torch.float32, device=None, size=1.5):
    """Numbers whose scores have a standard deviation of about 2."""
    return tuple(
        (size * torch.randn(*leading, *shape)).to(device=device, dtype=dtype)
        for shape in [(QUERIES, D_K), (KEYS, D_K), (KEYS, D_V)]
    )


def random_mask(shape, kind, device=None):
    """A boolean mask that hides about a third, or an additive one of moderate numbers and -inf."""
    visible = torch.rand(shape, device=device) > 0.3
    if kind == "bool":
        return visible
    return torch.randn(shape, device=device).masked_fill(~visible, -math.inf)


@pytest.mark.parametrize("leading", [(), (BATCH,), (BATCH, HEADS), (2, 1, 3, 2)])
def test_it_equals_pytorch_forward_and_backward_for_any_leading_dimensions(leading, device, close):
    ours = [t.requires_grad_() for t in query_key_value(*leading, device=device)]
    theirs = [t.detach().clone().requires_grad_() for t in ours]

    found = scaled_dot_product_attention(*ours)
    expected = F.scaled_dot_product_attention(*theirs)
    close(found, expected)

    weight_of_each_number = torch.randn_like(expected)
    (found * weight_of_each_number).sum().backward()
    (expected * weight_of_each_number).sum().backward()
    for mine, peer in zip(ours, theirs, strict=True):
        close(mine.grad, peer.grad)


MASK_SHAPES = [
    (BATCH, HEADS, QUERIES, KEYS),
    (BATCH, 1, QUERIES, KEYS),
    (1, HEADS, QUERIES, KEYS),
    (BATCH, 1, 1, KEYS),
    (BATCH, HEADS, 1, KEYS),
    (BATCH, HEADS, QUERIES, 1),
    (1, 1, 1, 1),
    (HEADS, QUERIES, KEYS),
    (1, 1, KEYS),
    (QUERIES, KEYS),
    (1, KEYS),
    (QUERIES, 1),
]


@pytest.mark.parametrize("shape", MASK_SHAPES, ids=str)
@pytest.mark.parametrize("kind", ["bool", "float"])
def test_it_equals_pytorch_under_a_mask_of_every_shape_that_broadcasts(shape, kind, device, close):
    ours = [t.requires_grad_() for t in query_key_value(BATCH, HEADS, device=device)]
    theirs = [t.detach().clone().requires_grad_() for t in ours]
    mask = random_mask(shape, kind, device)

    found = scaled_dot_product_attention(*ours, mask=mask)
    expected = F.scaled_dot_product_attention(*theirs, attn_mask=mask)
    close(found, expected)

    found.square().sum().backward()
    expected.square().sum().backward()
    for mine, peer in zip(ours, theirs, strict=True):
        close(mine.grad, peer.grad, atol=5e-5)  # squares of sums: numbers near 10


def test_true_means_may_look(close):
    query, key, value = query_key_value()
    only_third = torch.zeros(QUERIES, KEYS, dtype=torch.bool)
    only_third[:, 2] = True
    found = scaled_dot_product_attention(query, key, value, only_third)
    close(found, value[2].expand(QUERIES, D_V))


def test_a_mask_may_have_a_batch_that_the_queries_lack(close):
    query, key, value = query_key_value()
    mask = random_mask((BATCH, QUERIES, KEYS), "bool")
    found = scaled_dot_product_attention(query, key, value, mask)
    for item in range(BATCH):
        close(found[item], scaled_dot_product_attention(query, key, value, mask[item]))


def test_leading_dimensions_of_queries_and_keys_broadcast(close):
    query, key, value = query_key_value()
    many = query.expand(BATCH, HEADS, QUERIES, D_K)
    found = scaled_dot_product_attention(many, key, value[None, None])
    close(found, scaled_dot_product_attention(query, key, value).expand_as(found))


def test_weights_are_positive_and_every_row_sums_to_one(close):
    query, key, _ = query_key_value(BATCH, HEADS)
    weights = attention_weights(query, key, random_mask((BATCH, 1, 1, KEYS), "bool"))
    assert weights.shape == (BATCH, HEADS, QUERIES, KEYS)
    assert (weights >= 0).all()
    close(weights.sum(dim=-1), torch.ones(BATCH, HEADS, QUERIES))


def test_weights_are_those_that_pytorch_multiplies_the_values_by(close):
    query, key, _ = query_key_value(BATCH)
    identity = torch.eye(KEYS).expand(BATCH, KEYS, KEYS)
    close(attention_weights(query, key), F.scaled_dot_product_attention(query, key, identity))


@pytest.mark.parametrize("kind", ["bool", "float"])
def test_a_query_that_may_look_nowhere_gets_zeros_and_finite_gradients(kind, device):
    query, key, value = (t.requires_grad_() for t in query_key_value(BATCH, device=device))
    mask = torch.ones(QUERIES, KEYS, dtype=torch.bool, device=device)
    mask[3] = False
    if kind == "float":
        mask = torch.zeros(mask.shape, device=device).masked_fill(~mask, -math.inf)

    weights = attention_weights(query, key, mask)
    mixed = scaled_dot_product_attention(query, key, value, mask)
    assert (weights[:, 3] == 0).all()
    assert (mixed[:, 3] == 0).all()
    assert torch.isfinite(mixed).all()

    mixed.square().sum().backward()
    for tensor in (query, key, value):
        assert torch.isfinite(tensor.grad).all()
    assert (query.grad[:, 3] == 0).all()
    assert (query.grad[:, :3] != 0).any()


def test_everything_hidden_gives_zeros_everywhere():
    query, key, value = query_key_value(BATCH, HEADS)
    mixed = scaled_dot_product_attention(query, key, value, torch.zeros(1, 1).bool())
    assert (mixed == 0).all()


def test_a_hidden_key_has_no_influence_at_all():
    query, key, value = query_key_value(BATCH)
    mask = torch.ones(1, KEYS, dtype=torch.bool)
    mask[0, 2] = False
    before = scaled_dot_product_attention(query, key, value, mask)
    key[:, 2], value[:, 2] = 1e6, -1e6
    assert torch.equal(scaled_dot_product_attention(query, key, value, mask), before)


def test_scores_far_below_minus_ten_thousand_are_still_visible(close):
    """A mask of -1e4 or -1e9 in place of -inf would let hidden keys win here."""
    query, key, value = torch.full((1, 4), 400.0), torch.full((3, 4), -400.0), torch.randn(3, 5)
    key[0] = 400.0  # by far the best match, and hidden
    mask = torch.tensor([[False, True, True]])
    close(scaled_dot_product_attention(query, key, value, mask)[0], value[1:].mean(dim=0))


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_huge_scores_overflow_nowhere(sign, close):
    query, key, value = query_key_value(BATCH, size=sign * 1e4)
    found = scaled_dot_product_attention(query, key, value)
    assert torch.isfinite(found).all()
    close(found, F.scaled_dot_product_attention(query, key, value), rtol=1e-4)


@pytest.mark.parametrize("kind", ["bool", "float", None])
def test_the_inputs_are_left_as_they_were(kind):
    inputs = query_key_value(BATCH)
    mask = random_mask((QUERIES, KEYS), kind) if kind else None
    before = [t.clone() for t in inputs]
    mask_before = None if mask is None else mask.clone()
    scaled_dot_product_attention(*inputs, mask=mask)
    assert all(torch.equal(now, then) for now, then in zip(inputs, before, strict=True))
    assert mask is None or torch.equal(mask, mask_before)


@pytest.mark.parametrize(
    ("dtype", "tolerance"),
    [(torch.float16, 2e-3), (torch.bfloat16, 2e-2), (torch.float64, 1e-12)],
    ids=str,
)
@pytest.mark.parametrize("kind", ["bool", "float", None])
def test_other_floating_point_types_come_back_as_they_went_in(dtype, tolerance, kind, device):
    query, key, value = query_key_value(BATCH, HEADS, dtype=dtype, device=device)
    mask = random_mask((QUERIES, KEYS), kind, device) if kind else None
    if kind == "float":
        mask = mask.to(dtype)
    found = scaled_dot_product_attention(query, key, value, mask)
    assert found.dtype == dtype
    assert attention_weights(query, key, mask).dtype == dtype
    exact = F.scaled_dot_product_attention(
        query.double(),
        key.double(),
        value.double(),
        mask.double() if kind == "float" else mask,
    )
    torch.testing.assert_close(found.double(), exact, rtol=tolerance, atol=tolerance)


def test_half_precision_scores_above_its_largest_number_do_not_overflow():
    query = torch.full((1, 4), 250.0, dtype=torch.float16)
    key = torch.stack([query[0], query[0] - 1])  # 250 * 250 * 4 / 2 = 125,000 > 65,504
    weights = attention_weights(query, key)
    assert weights.tolist() == [[1.0, 0.0]]


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.uint8], ids=str)
def test_a_mask_of_integers_is_refused_since_it_could_mean_either(dtype, as_a_reader_runs_it):
    query, key, _ = query_key_value()
    with pytest.raises(TypeError, match=r"mask has dtype torch\..*Pass mask\.bool\(\)"):
        attention_weights(query, key, torch.ones(QUERIES, KEYS, dtype=dtype))


def test_one_query_and_one_key_are_enough(close):
    query, key, value = torch.randn(1, D_K), torch.randn(1, D_K), torch.randn(1, D_V)
    close(scaled_dot_product_attention(query, key, value), value)


def test_permuting_the_tokens_permutes_the_output_and_changes_nothing_else(close):
    tokens = torch.randn(BATCH, QUERIES, D_K)
    order = torch.randperm(QUERIES)
    found = scaled_dot_product_attention(tokens[:, order], tokens[:, order], tokens[:, order])
    close(found, scaled_dot_product_attention(tokens, tokens, tokens)[:, order])
