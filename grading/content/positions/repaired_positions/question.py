"""Exercise 1 of assignment 5: sinusoidal positions with five bugs, to be repaired.

Numbers are compared to 1e-4: an angle of 500 radians has only so many digits in float32, and every
correct way to compute it rounds elsewhere.
"""

from __future__ import annotations

import math

import torch

from grading.content.drawing import one_of
from grading.content.positions.sections import SINUSOIDS
from grading.content.positions.shared import draw_position_ids, normal
from grading.exercise import Case, Part, Question
from solutions.positions import SinusoidalPositions


def repaired_positions(embeddings, position_ids, base=10000.0):
    """Return scaled embeddings plus sinusoidal positions, ``[batch, tokens, d]``."""
    batch, tokens, size = embeddings.shape
    speeds = base ** (-2 * torch.arange((size + 1) // 2) / size)
    angles = position_ids[:, :, None] * speeds  # [batch, tokens, pairs]
    waves = torch.zeros(batch, tokens, size)
    waves[..., 0::2] = angles.sin()
    waves[..., 1::2] = angles[..., : size // 2].cos()
    return math.sqrt(size) * embeddings + waves


def _positions_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part, batch, tokens, size, base=None, places=None, **options):
        arguments = [("embeddings", normal(generator, batch, tokens, size, size=0.7))]
        drawn = draw_position_ids(generator, batch, tokens)
        if batch > 1 and part == "core":  # one row counts from 0, the first or the last
            drawn[-1 if "again" in options else 0] = torch.arange(tokens)
        arguments.append(("position_ids", drawn if places is None else places))
        if base:
            arguments.append(("base", base))
        return Case(title, part, tuple(arguments), **options)

    def more(batch, tokens, size, *base):
        embeddings = normal(generator, batch, tokens, size, size=0.7)
        return embeddings, draw_position_ids(generator, batch, tokens), *base

    near = draw_position_ids(generator, 1, 4)
    near[0, 2] = 0
    near[0, 1] = near[0, 3] + 1  # one of the two is odd, and bfloat16 has no odd number so far out
    far = torch.cat([near, near + 500 - near.max()])  # no further than the text says
    base = one_of(generator, 20.5, 50.5, 300.5)
    near_one = one_of(generator, 1.25, 1.5, 1.75)
    return [
        case("positions with gaps, other ones in each row", "core", 3, 5, 6),
        case("a row near, a row as far as 500", "core", 2, 4, 6, places=far),
        case("texts of one token", "core", 3, 1, one_of(generator, 8, 10)),
        case("gradients, all sizes alike", "core", 4, 4, 4, gradient=True),
        case("called again, other positions", "core", 2, 6, 12, again=(more(2, 6, 12),)),
        # of a size of its own: what is kept by it is not that of another base
        case("a base near 1, transposed views", "base", 3, 2, 16, near_one, strided=True),
        case(
            "called again, another base", "base", 2, 7, 14, base, again=(more(2, 7, 14, 3 * base),)
        ),
        case("an odd size", "odd", 2, 3, one_of(generator, 5, 7)),
        case("a larger odd size", "odd", 2, 3, one_of(generator, 9, 11)),
        case("vectors of one number", "odd", 2, 3, 1),
    ]


def _module_positions(embeddings, position_ids, base=10000.0):
    size = embeddings.size(-1)
    return math.sqrt(size) * embeddings + SinusoidalPositions(size, base)(position_ids)


def _loop_positions(embeddings, position_ids, base=10000.0):
    result = embeddings * embeddings.size(-1) ** 0.5
    waves = torch.empty_like(embeddings)
    size = embeddings.size(-1)
    for b, row in enumerate(position_ids.tolist()):
        for t, place in enumerate(row):
            for j in range(size):
                angle = place / base ** (2 * (j // 2) / size)
                waves[b, t, j] = math.cos(angle) if j % 2 else math.sin(angle)
    return result + waves.detach()


def _table_positions(embeddings, position_ids, base=10000.0):
    size = embeddings.size(-1)
    place = torch.arange(int(position_ids.max()) + 1, dtype=torch.float32).unsqueeze(1)
    speeds = torch.exp(torch.arange(0, size, 2).float() * (-math.log(base) / size))
    table = torch.zeros(place.size(0), size)
    table[:, 0::2] = torch.sin(place * speeds)
    table[:, 1::2] = torch.cos(place * speeds[: size // 2])
    return embeddings * math.sqrt(size) + table[position_ids]


def _phase_positions(embeddings, position_ids, base=10000.0):
    size = embeddings.size(-1)
    j = torch.arange(size)
    angles = position_ids.double().unsqueeze(-1) / base ** ((j - j % 2).double() / size)
    waves = torch.sin(angles + (j % 2) * (math.pi / 2))
    return torch.add(waves.float(), embeddings, alpha=math.sqrt(size))


def _complex_positions(embeddings, position_ids, base=10000.0):
    size = embeddings.shape[-1]
    angles = torch.outer(position_ids.flatten(), base ** -(torch.arange(0, size, 2) / size))
    hands = torch.view_as_real(torch.polar(torch.ones_like(angles), angles)).flip(-1)
    waves = hands.reshape(*position_ids.shape, -1)[..., :size]
    return torch.addcmul(waves, embeddings, torch.tensor(size).sqrt())


QUESTION = Question(
    id="repaired_positions",
    title="Bug hunt: waves that say nothing",
    signature="repaired_positions(embeddings, position_ids, base=10000.0)",
    reference=repaired_positions,
    cases=_positions_cases,
    parts=(
        Part("core", "the right waves for any position ids", 2),
        Part("base", "any base", 1),
        Part("odd", "an odd size", 1),
    ),
    minutes=20,
    difficulty=2,
    section=SINUSOIDS,
    tolerance=1e-4,
    alternatives={
        "the chapter's module": _module_positions,
        "loop": _loop_positions,
        "a table as long as needed, exponentials": _table_positions,
        "in float64, cosine as a shifted sine": _phase_positions,
        "complex numbers": _complex_positions,
    },
)
