"""How limits are set in `nbgrader_config.py`: as traits.

Names, defaults and help come from :mod:`grading.limits`, of which :mod:`grading.commands.options`
makes the options of the command line, too. An option outweighs the file, and the file the default.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from traitlets import Float, Integer

from grading.limits import Limits, reason


def trait(limits: type[Limits], name: str) -> Any:
    """Return the trait that sets a limit; it refuses what is no number above zero."""
    (limit,) = (limit for limit in fields(limits) if limit.name == name)
    kind: Any = Integer if isinstance(limit.default, int) else Float
    least = 1 if kind is Integer else 0.1
    return kind(limit.default, min=least, help=reason(limit)).tag(config=True)
