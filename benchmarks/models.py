"""How fast the course's models are, each figure beside the obvious alternative in the same run.

``make bench`` prints four tables and draws three: the encoder with MiniLM's weights against Hugging
Face's, generation with and without a key-value cache, the writer against Hugging Face's Llama with
its weights, and the memory of attention with and without fusion. Alternatives take turns, round by
round, and ratios are medians over the rounds, so that a machine that is busy for a second does not
decide. With ``--small`` everything is done once and short, to see that all runs: such times mean
nothing.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import resource
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib
import torch
import torch.nn.functional as F
from rich.console import Console
from rich.table import Table
from transformers import LlamaConfig, LlamaForCausalLM

from solutions import TransformerConfig, load_checkpoint
from solutions.decoder import LanguageModel
from solutions.encoder import Encoder
from solutions.generation import generate
from solutions.simple_attention import scaled_dot_product_attention
from solutions.trained import load_writer
from solutions.weights import language_model_to_llama

console = Console(highlight=False)


def take_turns(
    candidates: dict[str, Callable[[], object]], rounds: int
) -> dict[str, tuple[float, float]]:
    """Time functions in turn; return for each the median seconds, and the ratio to the first's."""
    seconds: dict[str, list[float]] = {name: [] for name in candidates}
    for function in candidates.values():  # the first call of each is not counted
        function()
    for _ in range(rounds):
        for name, function in candidates.items():
            start = time.perf_counter()
            function()
            seconds[name].append(time.perf_counter() - start)
    first = next(iter(seconds.values()))
    return {
        name: (
            statistics.median(own),
            statistics.median(a / b for a, b in zip(own, first, strict=True)),
        )
        for name, own in seconds.items()
    }


# ---- The encoder -------------------------------------------------------------------------------

HUGGING_FACE = "Hugging Face, sdpa"
SHAPES = {(1, 16): 40, (16, 128): 15}  # [batch, tokens]: rounds


def encoders(
    shapes: dict[tuple[int, int], int] = SHAPES,
) -> dict[tuple[int, int], dict[str, tuple[float, float]]]:
    """Time MiniLM's forward pass: theirs sdpa, theirs eager, ours sdpa, ours as taught."""
    checkpoint = load_checkpoint()
    models = {
        HUGGING_FACE: checkpoint.load_model(attn_implementation="sdpa"),
        "Hugging Face, eager": checkpoint.load_model(),
        "ours, sdpa": Encoder.from_pretrained(checkpoint, attn_implementation="sdpa"),
        "ours, as taught": Encoder.from_pretrained(checkpoint),
    }
    found = {}
    for (batch, tokens), rounds in shapes.items():
        ids = torch.randint(1000, 20000, (batch, tokens))
        mask = torch.ones_like(ids)
        for row in range(1, batch):  # sentences of different lengths, as real ones are
            mask[row, tokens - 5 * row :] = 0

        def run(model, ids=ids, mask=mask):
            with torch.inference_mode():
                return model(input_ids=ids, attention_mask=mask)

        found[batch, tokens] = take_turns(
            {name: lambda model=model: run(model) for name, model in models.items()}, rounds
        )
    return found


# ---- Generation --------------------------------------------------------------------------------

CACHED, UNCACHED = "with a cache", "without"
NEW_TOKENS = (32, 64, 128, 256, 512)


def generations(
    counts: Sequence[int] = NEW_TOKENS, rounds: int = 3
) -> dict[int, dict[str, tuple[float, float]]]:
    """Time greedy generation, from a prompt of 8 tokens, by a decoder with drawn weights."""
    config = TransformerConfig(
        vocab_size=500,
        hidden_size=256,
        num_hidden_layers=4,
        num_attention_heads=8,
        intermediate_size=1024,
        hidden_act="gelu_new",
        max_position_embeddings=1024,
        pre_norm=True,
        attn_implementation="sdpa",
    )
    model = LanguageModel(config).eval()
    prompt = torch.randint(0, config.vocab_size, (1, 8))
    if not torch.equal(*(generate(model, prompt, 32, use_cache=c) for c in (True, False))):
        raise AssertionError("The cache changed a token; the times would compare two results.")
    found = {}
    for count in counts:

        def write(use_cache: bool, count=count):
            return generate(model, prompt, count, use_cache=use_cache)

        candidates = {CACHED: lambda: write(True), UNCACHED: lambda: write(False)}
        found[count] = take_turns(candidates, rounds)
    return found


# ---- The writer --------------------------------------------------------------------------------

LLAMA = "Hugging Face's Llama"
WRITTEN = 256  # characters


def writers(written: int = WRITTEN, rounds: int = 5) -> dict[str, tuple[float, float]]:
    """Time the shipped writer's greedy text, and the same text by a Llama with its weights."""
    model, tokenizer = load_writer()
    llama = as_llama(model)
    prompt = tokenizer.encode("ROMEO:\n")

    def theirs():
        return llama.generate(prompt, max_new_tokens=written, do_sample=False)

    candidates = {
        LLAMA: theirs,
        "ours": lambda: generate(model, prompt, written),
        "ours, without a cache": lambda: generate(model, prompt, written, use_cache=False),
    }
    texts = [function() for function in candidates.values()]
    if not all(torch.equal(text, texts[0]) for text in texts):
        raise AssertionError("Two of the writers wrote different texts; their times mean nothing.")
    return take_turns(candidates, rounds)


def as_llama(model: LanguageModel) -> LlamaForCausalLM:
    """The writer as Hugging Face computes it; the logits are compared first."""
    config = LlamaConfig(
        vocab_size=model.config.vocab_size,
        hidden_size=model.config.hidden_size,
        intermediate_size=model.config.intermediate_size,
        num_hidden_layers=model.config.num_hidden_layers,
        num_attention_heads=model.config.num_attention_heads,
        max_position_embeddings=model.config.max_position_embeddings,
        rms_norm_eps=model.config.layer_norm_eps,
        attention_bias=True,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=None,
        attn_implementation="sdpa",
    )
    llama = LlamaForCausalLM(config).eval()
    llama.load_state_dict(language_model_to_llama(model.state_dict()))
    ids = torch.randint(0, config.vocab_size, (2, 200))
    with torch.no_grad():
        torch.testing.assert_close(model(ids).logits, llama(ids).logits, rtol=1e-4, atol=1e-4)
    return llama


# ---- Memory ------------------------------------------------------------------------------------

PLAIN, FUSED = "as taught", "fused"
LENGTHS = (512, 1024, 2048, 4096)


def memories(lengths: Sequence[int] = LENGTHS) -> dict[int, dict[str, float]]:
    """Measure how many MB the process grows by when attention runs on 4 heads of size 64."""
    context = multiprocessing.get_context("spawn")  # a fresh process: peaks only ever rise
    found: dict[int, dict[str, float]] = {}
    for length in lengths:
        for name in (PLAIN, FUSED):
            with context.Pool(1) as pool:
                found.setdefault(length, {})[name] = pool.apply(_growth, (name, length))
    return found


def _growth(name: str, length: int) -> float:
    torch.set_num_threads(1)
    attend = {
        PLAIN: scaled_dot_product_attention,
        FUSED: F.scaled_dot_product_attention,
    }[name]
    with torch.inference_mode():
        attend(*torch.randn(3, 1, 4, 16, 64))  # what is loaded and kept at the first call
        query, key, value = torch.randn(3, 1, 4, length, 64)
        before = _peak_mb()
        attend(query, key, value)
        return _peak_mb() - before


def _peak_mb() -> float:
    if sys.platform == "linux":  # getrusage would count the process that this one was forked from
        return int(re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[1]) / 1e3
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6  # macOS counts bytes


# ---- What is printed and drawn -----------------------------------------------------------------


def print_tables(encoder, generation, memory, writing, written: int) -> None:
    """Print the four tables."""
    table = Table("model", "batch × tokens", "ms", f"ratio to {HUGGING_FACE}")
    for (batch, tokens), rows in encoder.items():
        for name, (seconds, ratio) in rows.items():
            table.add_row(name, f"{batch} × {tokens}", f"{1000 * seconds:.1f}", f"{ratio:.2f}")
    console.print(f"\nEncoder, MiniLM's weights, {torch.get_num_threads()} threads", table)

    table = Table("new tokens", "ms with a cache", "ms without", "times slower without")
    for count, rows in generation.items():
        (cached, _), (uncached, ratio) = rows[CACHED], rows[UNCACHED]
        table.add_row(str(count), f"{1000 * cached:.0f}", f"{1000 * uncached:.0f}", f"{ratio:.1f}")
    console.print("\nGreedy generation, 4 layers of hidden size 256", table)

    table = Table("writer", "characters a second", f"times as fast as {LLAMA}")
    for name, (seconds, ratio) in writing.items():
        table.add_row(name, f"{written / seconds:.0f}", f"{1 / ratio:.2f}")
    console.print(f"\n{written} characters by the writer, greedy, the same text from all", table)

    table = Table("tokens", "MB as taught", "MB fused", "MB of the scores alone")
    for length, grown in memory.items():
        scores = 4 * length * length * 4 / 1e6
        table.add_row(str(length), f"{grown[PLAIN]:.0f}", f"{grown[FUSED]:.0f}", f"{scores:.0f}")
    console.print("\nMemory that attention adds, 4 heads of size 64, one sequence", table)


def draw(encoder, generation, memory, file: Path) -> None:
    """Draw three of the tables side by side."""
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(15, 4.5), layout="constrained")
    names = list(next(iter(encoder.values())))
    for place, ((batch, tokens), rows) in enumerate(encoder.items()):
        offsets = [i + 0.4 * place for i in range(len(names))]
        ratios = [rows[name][1] for name in names]
        bars = left.bar(offsets, ratios, 0.38, label=f"{batch} × {tokens}", hatch=("//", "")[place])
        left.bar_label(bars, fmt="%.2f")
    left.set_xticks([i + 0.2 for i in range(len(names))], [n.replace(", ", "\n") for n in names])
    left.set(title="Encoder: time, as a ratio", ylabel=f"1 = {HUGGING_FACE}")
    left.legend(title="batch × tokens")

    for name, style in ((CACHED, "o-"), (UNCACHED, "s--")):
        seconds = [rows[name][0] for rows in generation.values()]
        middle.plot(list(generation), seconds, style, label=name)
    middle.set(title="Generation", xlabel="new tokens", ylabel="seconds")
    middle.legend()

    for name, style in ((FUSED, "o-"), (PLAIN, "s--")):
        right.plot(list(memory), [grown[name] for grown in memory.values()], style, label=name)
    right.set(title="Memory of attention", xlabel="tokens", ylabel="MB")
    right.legend()
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file)
    console.print(f"\nDrawn: {file}")


def main() -> None:
    """Measure, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--drawing", type=Path, default=Path("_build/bench/models.svg"))
    parser.add_argument("--small", action="store_true", help="once and short, to see that all runs")
    options = parser.parse_args()
    if options.drawing.suffix.lower() not in (
        ".pdf",
        ".png",
        ".svg",
    ):  # said now, not after minutes
        parser.error(f"the drawing is a .svg, .png or .pdf file, not {options.drawing}.")
    torch.manual_seed(0)
    written = 8 if options.small else WRITTEN
    if options.small:
        measured = encoders({(2, 16): 1}), generations([8], 1), memories([64])
        writing = writers(written, 1)
    else:
        measured, writing = (encoders(), generations(), memories()), writers()
    print_tables(*measured, writing, written)
    draw(*measured, options.drawing)


if __name__ == "__main__":
    main()
