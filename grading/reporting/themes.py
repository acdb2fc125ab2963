"""What mistakes of different exercises have in common: misconceptions that can outlive a chapter.

A mistake's name belongs to its exercise, and the same name can mean other things in another one
(`inverted` is a mask here and dropout there). So a theme lists the mistakes that are signs of it,
with the assignments in which they are. A mistake without a theme belongs to its exercise alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import nbformat
from docutils.nodes import make_id  # type: ignore[import-untyped]

from grading.content import assignments, mistakes_of

CHAPTERS = Path(__file__).parents[2] / "chapters"


@dataclass(frozen=True)
class Theme:
    """A misconception.

    Attributes:
        title: what it is about.
        signs: names of mistakes; behind a colon, the numbers of the assignments in which the name
            means this (all, if there are none).
    """

    title: str
    signs: str

    @cached_property
    def places(self) -> dict[str, list[str]]:
        """Names of mistakes, and the numbers of their assignments, if not all."""
        pairs = (sign.partition(":") for sign in self.signs.split())
        return {name: where.split(",") if where else [] for name, _, where in pairs}

    def has(self, assignment: str, mistake: str) -> bool:
        """Whether a mistake of an assignment is a sign of it."""
        where = self.places.get(mistake)
        return where is not None and (not where or assignment[:2] in where)


THEMES = (
    Theme(
        "By what the scores are divided",
        "no_scale:01,02,08,10 scale_keys scale_multiplied scale_heads scale_tokens:02 scale_hidden "
        "scale_all_heads scale_d_k no_root:08 scale_without_root scale_other root_cut",
    ),
    Theme(
        "Over which axis the softmax runs",
        "softmax_over_queries softmax_over_batch softmax_over_heads query_axis:08 wrong_softmax "
        "wrong_axis:10 other_softmax",
    ),
    Theme(
        "Query, key and value exchanged", "roles_exchanged:01,02 key_first value_second value_first"
    ),
    Theme(
        "Which value of a mask hides",
        "inverted:01,02,06,07,08,10 causal_inverted padding_only:07 padding_counted:05 "
        "padding_inverted triangle_inverted mask_inverted",
    ),
    Theme(
        "How a score is hidden: minus infinity, before the softmax",
        "zero_score added_mask zeroed_after_softmax small_fill zero_fill masked_after "
        "zero_times_infinity small_added_to_padding padding_after_softmax divided_again",
    ),
    Theme("A mask that has no effect", "mask_ignored no_padding:08,10 no_mask:10,11"),
    Theme(
        "On which axis a mask lies",
        "mask_at_heads mask_at_queries no_head_axis:08 query_axis:06,10 padded_queries:06,10 "
        "mask_at_both padding_at_targets_too two_transposed first_row_as_padding "
        "masks_of_others",
    ),
    Theme(
        "Rows that may see nothing",
        "nan_row nan_gradient finite_fill empty_sees_all zeros_behind_output empty_nan:10 "
        "empty_average gradient_nan empty_divided nan_first zero_for_empty "
        "zeros_for_one_empty other_half_for_all blind_everywhere last_mask "
        "weights_of_padding_left shift_kept nan_to_num empty_times_zero empty_mean_and_max",
    ),
    Theme("A causal mask where none is asked for", "causal:01,02,06"),
    Theme("No causal mask where one is asked for", "no_causal no_mask:08 future_seen"),
    Theme(
        "Where the diagonal of a causal mask or a window lies",
        "upper_left one_ahead not_itself window_one_more window_one_less no_offset_without_causal",
    ),
    Theme(
        "Dropout in training, and not in evaluation",
        "dropout alive no_dropout not_dropped other_rate seeded_dropout dropout_together "
        "not_each_by_itself kept_not_divided outer_mode_only",
    ),
    Theme(
        "Axes are moved with transpose, not with reshape",
        "reshaped viewed viewed_back result_reshaped",
    ),
    Theme("How the hidden axis is cut into heads", "interleaved:02,08 every_nth_row triples"),
    Theme("A sum that loses its axis", "no_keepdim"),
    Theme("Where a residual connection belongs", "residual no_residual"),
    Theme("Norm before or behind", "always_post always_pre norms_exchanged:04,06"),
    Theme("The formula of the norm", "eps_outside eps_ignored no_root:04 other_epsilon"),
    Theme("Divided by n, or by n − 1", "unbiased c_population"),
    Theme(
        "Which position a token has",
        "first_row:05,06 from_one:05,08 no_positions slot_one_later slots_for_positions "
        "calls_counted",
    ),
    Theme(
        "One too few, or one too many",
        "one_less:06,08,09 one_more:06,08,09 one_short:05 last_left_out:08,09 first_left_out "
        "limit_too_high limit_too_low rank_from_1 one_too_deep",
    ),
    Theme(
        "By what a mean is divided",
        "mean_of_means by_texts by_places padded_length divisor real_tokens sequences "
        "batch_divisor rows_summed asked_divisor mean_by_text all_queries number_of_targets "
        "chance_by_text",
    ),
    Theme("Padding is what the mask says, not the id 0", "zero_is_padding by_id:08"),
    Theme(
        "Logits, probabilities, or their logarithms",
        "softmax_first raw_logits softmaxed:08 no_softmax:08 probabilities bare_logits",
    ),
    Theme(
        "The base of a power or a logarithm",
        "base_two logarithm_to_two logarithm_to_ten other_base",
    ),
    Theme(
        "An exponential that overflows, or rounds to 0",
        "overflow clamped:01,10 global_maximum unstable one_maximum maximum_of_first "
        "starts_at_zero log_of_softmax overflow_with_epsilon first_subtracted clamped_high "
        "gelu_new_overflows maximum_of_hidden by_hand overflow_and_empty_lse",
    ),
    Theme(
        "What a log-sum-exp is",
        "lse_maximum lse_not_logarithm lse_without_maximum lse_of_total lse_product",
    ),
    Theme("Cut off from autograd", "no_gradient detached state_detached layers_detached"),
    Theme("An argument is changed", "changed_argument changed_state changed_input in_place"),
    Theme("Something is kept from call to call", "kept sorted_once"),
    Theme(
        "The result has the dtype of what came in",
        "float32 float32_zeros float32_result always_float16:04 float64_returned "
        "dtype_of_keys dtype_of_the_mask always_int64 lowest_of_float32_in_float64 "
        "lowest_through_float32 where_of_two_numbers constant_left_behind",
    ),
    Theme(
        "The layout of weights",
        "side_by_side not_transposed:02,03 names_kept transposed:06,10 not_packed "
        "joined_side_by_side maps_by_shape reshaped_for_convolution order_of_the_dictionary",
    ),
    Theme(
        "A test that rejects too much, or speaks by its result",
        "rejects_everything exact says_false float64_arguments fewer_axes mask_dtype too_long "
        "merges_as_lists",
    ),
    Theme(
        "0 is a number, not nothing",
        "zeros_hidden zero_is_hidden zero_is_empty default_rate rate_or_default "
        "speed_or_default pad_or_one id_zero own_special_tokens first_not_restored "
        "best_of_zero values_not_zero:11 truth_of_a_tensor",
    ),
    Theme(
        "Padding may stand on the left, and between tokens",
        "only_right cut_to_the_longest first_by_count last_from_first holes_counted "
        "stops_at_padding gaps_in_the_cache gaps_among_the_new from_the_first_token "
        "place_from_lengths padding_before",
    ),
    Theme(
        "Counted from the end, where −0 is the beginning",
        "rest_from_minus_zero nothing_is_everything_on_the_left last_from_the_end",
    ),
    Theme(
        "A dtype that cannot count so far",
        "counted_in_half places_in_the_dtype small_positions half_positions "
        "positions_like_keys counted_in_int8",
    ),
    Theme("How many rows a head has", "head_size_from_hidden heads_of_rotary_size"),
    Theme(
        "A test that a wrong version passes",
        "attention_unseen numbers_unseen one_bias_unseen small_numbers large_numbers "
        "sums_compared expected_after gradient_of_anything one_half_changed last_text_only "
        "one_text_full only_counted no_second_turn no_emoji errors_forgiven",
    ),
)


def of(assignment: str, mistakes: Iterable[str]) -> set[Theme]:
    """The themes of mistakes that were named, two at once among them."""
    named = {
        name
        for mistake in mistakes
        for part in mistake.split(" + ")
        for name in (part, *part.split("_and_"))  # bugs that are left together
    }
    return {theme for theme in THEMES if any(theme.has(assignment, name) for name in named)}


@cache
def exercises_with(theme: Theme) -> dict[str, set[str]]:
    """The assignments, and their exercises, in which a theme can show."""
    found: dict[str, set[str]] = {}
    for assignment, exercises in assignments().items():
        for exercise in exercises:
            if any(theme.has(assignment, mistake.id) for mistake in exercise.mistakes):
                found.setdefault(assignment, set()).add(exercise.id)
    return found


@cache
def known(assignment: str, exercise: str) -> frozenset[str]:
    """The mistakes of an exercise that have a name; a verdict may also say that errors agree."""
    if assignment not in assignments():
        return frozenset()
    return frozenset(name for of, name in mistakes_of(assignment) if of == exercise)


@cache
def section(assignment: str, exercise: str, mistake: str) -> str:
    """Where to read about a mistake, in the words of the report."""
    for each in assignments().get(assignment, []):
        if each.id == exercise:
            known = mistakes_of(assignment).get((exercise, mistake.split(" + ")[0]))
            return (known and known.section) or each.section
    return ""


# ---- The sections of the book --------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """A section: its title, the chapter's number, and its address within the book."""

    title: str
    chapter: int
    address: str


def places(section: str) -> Iterator[Place]:
    """Find the sections that a sentence such as “A” and “B” in chapter 1 names."""
    number = re.search(r"in chapter (\d+)", section)
    if number:
        known = _headings(int(number[1]))
        for title in re.findall("“(.*?)”", section):
            if title in known:
                yield Place(title, int(number[1]), known[title])


@cache
def _headings(chapter: int) -> dict[str, str]:
    """The headings of a chapter's pages, and their addresses as Sphinx makes them."""
    found: dict[str, str] = {}
    for path in sorted(CHAPTERS.glob(f"{chapter:02}_*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "markdown":
                for title in re.findall(r"^##+ (.+?) *$", cell.source, re.MULTILINE):
                    found.setdefault(title, f"chapters/{path.stem}.html#{make_id(title)}")
    return found


def commonest(sections: Counter[str], most: int = 3) -> list[Place]:
    """The sections that were named most often, each once."""
    found: dict[Place, None] = {}
    for sentence, _ in sections.most_common():
        for place in places(sentence):
            found.setdefault(place)
    return list(found)[:most]
