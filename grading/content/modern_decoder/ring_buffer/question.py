"""A ring that never changes its shape: the buffer as it is, and the mask that makes it right."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from grading.content.modern_decoder import harnesses
from grading.content.modern_decoder.sections import RING
from grading.content.modern_decoder.shared import normal
from grading.exercise import Case, Part, Question


class RingBuffer:
    """Keys and values of a sliding window, in a buffer that keeps its shape."""

    def __init__(self, window, room):
        self.window, self.room = window, room
        self.reset()

    def reset(self):
        """Forget the text."""
        self.read = 0
        self.key = self.value = None
        self.positions = torch.full((self.room,), -1)  # of the token in each slot

    def update(self, new_key, new_value):
        """Write the next tokens; return all slots and what the new tokens may see."""
        new = new_key.size(2)
        if new > self.room - self.window + 1:
            raise ValueError("too many new tokens")
        if self.key is None:
            self.key = new_key.new_zeros(*new_key.shape[:2], self.room, new_key.size(3))
            self.value = new_value.new_zeros(*new_value.shape[:2], self.room, new_value.size(3))
        query = torch.arange(self.read, self.read + new)
        slots = query % self.room
        self.key[:, :, slots] = new_key
        self.value[:, :, slots] = new_value
        self.positions[slots] = query
        self.read += new
        query = query[:, None]
        written = self.positions >= 0
        near = (self.positions <= query) & (self.positions > query - self.window)
        mask = written & near  # [new, room]
        return self.key, self.value, mask


def _ring_cases(generator: torch.Generator) -> list[Case]:
    def text(tokens, batch=2, heads=3, dtypes=(torch.float32, torch.float32)):
        key = normal(generator, batch, heads, tokens, 4).to(dtypes[0])
        value = normal(generator, batch, heads, tokens, 5).to(dtypes[1])
        return key, value

    def case(
        title, part, window, room, pieces, batch=2, harness=harnesses.read_text, zero=(), **options
    ):
        key, value = text(sum(pieces), batch, **options)
        for token in zero:  # a token like any other
            key[:, :, token] = value[:, :, token] = 0.0
        arguments = [("window", window), ("room", room), ("key", key), ("value", value)]
        return Case(title, part, (*arguments, ("pieces", pieces)), harness=harness)

    def far(title, part, room=300, pieces=(298, 1, 1, 1, 1), **options):
        pieces = list(pieces)
        return case(title, part, 3, room, pieces, 1, harnesses.read_far, heads=1, **options)

    def two(title, harness, others=None, other_window=None, **options):
        """Two texts; ``others``: what is different about the second."""
        window, room = 3, 5
        key, value = text(7 if other_window else 6)
        other_key, other_value = text(6 if other_window else 4, **(others or {}))
        arguments = [("window", window), ("room", room), ("key", key), ("value", value)]
        more = [("other_key", other_key), ("other_value", other_value)]
        if other_window:
            more.insert(0, ("other_window", other_window))
        return Case(title, "life", (*arguments, *more), harness=harness, **options)

    more = int(torch.randint(1, 3, (), generator=generator))
    first = [4, *[1] * (4 + more)]
    too_much = harnesses.read_too_much
    narrow = (torch.bfloat16, torch.bfloat16)
    return [
        case("token by token, more than twice around", "core", 2, 3, [1] * (6 + more)),
        case("a first piece, then token by token", "core", 3, 6, first, 4, zero=[2], heads=4),
        case("a window as large as the room", "core", 2, 2, [1] * (4 + more)),
        case("a batch of one, one head", "core", 2, 6, [4, *[1] * 5], 1, heads=1),
        far("a long text: the masks, when hundreds of tokens were read", "core"),
        case("pieces of several tokens", "pieces", 3, 6 + more, [3, 2, 4, 3, 4, 1, 4]),
        case("pieces as long as they may be", "pieces", 2 + more, 6, [5 - more] * 5),
        case("a window of one, pieces that fill the room", "pieces", 1, 4, [4, 4, 3, 4, 2]),
        far("pieces, thousands of tokens: the last masks", "pieces", 20, [18] * 114 + [1, 2, 1]),
        case("a piece longer by one than what fits", "life", 2, 5, [1, 5, 1], 2, too_much),
        case("a first piece that is too long", "life", 3, 6, [6, 3], 2, too_much),
        case("a piece longer than the room", "life", 3, 7, [1, 1, 8, 1], 2, too_much),
        far("a long text in bfloat16: the masks", "life", dtypes=narrow),
        two("a second text after `reset()`", harnesses.read_after_reset),
        two("after `reset()` another batch size", harnesses.read_after_reset, {"batch": 4}),
        two(
            "after `reset()` values in bfloat16",
            harnesses.read_after_reset,
            {"dtypes": (torch.float32, torch.bfloat16)},
        ),
        two(
            "two rings in turns, the second with a wider window and keys in float64; and another "
            "one, reset before its text",
            harnesses.read_rings,
            {"dtypes": (torch.float64, torch.float32)},
            other_window=4,
            repeats=True,
        ),
    ]


class _ByCounting:
    """What a slot holds follows from the number of tokens read."""

    def __init__(self, window, room):
        self.window, self.room = window, room
        self.reset()

    def reset(self):
        self.count, self.buffers = 0, None

    def update(self, new_key, new_value):
        pair, new = (new_key, new_value), new_key.shape[2]
        if new + self.window > self.room + 1:
            raise ValueError("too long")
        if self.buffers is None:
            self.buffers = [F.pad(p[:, :, :0], (0, 0, 0, self.room)) for p in pair]
        for token in range(new):
            for buffer, piece in zip(self.buffers, pair, strict=True):
                buffer[:, :, (self.count + token) % self.room] = piece[:, :, token]
        last = self.count + new - 1
        position = last - (last - torch.arange(self.room)) % self.room
        distance = torch.arange(self.count, last + 1).unsqueeze(1) - position
        self.count += new
        return *self.buffers, (position >= 0) & (distance >= 0) & (distance < self.window)


class _ByTheWholeText:
    """Keeps everything and fills a new buffer in each call."""

    def __init__(self, window, room):
        self.sizes = window, room
        self.text = None

    def reset(self):
        self.text = None

    def update(self, new_key, new_value):
        window, room = self.sizes
        pair, new = [new_key, new_value], new_key.size(2)
        if new > room - window + 1:
            raise ValueError
        if self.text is not None:
            pair = [torch.cat(both, dim=2) for both in zip(self.text, pair, strict=True)]
        self.text = pair
        tokens = pair[0].size(2)
        result = [torch.zeros(*p.shape[:2], room, p.size(3), dtype=p.dtype) for p in pair]
        mask = torch.zeros(new, room, dtype=torch.bool)
        for place in range(max(0, tokens - room), tokens):
            for buffer, part in zip(result, pair, strict=True):
                buffer[:, :, place % room] = part[:, :, place]
            for row in range(new):
                query = tokens - new + row
                mask[row, place % room] = query - window < place <= query
        return [*result, mask]


class _ByIndexCopy(RingBuffer):
    """New tensors in each call, and no position where nothing was written: a very low one."""

    def reset(self):
        self.state = None

    def update(self, new_key, new_value):
        if new_key.shape[-2] > self.room - self.window + 1:
            raise ValueError("more new tokens than fit")
        if self.state is None:
            empty = torch.full([self.room], -(10**9))
            pair = [
                torch.zeros_like(p[:, :, :1]).repeat(1, 1, self.room, 1)
                for p in (new_key, new_value)
            ]
            self.state = (*pair, empty, 0)
        key, value, held, start = self.state
        now = start + torch.arange(new_key.shape[-2])
        slot = now.remainder(self.room)
        key, value = key.index_copy(2, slot, new_key), value.index_copy(2, slot, new_value)
        held = held.index_copy(0, slot, now)
        self.state = key, value, held, start + len(now)
        back = now.view(-1, 1) - held
        return key, value, (back >= 0).logical_and(back < self.window)


QUESTION = Question(
    id="RingBuffer",
    title="A ring that never changes its shape",
    signature="class RingBuffer(window, room)",
    reference=RingBuffer,
    cases=_ring_cases,
    parts=(
        Part("core", "token by token, and a first piece", 2),
        Part("pieces", "pieces of several tokens", 1),
        Part("life", "the `ValueError`, `reset()`, and two rings", 1),
    ),
    minutes=30,
    difficulty=3,
    section=RING,
    draws=3,
    alternatives={
        "positions by counting": _ByCounting,
        "the whole text is kept": _ByTheWholeText,
        "index_copy": _ByIndexCopy,
    },
)
