"""The page "Watch it write": the weights of the book's own writer, and its opening example.

The weights stay as they are in `models/writer.safetensors`, in half precision. Their upper and
lower bytes are kept apart, because the upper ones repeat more and so compress better.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sphinx.application import Sphinx

from _ext.interactive.data_scripts import equip, write, write_weights

PAGE = "chapters/writer"
FILES = (
    "explorer/explorer.css",
    "writer/writer.css",
    *(f"writer/{name}.js" for name in ("about", "opening")),
    *(f"explorer/{name}.js" for name in ("arithmetic", "worker", "loading", "page", "drawing")),
    *(f"writer/{name}.js" for name in ("decoder", "weights", "choosing")),
    *(f"writer/{name}.js" for name in ("drawing", "panels", "view")),
)
OPENING = "Time flies like"


def halves(state: dict[str, np.ndarray]) -> bytes:
    """Return the upper bytes of all numbers, as numbers of 16 bits, and then the lower ones.

    Raises:
        ValueError: if a number has more than 16 bits, so that the page would not be exact.
    """
    numbers = np.concatenate([tensor.ravel() for tensor in state.values()])
    rounded = numbers.astype(">f2")
    if not np.array_equal(rounded.astype(numbers.dtype), numbers):
        raise ValueError("The writer's weights are not in half precision any more.")
    return rounded.view(np.uint8).reshape(-1, 2).T.tobytes()


def make(folder: Path) -> None:
    """Write the scripts of the weights, and of the opening example."""
    from solutions.trained import load_writer

    model, tokenizer = load_writer("eager")
    config = model.config
    state = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
    about = {
        "config": {
            "layers": config.num_hidden_layers,
            "heads": config.num_attention_heads,
            "hidden": config.hidden_size,
            "inner": config.intermediate_size,
            "vocabulary": config.vocab_size,
            "positions": config.max_position_embeddings,
            "epsilon": config.layer_norm_eps,
            "theta": config.rope_theta,
        },
        "characters": tokenizer.characters,
        "places": [[name, tensor.size] for name, tensor in state.items()],
    }
    write(folder / "opening.js", "writerOpening", opening(model, tokenizer))
    write_weights(folder, "writerAbout", halves(state), about)


def opening(model, tokenizer) -> dict:
    """Return what the page shows before the weights are there: for each position of a text, the
    logits of what comes next, and the attention weights ``[layer, head, position + 1]``."""
    import torch

    with torch.inference_mode():
        found = model(tokenizer.encode(OPENING), output_attentions=True)
    maps = torch.cat(found.attentions)  # [layer, head, query, key]
    rows = [
        {
            "logits": [round(number, 4) for number in logits.tolist()],
            "weights": [round(w, 3) for w in maps[:, :, t, : t + 1].flatten().tolist()],
        }
        for t, logits in enumerate(found.logits[0])
    ]
    return {"text": OPENING, "rows": rows}


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    weights = Path(__file__).parents[3] / "models" / "writer.safetensors"
    equip(app, PAGE, FILES, make, Path(__file__), weights)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
