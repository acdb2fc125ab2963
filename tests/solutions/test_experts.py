import pytest
import torch
from transformers import MixtralConfig
from transformers.models.mixtral import modeling_mixtral

from solutions import TransformerConfig
from solutions.experts import Experts, load_balancing_loss, route

CONFIG = TransformerConfig(
    hidden_size=6,
    num_attention_heads=2,
    intermediate_size=10,
    hidden_dropout_prob=0.0,
    num_local_experts=5,
    num_experts_per_tok=2,
)


@torch.no_grad()
def test_the_router_equals_mixtrals(close):
    peer = modeling_mixtral.MixtralTopKRouter(
        MixtralConfig(hidden_size=6, num_local_experts=5, num_experts_per_tok=3)
    )
    torch.nn.init.normal_(peer.weight)
    tokens = torch.randn(40, 6)
    logits, expected_weights, expected_ids = peer(tokens)
    weights, expert_ids = route(logits, 3)
    close(weights, expected_weights)
    assert torch.equal(expert_ids, expected_ids)
    close(weights, logits.gather(-1, expert_ids).softmax(dim=-1))  # as the paper writes it
    assert route(logits.bfloat16(), 3)[0].dtype == torch.bfloat16


def test_each_token_gets_its_own_experts_and_every_number_has_a_gradient(close):
    experts = Experts(CONFIG)
    tokens = torch.randn(3, 7, 6)
    weights, expert_ids = route(experts.router(tokens), 2)
    expected = torch.stack(
        [
            sum(w * experts.experts[i](token) for w, i in zip(ws, ids.tolist(), strict=True))
            for token, ws, ids in zip(
                tokens.flatten(0, 1), weights.flatten(0, 1), expert_ids.flatten(0, 1), strict=True
            )
        ]
    ).view_as(tokens)
    found = experts(tokens)
    close(found, expected)
    found.square().sum().backward()
    used = set(expert_ids.flatten().tolist())
    for i, expert in enumerate(experts.experts):
        gradient = expert.gate.weight.grad
        assert (gradient is not None and bool(gradient.abs().sum() > 0)) == (i in used)
    assert experts.router.weight.grad.abs().sum() > 0


def test_an_expert_that_no_token_chooses_and_no_tokens_at_all_are_fine():
    experts = Experts(CONFIG)
    with torch.no_grad():
        assert torch.isfinite(experts(torch.ones(1, 1, 6))).all()  # three are not chosen
        assert experts(torch.ones(0, 4, 6)).shape == (0, 4, 6)


def test_experts_can_be_trained_in_bfloat16(close):
    experts, tokens = Experts(CONFIG), torch.randn(20, 6)
    with torch.autocast("cpu", torch.bfloat16):
        found = experts(tokens)
    found.sum().backward()
    close(found, experts(tokens), rtol=0.05, atol=0.05)
    assert experts.router.weight.grad.dtype == torch.float32


def test_the_balancing_loss_equals_mixtrals_and_is_smallest_where_tokens_are_spread(close):
    logits = torch.randn(200, 8)
    expected = modeling_mixtral.load_balancing_loss_func((logits,), 8, top_k=2)
    close(load_balancing_loss(logits, 2), expected)

    even = torch.eye(8).repeat(25, 1) * 20  # each expert is the best for 25 tokens
    even = even + torch.roll(even, 1, dims=1) / 2
    close(load_balancing_loss(even, 2), torch.tensor(2.0), rtol=1e-3)
    collapsed = torch.zeros(200, 8)
    collapsed[:, :2] = 20
    close(load_balancing_loss(collapsed, 2), torch.tensor(8.0), rtol=1e-3)


def test_experts_need_a_number_of_them():
    with pytest.raises(ValueError, match="num_local_experts is None"):
        Experts(TransformerConfig(hidden_size=6, num_attention_heads=2))
