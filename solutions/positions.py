"""Where a token stands: attention by itself cannot tell, so something has to say it.

Four ways: a learned vector for each position, fixed sines and cosines, a rotation of queries and
keys, and a penalty on distance. And one question that padding raises: which position does each
token have?
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from solutions.config import AnyConfig, TransformerConfig

Convention = Literal["half_split", "interleaved"]


class Rotation(NamedTuple):
    """How far each pair of numbers is turned: ``[batch, 1, tokens, pairs]`` each, float32."""

    cos: Tensor
    sin: Tensor


def position_ids_of(
    attention_mask: Bool[Tensor, "batch tokens"] | Int[Tensor, "batch tokens"],
) -> Int[Tensor, "batch tokens"]:
    """Number the real tokens of each sequence 0, 1, 2, ..., wherever the padding lies.

    With padding on the right this is what ``arange`` gives. With padding on the left, as generation
    needs it, ``arange`` would move every token of a short sequence to the right.

    Args:
        attention_mask: ``[batch, tokens]``, 1 or True where a token is real.

    Returns:
        ``[batch, tokens]``. Padding before the first token has position 0, padding after the last
        has the last token's; nobody looks at either.
    """
    return (attention_mask.long().cumsum(dim=-1) - 1).clamp(min=0)


class LearnedPositions(nn.Embedding):
    """One trained vector for each position (BERT, GPT-2), ``[max_positions, hidden]``.

    Position 512 of a table of 512 has no vector: that is where this model's text must end.
    """

    def __init__(self, config: AnyConfig) -> None:
        config = TransformerConfig.from_config(config)
        super().__init__(config.max_position_embeddings, config.hidden_size)

    def forward(self, position_ids: Int[Tensor, "*shape"]) -> Float[Tensor, "*shape hidden"]:
        """Look up ``[..., hidden]`` for each position of ``[...]``.

        Raises:
            ValueError: if a position lies beyond the table.
        """
        try:
            return super().forward(position_ids)
        except IndexError as error:
            raise ValueError(
                f"Found positions {position_ids.min().item()} to {position_ids.max().item()}, but "
                f"this model has learned only the {self.num_embeddings} positions from 0 on: "
                "shorten the text, or make the model with a larger max_position_embeddings."
            ) from error


class SinusoidalPositions(nn.Module):
    """Sines and cosines of the position at many wavelengths (Vaswani et al. 2017, section 3.5).

    Dimensions ``2i`` and ``2i + 1`` are ``sin(p / w)`` and ``cos(p / w)`` with
    ``w = base ** (2i / hidden_size)``: wavelengths from 2π to nearly 2π times ``base``. Nothing is
    learned and no position is too far. Shifting all positions by ``k`` rotates each pair by
    ``k / w``, whatever the position: a relative distance is a fixed linear map.

    Args:
        hidden_size: length of the vectors; if odd, the last sine has no cosine.
        base: the longest wavelength divided by 2π.
    """

    def __init__(self, hidden_size: int, base: float = 10000.0) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        self.base = base

    def forward(self, position_ids: Int[Tensor, "*shape"]) -> Float[Tensor, "*shape hidden"]:
        """Compute ``[..., hidden]``, in float32, for each position of ``[...]``."""
        angles = _angles(position_ids, self.hidden_size, self.base)  # [..., pairs]
        pairs = torch.stack([angles.sin(), angles.cos()], dim=-1)  # [..., pairs, 2]
        return pairs.flatten(-2)[..., : self.hidden_size]


class RotaryPositions(nn.Module):
    """Turn each pair of a query's and a key's numbers by its position (Su et al. 2021, RoFormer).

    The scalar product of a query at position ``m`` and a key at ``n`` then depends on ``m - n``
    only (section 3.2.2, equation 16). Values are not turned. Which numbers form a pair is a
    convention, and weights fit one of them only:

    - ``"interleaved"``: dimensions ``2i`` and ``2i + 1``; the paper, GPT-J, Meta's own Llama files.
    - ``"half_split"``: dimensions ``i`` and ``i + head_size / 2``; GPT-NeoX, Llama and nearly all
      others in Hugging Face.

    Args:
        head_size: length of one head's vectors, an even number.
        base: pair ``i`` turns by ``position / base ** (2i / head_size)``; 10000 in the paper.
        convention: ``"half_split"`` or ``"interleaved"``.

    Raises:
        ValueError: if ``head_size`` is odd or the convention has another name.
    """

    def __init__(
        self, head_size: int, base: float = 10000.0, convention: Convention = "half_split"
    ) -> None:
        super().__init__()
        if head_size % 2:
            raise ValueError(f"head_size is {head_size}: pairs can be turned only if it is even.")
        if convention not in ("half_split", "interleaved"):
            raise ValueError(f"No convention {convention!r}; expected half_split or interleaved.")
        self.head_size = head_size
        self.base = base
        self.convention = convention

    def forward(
        self,
        states: Float[Tensor, "batch heads tokens head"],
        position_ids: Int[Tensor, "#batch tokens"],
    ) -> Float[Tensor, "batch heads tokens head"]:
        """Rotate queries or keys.

        Args:
            states: ``[batch, heads, tokens, head_size]``.
            position_ids: ``[batch, tokens]`` or ``[1, tokens]``; they need not start at 0.

        Returns:
            The rotated vectors, of the same lengths and dtype.
        """
        return rotate(states, self.rotation(position_ids), self.convention)

    def rotation(self, position_ids: Int[Tensor, "#batch tokens"]) -> Rotation:
        """Compute how far each pair is turned; all layers of a stack can share it."""
        angles = _angles(position_ids, self.head_size, self.base)[:, None]
        return Rotation(angles.cos(), angles.sin())


def rotate(
    states: Float[Tensor, "batch heads tokens head"],
    rotation: Rotation,
    convention: Convention = "half_split",
) -> Float[Tensor, "batch heads tokens head"]:
    """Turn queries or keys ``[batch, heads, tokens, head_size]``; see :class:`RotaryPositions`."""
    cos, sin = rotation  # float16 and bfloat16 states become float32 where they meet them
    if convention == "half_split":
        first, second = states.chunk(2, dim=-1)
        rotated = torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)
    else:
        first, second = states[..., 0::2], states[..., 1::2]
        pairs = [first * cos - second * sin, second * cos + first * sin]
        rotated = torch.stack(pairs, dim=-1).flatten(-2)
    return rotated.to(states.dtype)


def interleaved_to_half_split(
    weight: Float[Tensor, "rows ..."], num_attention_heads: int
) -> Float[Tensor, "rows ..."]:
    """Reorder the rows of a query or key projection for the other rotary convention.

    Args:
        weight: ``[heads * head_size, hidden]``, or its bias ``[heads * head_size]``.
        num_attention_heads: number of heads, which lie one after the other in the rows.

    Returns:
        The same rows, in each head the even ones first. With them, ``"half_split"`` gives the
        scores that ``"interleaved"`` gave.
    """
    by_pair = weight.unflatten(0, (num_attention_heads, -1, 2))  # [heads, pairs, 2, ...]
    return by_pair.transpose(1, 2).flatten(0, 2)


def alibi_slopes(num_attention_heads: int) -> Float[Tensor, " heads"]:
    """How strongly each head prefers what is near (Press et al. 2022, section 3), ``[heads]``.

    For ``n`` heads, a power of two, the slopes are ``2 ** (-8 / n)`` and its powers. For another
    number, the authors take those of the next smaller power of two, and then every second slope of
    twice that power.
    """
    power = 2 ** math.floor(math.log2(num_attention_heads))
    slopes = [2 ** (-8 * (i + 1) / power) for i in range(power)]
    between = [2 ** (-8 * (i + 0.5) / power) for i in range(power)]
    return torch.tensor(slopes + between[: num_attention_heads - power])


def alibi_bias(
    num_attention_heads: int,
    query_positions: Int[Tensor, "#batch queries"],
    key_positions: Int[Tensor, "#batch keys"],
) -> Float[Tensor, "batch heads queries keys"]:
    """Attention with linear biases: the score of a key falls with its distance.

    Args:
        num_attention_heads: number of heads; each has its own slope.
        query_positions: ``[batch, query]`` or ``[1, query]``.
        key_positions: ``[batch, key]`` or ``[1, key]``.

    Returns:
        ``-slope * |query position - key position|``, ``[batch, heads, query, key]``, to be added
        to the scores, so that it can be passed as an ``attention_mask``. The paper's decoder looks
        back only, where the distance is ``query - key``; for an encoder both sides count alike.
    """
    distance = (query_positions[:, :, None] - key_positions[:, None, :]).abs()
    slopes = alibi_slopes(num_attention_heads).to(distance.device)
    return -slopes[:, None, None] * distance[:, None]  # [batch, heads, query, key]


def _angles(position_ids: Tensor, size: int, base: float) -> Tensor:
    """``position * base ** (-2i / size)`` for each pair ``i``, ``[..., pairs]``.

    Computed at each call instead of kept in a buffer, because ``model.to(torch.bfloat16)`` would
    round a buffer too: a frequency of 8 significant bits is off by a radian at position 1000.
    """
    two_i = torch.arange(0, size, 2, dtype=torch.float32, device=position_ids.device)
    return position_ids[..., None] * base ** (-two_i / size)
