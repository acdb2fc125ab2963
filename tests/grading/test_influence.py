"""What of a notebook may have disturbed an answer, told from its text."""

import textwrap

import pytest

from grading.limits import SubmissionLimits
from grading.running.independence import independent

GIVEN = """
import math
import torch
import torch.nn.functional as F
from torch import Tensor, nn

TABLE = {}

def looked_up(key):
    return TABLE[key]
"""
ANSWER = """
def scores(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.transpose(-2, -1) / math.sqrt(sum(query.shape[-1:])) * SCALE
"""

APART = {
    "another answer": "def weights(scores_: Tensor) -> Tensor:\n    return F.softmax(scores_, -1)",
    "in place on its own": """
        def fill(mask: Tensor) -> Tensor:
            mask = mask.clone()
            mask[..., 0] = False
            mask.names = None
            return mask
    """,
    "a class": """
        class Layer(nn.Module):
            def __init__(self, size: int):
                super().__init__()
                self.linear = nn.Linear(size, size)
                self.register_buffer("mask", torch.ones(size))
    """,
    "the same import": "import math\nimport torch.nn.functional as F\nx = math.pi",
    "another import": "import itertools\nfrom typing import Any",
    "an experiment": "torch.manual_seed(0)\nprint(torch.randn(2, 3).softmax(-1))",
    "its own name in a function": "def f():\n    SCALE = 2\n    return SCALE",
    "a parameter of that name": "def f(scores, math):\n    return scores[math]",
}
NEAR = {
    "the same function": "def scores(query, key):\n    return query @ key.T",
    "a name that it uses": "SCALE = 2",
    "deletes it": "del SCALE",
    "from within a function": "def f():\n    global SCALE\n    SCALE = 3",
    "a loop variable": "for SCALE in range(3):\n    pass",
    "a walrus": "print(SCALE := 1)",
    "a built-in function": "sum = 0",
    "another meaning of an import": "import numpy as math",
    "a name for an import": "from torch import sqrt as math",
    "changes what it uses": "SCALE.mul_(2)",
    "calls it": "scores.calls = 1",
    "a function of torch": "torch.Tensor.transpose = lambda self, a, b: self",
    "a function of torch, by another name": "t = torch\nt.softmax = None",
    "of a result": "nn.Linear(1, 1).__class__.forward = None",
    "the default type": "torch.set_default_dtype(torch.float64)",
    "what a given function uses": "TABLE.clear()",
    "no gradients, by another name": "from torch import set_grad_enabled\nset_grad_enabled(False)",
    "no gradients": "torch.set_grad_enabled(False)",
    "setattr": "setattr(torch, 'softmax', None)",
    "exec": "exec('SCALE = 2')",
    "globals": "globals()['SCALE'] = 2",
    "all names of a module": "from torch import *",
    "a module that could do anything": "import os\nos.chdir('/')",
    "warnings": "import warnings\nwarnings.simplefilter('error')",
    "the dictionary of a module": "torch.__dict__.update(softmax=None)",
    "magic": "%reset -f",
    "a shell": "!ls",
    "no Python": "def f(:",
    "too long": "x = 1\n" * SubmissionLimits.parsed_characters,
    "too deep": "-" * (SubmissionLimits.parsed_characters - 1) + "1",
    "a null": "x = 1\0",
}


@pytest.mark.parametrize("name", APART)
def test_honest_cells_are_apart(name):
    assert independent(ANSWER, [textwrap.dedent(APART[name])], [GIVEN])


@pytest.mark.parametrize("name", NEAR)
def test_what_might_disturb_is_found(name):
    apart = list(map(textwrap.dedent, APART.values()))
    assert not independent(ANSWER, [*apart, textwrap.dedent(NEAR[name])], [GIVEN])


def test_an_answer_that_is_no_python_tells_nothing():
    assert not independent("def f(:", ["x = 1"], [GIVEN])
