"""A mixture of experts: many feed-forward layers, of which each token uses a few.

A small linear map, the router, scores all experts for each token; the best few compute, and their
results are added up, each with a weight (Shazeer et al. 2017, "Outrageously Large Neural Networks";
Jiang et al. 2024, "Mixtral of Experts", section 2.1). A model can so hold many more parameters than
it uses for one token.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from solutions.config import AnyConfig, TransformerConfig
from solutions.feed_forward import SwiGLU


def route(
    logits: Float[Tensor, "*batch experts"], num_experts_per_tok: int
) -> tuple[Float[Tensor, "*batch chosen"], Int[Tensor, "*batch chosen"]]:
    """Choose each token's experts, and how much of each it takes.

    Args:
        logits: the router's scores, ``[..., experts]``.
        num_experts_per_tok: number of experts for each token.

    Returns:
        Weights and indices of the chosen experts, ``[..., chosen]`` each, the best first. A token's
        weights are the softmax over the chosen experts' logits: they are positive and sum to 1.
        Computed in float32 or better, and given back in the dtype of ``logits``.
    """
    at_least_float32 = torch.promote_types(logits.dtype, torch.float32)
    probabilities = logits.softmax(dim=-1, dtype=at_least_float32)
    weights, expert_ids = probabilities.topk(num_experts_per_tok, dim=-1)
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights.to(logits.dtype), expert_ids


class Experts(nn.Module):
    """``sum over the chosen experts of weight * expert(x)``, for each token by itself.

    Args:
        config: a :class:`TransformerConfig` with ``num_local_experts``, or Mixtral's. Each expert
            is a :class:`SwiGLU` of ``intermediate_size``.
    """

    def __init__(self, config: AnyConfig) -> None:
        super().__init__()
        config = TransformerConfig.from_config(config)
        if config.num_local_experts is None:
            raise ValueError("num_local_experts is None; expected the number of experts.")
        self.num_experts_per_tok = config.num_experts_per_tok
        self.router = nn.Linear(config.hidden_size, config.num_local_experts, bias=False)
        self.experts = nn.ModuleList(SwiGLU(config) for _ in range(config.num_local_experts))

    def forward(
        self, hidden_states: Float[Tensor, "*batch hidden"]
    ) -> Float[Tensor, "*batch hidden"]:
        """Map ``[..., hidden]`` to ``[..., hidden]``; no token sees another."""
        tokens = hidden_states.reshape(-1, hidden_states.size(-1))  # [tokens, hidden]
        weights, expert_ids = route(self.router(tokens), self.num_experts_per_tok)
        result = torch.zeros_like(tokens)
        for i, expert in enumerate(self.experts):
            token, choice = (expert_ids == i).nonzero(as_tuple=True)  # who has chosen this expert
            update = weights[token, choice, None] * expert(tokens[token])
            result = result.index_add(0, token, update.to(result.dtype))  # autocast rounds it
        return result.view_as(hidden_states)


def load_balancing_loss(
    logits: Float[Tensor, "tokens experts"], num_experts_per_tok: int
) -> Float[Tensor, ""]:
    """How unevenly a router spreads its tokens (Fedus et al. 2022, "Switch Transformers", eq. 4-6).

    Args:
        logits: the router's scores of all tokens of a batch, ``[tokens, experts]``.
        num_experts_per_tok: number of experts for each token.

    Returns:
        ``experts * sum of f_i * P_i`` over the experts, where ``f_i`` is the number of tokens that
        chose expert ``i``, divided by all tokens, and ``P_i`` the mean of its probabilities. With
        an even spread it is ``num_experts_per_tok``. Its gradient flows through ``P_i``.
    """
    probabilities = logits.softmax(dim=-1)
    _, expert_ids = route(logits, num_experts_per_tok)
    experts = logits.size(-1)
    chosen = nn.functional.one_hot(expert_ids, experts).sum(dim=1).to(logits.dtype)
    return experts * (chosen.mean(dim=0) * probabilities.mean(dim=0)).sum()
