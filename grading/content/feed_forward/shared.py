"""What several exercises of assignment 3 draw their cases with.

Sizes in a case are pairwise different. Weights and biases are drawn anew for each case, so large
that the numbers before the activation have a standard deviation of 2 to 3: there all activations
differ, and so do the two forms of GELU.
"""

from __future__ import annotations

import torch


def draw_width(generator: torch.Generator) -> int:
    """Draw a width larger than all other sizes, and odd, so that nothing halves it unnoticed."""
    return int(torch.randint(4, 6, (), generator=generator)) * 2 + 1
