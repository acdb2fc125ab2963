"""What several exercises of assignment decoder draw and build with."""

from __future__ import annotations

import functools

from grading.content import drawing

Flags = frozenset[str]


normal = functools.partial(drawing.normal, size=1.3)
