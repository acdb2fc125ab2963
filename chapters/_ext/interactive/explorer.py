"""The page "See it think": MiniLM's weights, and the example with which it opens.

Each number of a matrix becomes a small integer times a step of its row. What that changes is
measured by `tests/site/test_explorer.py`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sphinx.application import Sphinx

from _ext.interactive.data_scripts import equip, write, write_weights

PAGE = "chapters/explorer"
FILES = (
    "explorer/explorer.css",
    *(f"explorer/{name}.js" for name in ("about", "opening", "arithmetic", "worker", "loading")),
    *(f"explorer/{name}.js" for name in ("tokenizer", "model", "weights", "page")),
    *(f"explorer/{name}.js" for name in ("drawing", "steps", "breaks", "view")),
)
SENTENCES = (
    "time flies like an arrow",
    "fruit flies like a banana",
    "she flies to paris tomorrow",  # the control: other neighbours, the meaning of the first
)
WORD, POLES = "flies", ("flew", "insects")
NEIGHBOURS = 5
LONGEST = 48  # tokens that the page reads, [CLS] and [SEP] among them

# The steps, in standard deviations of a row: finer where rounding changes the maps more. What is
# not named here has eight bits. The vocabulary lists words by how common they are; those of COMMON
# are most of an ordinary text, and [CLS] and [SEP] stand in all.
TABLE, POSITIONS = "embeddings.word_embeddings.weight", "embeddings.position_embeddings.weight"
STEPS = {
    "query_key_value": 0.075,
    "attention.output": 0.18,
    "feed_forward.intermediate": 0.1,
    "feed_forward.output": 0.11,
}
COMMON, COMMON_STEP, RARE_STEP = range(999, 7000), 0.2, 0.5
SPECIAL = range(100, 104)  # eight bits


def ids_of_texts(vocabulary: list[str]) -> np.ndarray:
    """Return the ids that a text can have: all but those of `[unused…]`."""
    return np.array([i for i, token in enumerate(vocabulary) if not token.startswith("[unused")])


def shipped(state: dict[str, np.ndarray], vocabulary: list[str]) -> dict[str, np.ndarray]:
    """Return the weights that the page needs: words that a text can have, and few positions."""
    table, positions = state[TABLE][ids_of_texts(vocabulary)], state[POSITIONS][:LONGEST]
    return {**state, TABLE: table, POSITIONS: positions}


def quantise(name: str, matrix: np.ndarray, vocabulary: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return integers and the step of each row: ``matrix ≈ integers * steps[:, None]``."""
    share: np.ndarray | float = next((step for part, step in STEPS.items() if part in name), 0.0)
    if name == TABLE:
        ids = ids_of_texts(vocabulary)
        share = np.where(np.isin(ids, COMMON), COMMON_STEP, RARE_STEP)
        share[np.isin(ids, SPECIAL)] = 0
    steps = np.maximum(share * matrix.std(axis=1), np.abs(matrix).max(axis=1) / 127)
    steps = np.maximum(steps, 1e-12).astype("<f4")  # for a row of zeros
    return np.rint(matrix / steps[:, None]).astype(np.int8), steps


def pack(state: dict[str, np.ndarray], vocabulary: list[str]) -> tuple[dict, bytes]:
    """Return what is where, and the bytes: all integers, then all steps, then the vectors.

    Args:
        state: the weights that :func:`shipped` returns.
        vocabulary: the tokens by id.
    """
    matrices = {name: tensor for name, tensor in state.items() if tensor.ndim == 2}
    vectors = {name: tensor for name, tensor in state.items() if tensor.ndim == 1}
    found = {name: quantise(name, matrix, vocabulary) for name, matrix in matrices.items()}
    content = b"".join(integers.tobytes() for integers, _ in found.values())
    content += bytes(-len(content) % 4)  # what follows begins where a float can
    content += b"".join(steps.tobytes() for _, steps in found.values())
    content += b"".join(vector.astype("<f4").tobytes() for vector in vectors.values())
    places = {
        "matrices": [[name, *matrix.shape] for name, matrix in matrices.items()],
        "vectors": [[name, len(vector)] for name, vector in vectors.items()],
    }
    return places, content


def make(folder: Path) -> None:
    """Write the scripts of the weights, and of the opening example."""
    from solutions import load_checkpoint
    from solutions.encoder import Encoder

    checkpoint = load_checkpoint()
    vocabulary = checkpoint.tokenizer.convert_ids_to_tokens(range(checkpoint.config.vocab_size))
    encoder = Encoder.from_pretrained(checkpoint)
    state = {name: tensor.numpy() for name, tensor in encoder.state_dict().items()}
    places, content = pack(shipped(state, vocabulary), vocabulary)
    write(folder / "words.js", "WorkerModel.brought.vocabulary", "\n".join(vocabulary))
    write(folder / "opening.js", "explorerOpening", opening(encoder, checkpoint.tokenizer))
    config = {
        "layers": encoder.config.num_hidden_layers,
        "heads": encoder.config.num_attention_heads,
        "hidden": encoder.config.hidden_size,
        "inner": encoder.config.intermediate_size,
        "epsilon": encoder.config.layer_norm_eps,
    }
    about = {"config": config, "places": places}
    write_weights(folder, "explorerAbout", content, about, folder / "words.js")


def opening(encoder, tokenizer) -> dict:
    """Return what the page shows before the weights are there, computed by `solutions`."""
    import torch
    from torch.nn.functional import normalize

    def rounded(tensor):
        return [round(number, 4) for number in tensor.tolist()]

    readings, of_word = [], []
    table = normalize(encoder.embeddings.word_embeddings.weight, dim=-1)
    names = tokenizer.convert_ids_to_tokens(range(len(table)))
    hidden = [i for i, name in enumerate(names) if name.startswith("[unused") or name == WORD]
    poles = tokenizer.convert_tokens_to_ids(list(POLES))
    for sentence in SENTENCES:
        inputs = tokenizer(sentence, return_tensors="pt")
        tokens = tokenizer.convert_ids_to_tokens(inputs.input_ids[0].tolist())
        with torch.inference_mode():
            found = encoder(**inputs, output_attentions=True, output_hidden_states=True)
        states = torch.cat(found.hidden_states)[:, tokens.index(WORD)]  # [layers + 1, hidden]
        of_word.append(normalize(states, dim=-1))
        near = of_word[-1] @ table.T
        near[:, hidden] = -1
        best = near.topk(NEIGHBOURS, dim=-1)
        maps = torch.cat(found.attentions).flatten(0, 1).flatten(1)  # [layers * heads, pairs]
        readings.append(
            {
                "sentence": sentence,
                "ids": inputs.input_ids[0].tolist(),
                "tokens": tokens,
                "maps": [[round(weight, 3) for weight in each] for each in maps.tolist()],
                "nearest": [[names[i] for i in row] for row in best.indices.tolist()],
                "margins": rounded(of_word[-1] @ (table[poles[0]] - table[poles[1]])),
            }
        )
    cosines = [rounded((of_word[0] * other).sum(dim=-1)) for other in of_word[1:]]
    return {"word": WORD, "poles": POLES, "readings": readings, "cosines": cosines}


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    equip(app, PAGE, FILES, make, Path(__file__))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
