"""What is asked."""

from grading.content.drawing import draw_sizes, normal
from grading.exercise import Case, Part, Question


def masked_mean(hidden_states, attention_mask):
    """Average ``[batch, tokens, hidden]`` over the real tokens, ``[batch, hidden]``."""
    real = attention_mask[:, :, None].to(hidden_states.dtype)
    return (hidden_states * real).sum(dim=1) / real.sum(dim=1)


def draw(generator, padded=True):
    hidden_states = normal(generator, *draw_sizes(generator, 3, low=3))
    attention_mask = hidden_states[:, :, 0].ne(0).long()
    attention_mask[:, -2:] -= int(padded)
    return {"hidden_states": hidden_states, "attention_mask": attention_mask}


def cases(generator):
    return [
        Case("some padding", "core", tuple(draw(generator).items())),
        Case("no padding", "core", tuple(draw(generator, padded=False).items())),
    ]


QUESTION = Question(
    id="masked_mean",
    title="The mean of real tokens",
    signature="masked_mean(hidden_states, attention_mask)",
    reference=masked_mean,
    draw=draw,
    cases=cases,
    parts=(Part("core", "the mean", 2), Part("sound", "gradients and float64", 1)),
    minutes=5,
    difficulty=1,
    section="“Pooling” in chapter 7",
)
