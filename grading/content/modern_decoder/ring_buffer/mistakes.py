"""The known mistakes of `ring_buffer`."""

from __future__ import annotations

import torch

from grading.content.common import kept
from grading.content.modern_decoder.sections import MASK
from grading.exercise import Mistake

from .question import RingBuffer


class _ChaptersRing(RingBuffer):
    """Hands out old keys in the order of the text, and then the new ones."""

    def update(self, new_key, new_value):
        new, old = new_key.size(2), self.window - 1
        if new > self.room - old:
            raise ValueError("too many new tokens")
        if self.key is None:
            self.key, self.value = new_key[:, :, :0], new_value[:, :, :0]
        first = max(0, self.key.size(2) - old)
        self.key = torch.cat([self.key[:, :, first:], new_key], dim=2)
        self.value = torch.cat([self.value[:, :, first:], new_value], dim=2)
        self.read += new
        query = torch.arange(self.read - new, self.read)[:, None]
        place = torch.arange(self.read - self.key.size(2), self.read)
        mask = (place <= query) & (place > query - self.window)
        return self.key, self.value, mask


_WRITE = "        self.key[:, :, slots] = new_key\n        self.value[:, :, slots] = new_value\n"
_WRITE_CAST = (  # as a slice does it, or one token after the other
    "        self.key[:, :, slots] = new_key.to(self.key.dtype)\n"
    "        self.value[:, :, slots] = new_value.to(self.value.dtype)\n"
)
_OLD_BUFFERS = [
    ("        self.reset()\n", "        self.key = self.value = None\n        self.reset()\n"),
    ("        self.read = 0\n        self.key = self.value = None\n", "        self.read = 0\n"),
]
_DTYPE_OF_KEYS = [("self.value = new_value.new_zeros(", "self.value = new_key.new_zeros(")]
_MAKE = (
    "            self.key = new_key.new_zeros(*new_key.shape[:2], self.room, new_key.size(3))\n"
    "            self.value = new_value.new_zeros(*new_value.shape[:2], self.room, "
    "new_value.size(3))\n"
)
_REFUSE = (
    "        if new > self.room - self.window + 1:\n"
    '            raise ValueError("too many new tokens")\n'
)
_LIMIT = "new > self.room - self.window + 1"
_RETURN = "return self.key, self.value, mask"
_IN_ORDER = "order = torch.arange(max(0, self.read - self.room), self.read) % self.room"


_CUT_AT_THE_END = [  # what runs over the end isn't written
    (
        "slots = query % self.room",
        "slots = query % self.room\n"
        "        first = self.read % self.room\n"
        "        fit = self.room - first",
    ),
    ("self.key[:, :, slots] = new_key", "self.key[:, :, slots[:fit]] = new_key[:, :, :fit]"),
    (
        "self.value[:, :, slots] = new_value",
        "self.value[:, :, slots[:fit]] = new_value[:, :, :fit]",
    ),
]
_COUNT_FIRST = "        new = new_key.size(2)\n        self.read += new\n"
_POSITIONS_BY_COUNTING = (
    "        self.positions = query[-1] - (query[-1] - torch.arange(self.room)) % self.room\n"
)
_FIT_POSITIONS = "self.positions[slots[:fit]] = query[:fit]"


COMBINED = (
    "window_one_more",
    "window_one_less",
    "empty_seen",
    "old_seen",
    "future_seen",
    "slice_over_the_end",
    "never_refused",
    "reset_count",
    "reset_buffers",
    "refused_later_only",
)

MISTAKES = (
    Mistake(
        "window_one_more",
        "The window is one position too wide: it counts the query's own position, so with 1 a "
        "query sees itself alone.",
        [("> query - self.window", ">= query - self.window")],
        section=MASK,
    ),
    Mistake(
        "window_one_less",
        "The window is one position too narrow: it counts the query's own position, so with 3 "
        "a query sees itself and the two positions before it.",
        [("> query - self.window", "> query - self.window + 1")],
        section=MASK,
    ),
    Mistake(
        "empty_seen",
        "Slots that nothing has been written to are seen while the ring isn't full. Give them "
        "a position that no query sees.",
        [("written & near", "near")],
        other_forms=(
            [("torch.full((self.room,), -1)", "torch.zeros(self.room, dtype=torch.int64)")],
            [
                (
                    "mask = written & near",
                    "mask = (query - torch.arange(self.room)) % self.room < self.window",
                )
            ],
        ),
    ),
    Mistake(
        "zero_is_empty",
        "A slot whose key or value is zero is taken for an empty one. A token may have a key "
        "of zeros: keep in mind which slots were written to.",
        [("written = self.positions >= 0", "written = (self.key != 0).any(-1)[0, 0]")],
        other_forms=(
            [("written = self.positions >= 0", "written = (self.value != 0).any(-1)[0, 0]")],
        ),
    ),
    Mistake(
        "old_seen",
        "Tokens that have left the window are seen as long as they are still in their slots. "
        "`room` is how many are kept; `window` is how many may be seen.",
        [(" & (self.positions > query - self.window)", "")],
        section=MASK,
    ),
    Mistake(
        "future_seen",
        "In a piece of several tokens a token sees those after it. They are written already "
        "when the mask is made, so it must hide them.",
        [("(self.positions <= query) & ", "")],
        section=MASK,
    ),
    Mistake(
        "not_itself",
        "A query doesn't see its own position. It sees itself and the `window - 1` positions "
        "before it.",
        [("self.positions <= query", "self.positions < query")],
        section=MASK,
    ),
    Mistake(
        "slots_for_positions",
        "The mask compares numbers of *slots* with positions of queries. Once the ring has "
        "gone around, a slot's number isn't the position of its token any more.",
        [
            (
                "        query = query[:, None]\n        written",
                "        query = query[:, None]\n"
                "        self.positions = torch.arange(self.room)\n"
                "        written",
            )
        ],
        other_forms=(
            [
                (
                    "        query = query[:, None]\n        written",
                    "        query = query[:, None] % self.room\n"
                    "        self.positions = torch.arange(self.room)\n"
                    "        written",
                )
            ],
        ),
        section=MASK,
    ),
    Mistake(
        "mask_in_order_of_text",
        "The mask is made for keys in the order of the text, and the buffer is in the order of "
        "its slots. Column s of the mask belongs to slot s.",
        [
            (
                "        written = self.positions >= 0",
                f"        {_IN_ORDER}\n"
                "        held = torch.full((self.room,), -1)\n"
                "        held[: len(order)] = self.positions[order]\n"
                "        self.positions, kept = held, self.positions\n"
                "        written = self.positions >= 0",
            ),
            (
                "        return self.key",
                "        self.positions = kept\n        return self.key",
            ),
        ],
    ),
    Mistake(
        "in_order_of_text",
        "Keys, values and mask come back in the order of the text. Here the buffer is returned "
        "as it is: the token at position p in slot p mod `room`.",
        [
            (
                _RETURN,
                "order = torch.arange(self.read - self.room, self.read) % self.room\n"
                "        if self.read < self.room:\n"
                "            order = torch.arange(self.room)\n"
                "        return self.key[:, :, order], self.value[:, :, order], "
                "mask[:, order]",
            )
        ],
    ),
    Mistake(
        "chapters_ring",
        "What comes back is the last `window - 1` old keys and then the new ones, as the "
        "chapter's ring gives them. Here it's the whole buffer, `room` slots in their order.",
        _ChaptersRing,
    ),
    Mistake(
        "shifted",
        "The buffer is shifted: the newest token is always in the last slot. In a ring nothing "
        "moves; the token at position p is written to slot p mod `room`.",
        [
            (
                _WRITE + "        self.positions[slots] = query\n",
                "        self.key = torch.cat([self.key, new_key], 2)[:, :, -self.room :]\n"
                "        self.value = torch.cat([self.value, new_value], 2)"
                "[:, :, -self.room :]\n"
                "        self.positions = torch.cat([self.positions, query])[-self.room :]\n",
            )
        ],
    ),
    Mistake(
        "grows",
        "The keys grow with the text, or only as many slots come back as are filled. All "
        "`room` slots come back in every call, the empty ones included.",
        [
            (
                _RETURN,
                "full = min(self.read, self.room)\n"
                "        return self.key[:, :, :full], self.value[:, :, :full], mask[:, :full]",
            )
        ],
        other_forms=(
            [
                (
                    _WRITE,
                    "        if self.read == 0:\n"
                    "            self.key, self.value = new_key, new_value\n"
                    "        else:\n"
                    "            self.key = torch.cat([self.key, new_key], 2)\n"
                    "            self.value = torch.cat([self.value, new_value], 2)\n",
                ),
                (
                    "        self.positions[slots] = query\n",
                    "        self.positions = torch.arange(self.read + new)\n",
                ),
            ],
            [
                (
                    _WRITE,
                    "        if self.read == 0:\n"
                    "            self.key, self.value = new_key, new_value\n"
                    "        else:\n"
                    "            self.key = torch.cat([self.key, new_key], 2)\n"
                    "            self.value = torch.cat([self.value, new_value], 2)\n"
                    "        self.key = self.key[:, :, -self.room :]\n"
                    "        self.value = self.value[:, :, -self.room :]\n",
                ),
                (
                    "        self.positions[slots] = query\n",
                    "        self.positions = torch.arange(self.read + new)[-self.room :]\n",
                ),
            ],
        ),
    ),
    Mistake(
        "small_positions",
        "The positions are kept in a dtype that is too small for a long text: `int8` ends at "
        "127, `uint8` at 255, and from 256 on `bfloat16` has not every whole number. Use "
        "`int64`, whatever the dtype of the keys.",
        [
            ("-1)  # of the token in each slot", "-1, dtype=torch.int8)"),
            ("self.positions[slots] = query", "self.positions[slots] = query.to(torch.int8)"),
        ],
        other_forms=(
            [
                ("-1)  # of the token in each slot", "-1, dtype=torch.bfloat16)"),
                ("self.positions[slots] = query", "self.positions[slots] = query.bfloat16()"),
            ],
        ),
    ),
    Mistake(
        "half_positions",
        "The positions are kept in `float16`, which has only every second whole number from "
        "2048 on. Use `int64`, in which every position of a text has its place.",
        [
            ("-1)  # of the token in each slot", "-1, dtype=torch.float16)"),
            ("self.positions[slots] = query", "self.positions[slots] = query.half()"),
        ],
        other_forms=(
            [("query = query[:, None]\n", "query = query[:, None].half()\n")],
            [
                ("-1)  # of the token in each slot", "-1, dtype=torch.float16)"),
                ("self.positions[slots] = query", "self.positions[slots] = query.half()"),
                ("query = query[:, None]\n", "query = query[:, None].half()\n"),
                (
                    "self.positions > query - self.window",
                    "query - self.positions < self.window",
                ),
            ],
        ),
        points=3,
    ),
    Mistake(
        "positions_like_keys",
        "The positions are kept in the dtype of the keys, and from 256 on `bfloat16` hasn't "
        "every whole number. Use `int64`, whatever the dtype of the keys.",
        [
            (
                "self.positions[slots] = query",
                "self.positions = self.positions.to(new_key.dtype)\n"
                "        self.positions[slots] = query.to(new_key.dtype)",
            )
        ],
        points=3,
    ),
    Mistake(
        "left_erased",
        "Tokens that have left the window are overwritten with zeros. They stay in their "
        "slots until a newer token comes there; the mask hides them.",
        [
            (
                "        written = self.positions >= 0",
                "        left = self.positions <= self.read - 1 - self.window\n"
                "        self.key[:, :, left] = 0\n"
                "        self.value[:, :, left] = 0\n"
                "        written = self.positions >= 0",
            )
        ],
    ),
    Mistake(
        "not_zeroed",
        "The buffers begin with whatever was in the memory (`torch.empty`). Slots that nothing "
        "has been written to hold zeros.",
        [
            ("self.key = new_key.new_zeros(", "self.key = new_key.new_empty("),
            ("self.value = new_value.new_zeros(", "self.value = new_value.new_empty("),
        ],
    ),
    Mistake(
        "modulo_window",
        "The slots go around after `window` tokens; the ring has `room` slots, and the token "
        "at position p is in slot p mod `room`.",
        [("query % self.room", "query % self.window")],
    ),
    Mistake(
        "slot_one_later",
        "The slots are counted from 1: the first token of the text has position 0 and goes to "
        "slot 0.",
        [("query % self.room", "(query + 1) % self.room")],
    ),
    Mistake(
        "never_round",
        "The slots don't go around: behind the last one comes slot 0 again, p mod `room`.",
        [("query % self.room", "query")],
        other_forms=([("query % self.room", "query.clamp(max=self.room - 1)")],),
    ),
    Mistake(
        "slice_over_the_end",
        "A piece that runs over the end of the buffer is written as one slice. Its last tokens "
        "belong into the first slots: take each token's slot modulo `room`.",
        [
            (
                "slots = query % self.room",
                "first = self.read % self.room\n        slots = slice(first, first + new)",
            )
        ],
        other_forms=(
            [
                (
                    "query % self.room",
                    "(self.read % self.room + torch.arange(new)).clamp(max=self.room - 1)",
                )
            ],
            [
                (
                    "slots = query % self.room",
                    "first = self.read % self.room\n"
                    "        slots = slice(first, first + new)\n"
                    "        fit = self.room - first\n"
                    "        query = query[:fit]\n"
                    "        new_key, new_value = new_key[:, :, :fit], new_value[:, :, :fit]",
                )
            ],
            [*_CUT_AT_THE_END, ("self.positions[slots] = query", _FIT_POSITIONS)],
            _CUT_AT_THE_END,
        ),
        points=3,
        any_error=True,
    ),
    Mistake(
        "wrong_half",
        "Of a piece that runs over the end of the buffer, the first tokens are written to the "
        "first slots once more. There belong its last ones, those that were not written yet.",
        [
            (
                "slots = query % self.room",
                "slots = query % self.room\n"
                "        fit = min(new, self.room - self.read % self.room)\n"
                "        part = [*range(fit), *range(new - fit)]",
            ),
            ("= new_key\n", "= new_key[:, :, part]\n"),
            ("= new_value\n", "= new_value[:, :, part]\n"),
        ],
        points=3,
    ),
    Mistake(
        "moved_back",
        "A piece that would run over the end of the buffer is written elsewhere as a whole: "
        "moved back until it fits, or to the beginning. Its last tokens belong into the first "
        "slots: take each token's slot modulo `room`.",
        [
            (
                "slots = query % self.room",
                "slots = min(self.read % self.room, self.room - new) + torch.arange(new)",
            )
        ],
        other_forms=(
            [
                (
                    "slots = query % self.room",
                    "first = self.read % self.room\n"
                    "        slots = torch.arange(new) + (\n"
                    "            first if first + new <= self.room else 0\n"
                    "        )",
                )
            ],
            [  # and the text goes on behind it
                ("        self.read = 0\n", "        self.read = self.next = 0\n"),
                (
                    "slots = query % self.room",
                    "first = self.next if self.next + new <= self.room else 0\n"
                    "        self.next = first + new\n"
                    "        slots = torch.arange(first, self.next)",
                ),
            ],
        ),
        points=3,
    ),
    Mistake(
        "calls_counted",
        "The position goes on by 1 with each call. It goes on by the number of new tokens.",
        [("self.read += new", "self.read += 1")],
    ),
    Mistake(
        "one_row",
        "All new tokens get the same row of the mask. Each has a position, and so a window, of "
        "its own.",
        [
            (
                "        query = query[:, None]\n",
                "        query = query[-1:, None].expand(new, 1)\n",
            )
        ],
        other_forms=(
            [("        query = query[:, None]\n", "        query = query[-1:, None]\n")],
            [
                (
                    "        query = query[:, None]\n",
                    "        query = query[:1, None].expand(new, 1)\n",
                )
            ],
        ),
        section=MASK,
    ),
    Mistake(
        "masked_before_writing",
        "The mask is made before the new positions are written, so the new tokens' slots count "
        "as what they held before.",
        [
            ("        self.positions[slots] = query\n", "        now = query\n"),
            (
                "        return self.key",
                "        self.positions[slots] = now\n        return self.key",
            ),
        ],
    ),
    Mistake(
        "mask_inverted",
        "The mask is inverted: True is for what may be seen.",
        [("mask = written & near", "mask = ~(written & near)")],
        section=MASK,
    ),
    Mistake(
        "mask_of_numbers",
        "The mask isn't of booleans: True where the slot may be seen.",
        [("mask = written & near", "mask = (written & near).float()")],
        other_forms=(
            [("mask = written & near", "mask = (written & near).long()")],
            [
                (
                    "mask = written & near",
                    "mask = torch.zeros(new, self.room).masked_fill(~(written & near), -1e9)",
                )
            ],
        ),
        section=MASK,
    ),
    Mistake(
        "mask_transposed",
        "The mask is [room, new]; it has a row for each new token and a column for each slot.",
        [("mask = written & near", "mask = (written & near).T")],
        section=MASK,
    ),
    Mistake(
        "mask_axes",
        "The mask has axes for the batch or the heads. It is [new, room], the same for all.",
        [("mask = written & near", "mask = (written & near)[None, None]")],
        other_forms=([("mask = written & near", "mask = (written & near)[None]")],),
        section=MASK,
    ),
    Mistake(
        "positions_returned",
        "The positions of the slots come back in place of the mask: True where the query of a "
        "new token may see the slot.",
        [("        return self.key", "        mask = self.positions\n        return self.key")],
        other_forms=([("mask = written & near", "mask = query - self.positions")],),
        section=MASK,
    ),
    Mistake(
        "forgotten",
        "The buffers are made anew in each call, so earlier keys and values are lost.",
        [("if self.key is None:", "if True:")],
    ),
    Mistake(
        "exchanged",
        "Keys and values change places: `update` returns the key first, then the value.",
        [(_RETURN, "return self.value, self.key, mask")],
    ),
    Mistake(
        "size_of_key",
        "The buffer of values has the head size of the keys. `value_size` may be another.",
        [("self.room, new_value.size(3)", "self.room, new_key.size(3)")],
        any_error=True,
    ),
    Mistake(
        "first_token_only",
        "Of a piece only one token is written. Each of the new tokens has a slot.",
        [
            (
                "query = torch.arange(self.read, self.read + new)",
                "new_key, new_value = new_key[:, :, -1:], new_value[:, :, -1:]\n"
                "        query = torch.arange(self.read, self.read + new)[-1:]",
            ),
        ],
        other_forms=(
            [
                (
                    "query = torch.arange(self.read, self.read + new)",
                    "new_key, new_value = new_key[:, :, :1], new_value[:, :, :1]\n"
                    "        query = torch.arange(self.read, self.read + 1)",
                ),
            ],
            [
                (
                    _WRITE,
                    "        self.key[:, :, slots[0]] = new_key[:, :, 0]\n"
                    "        self.value[:, :, slots[0]] = new_value[:, :, 0]\n",
                )
            ],
            [
                (
                    _WRITE,
                    "        self.key[:, :, slots[-1]] = new_key[:, :, -1]\n"
                    "        self.value[:, :, slots[-1]] = new_value[:, :, -1]\n",
                )
            ],
        ),
    ),
    Mistake(
        "never_refused",
        "A piece with too many new tokens is taken. With more than `room - window + 1`, the "
        "last of them overwrite keys that the first still need: raise a `ValueError`.",
        [(_REFUSE, "")],
        other_forms=([('raise ValueError("too many new tokens")', "return None")],),
        points=3,
    ),
    Mistake(
        "limit_of_room",
        "Only pieces longer than `room` are refused. With more than `room - window + 1` new "
        "tokens the last of them already overwrite keys that the first still need.",
        [(_LIMIT, "new > self.room")],
        points=3,
    ),
    Mistake(
        "limit_too_high",
        "The limit is too high by one: at most `room - window + 1` new tokens fit.",
        [(_LIMIT, "new > self.room - self.window + 2")],
        points=3,
    ),
    Mistake(
        "limit_too_low",
        "The limit is too low: `room - window + 1` new tokens still fit, whatever the text was "
        "so far.",
        [(_LIMIT, "new > self.room - self.window")],
        other_forms=([(_LIMIT, "new > self.window")],),
    ),
    Mistake(
        "refused_too_late",
        "The `ValueError` comes when something has been changed already (written, or counted). "
        "Look at the number of new tokens before anything else.",
        [
            (_REFUSE, ""),
            ("        query = query[:, None]\n", "        query = query[:, None]\n" + _REFUSE),
        ],
        other_forms=(
            [
                (_REFUSE, ""),
                (
                    "        query = torch",
                    _REFUSE.replace(
                        "            raise",
                        "            self.read += new\n            raise",
                    )
                    + "        query = torch",
                ),
            ],
            [  # positions follow from what was counted
                ("        new = new_key.size(2)\n", _COUNT_FIRST),
                ("arange(self.read, self.read + new)", "arange(self.read - new, self.read)"),
                ("        self.read += new\n", _POSITIONS_BY_COUNTING),
            ],
        ),
        points=3,
    ),
    Mistake(
        "other_error",
        "A piece that is too long leads to an error of another type (an `assert`, or one of "
        "PyTorch's). Raise a `ValueError`.",
        [("raise ValueError", "raise RuntimeError")],
        other_forms=([("raise ValueError(", "raise AssertionError(")],),
        points=3,
    ),
    Mistake(
        "refused_later_only",
        "Only later pieces are refused if they are too long. The limit holds for the first "
        "piece, too.",
        [(_LIMIT, "self.read and new > self.room - self.window + 1")],
        points=3,
    ),
    Mistake(
        "dtype_of_keys",
        "The values come back in the dtype of the keys. Theirs may be another: make each "
        "buffer in the dtype of what is written into it.",
        _DTYPE_OF_KEYS,
        other_forms=(
            [*_DTYPE_OF_KEYS, (_WRITE, _WRITE_CAST)],
            [*_DTYPE_OF_KEYS, (_WRITE, _WRITE_CAST), (_LIMIT, "new > self.room")],
        ),
        points=3,
    ),
    Mistake(
        "reset_count",
        "After `reset()` positions go on where the old text stopped. A new text begins at "
        "position 0.",
        [
            ("        self.reset()\n", "        self.read = 0\n        self.reset()\n"),
            (
                '        """Forget the text."""\n        self.read = 0\n',
                '        """Forget the text."""\n',
            ),
        ],
        points=3,
    ),
    Mistake(
        "reset_buffers",
        "After `reset()` the buffers are still those of the old text: its keys and values are "
        "there, or a new batch size or dtype doesn't fit. Begin with new ones.",
        _OLD_BUFFERS,
        other_forms=(
            [
                *_OLD_BUFFERS[:1],
                (
                    "        self.read = 0\n        self.key = self.value = None\n",
                    "        self.read = 0\n"
                    "        if self.key is not None:\n"
                    "            self.key.zero_(), self.value.zero_()\n",
                ),
            ],
            [  # the old buffers stay if they fit
                *_OLD_BUFFERS,
                (
                    "        if self.key is None:\n",
                    "        was = self.key\n"
                    "        same = was is not None and was.shape[:2] == new_key.shape[:2]\n"
                    "        if not (same and was.dtype == new_key.dtype):\n",
                ),
            ],
            [*_OLD_BUFFERS, (_WRITE, _WRITE_CAST)],
            [
                *_OLD_BUFFERS[:1],
                (
                    "        self.read = 0\n        self.key = self.value = None\n",
                    "        self.read = 0\n"
                    "        if self.key is not None:\n"
                    "            self.key.zero_(), self.value.zero_()\n",
                ),
                (_WRITE, _WRITE_CAST),
            ],
        ),
        equivalent=(
            [  # the old positions are still there, too; they hide as well as empty ones
                (
                    "        self.reset()\n",
                    "        self.key = self.value = None\n"
                    "        self.positions = torch.full((room,), -1)\n"
                    "        self.reset()\n",
                ),
                (
                    "        self.key = self.value = None\n"
                    "        self.positions = torch.full((self.room,), -1)  # of the token in "
                    "each slot\n",
                    "",
                ),
            ],
        ),
        points=3,
        any_error=True,
    ),
    Mistake(
        "reset_nothing",
        "`reset()` does nothing: the next text goes on where the last one stopped.",
        [
            (
                "        self.reset()\n",
                "        self.read = 0\n"
                "        self.key = self.value = None\n"
                "        self.positions = torch.full((room,), -1)\n",
            ),
            (
                "        self.read = 0\n"
                "        self.key = self.value = None\n"
                "        self.positions = torch.full((self.room,), -1)  # of the token in each "
                "slot\n",
                "",
            ),
        ],
        points=3,
        any_error=True,
    ),
    Mistake(
        "float32",
        "The buffers are always float32. They have the dtype of the keys and values.",
        [
            (
                _MAKE,
                "            self.key = torch.zeros(*new_key.shape[:2], self.room, "
                "new_key.size(3))\n"
                "            self.value = torch.zeros(*new_value.shape[:2], self.room, "
                "new_value.size(3))\n",
            )
        ],
        points=3,
    ),
    kept(
        [
            ("    def __init__", "    read, key, value = 0, None, None\n\n    def __init__"),
            ("self.key is None", "RingBuffer.key is None or not self.read"),
            ("            self.key = new_key.new", "            RingBuffer.key = new_key.new"),
            (
                "            self.value = new_value.new",
                "            RingBuffer.value = new_value.new",
            ),
            ("        self.key = self.value = None\n", ""),
        ],
        other_forms=(
            [
                (
                    "        self.positions = torch.full",
                    "        RingBuffer.positions = torch.full",
                )
            ],
        ),
        points=3,
        any_error=True,
    ),
)
