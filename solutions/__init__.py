"""The reference implementations, written to be read.

What a chapter is about stands in the module of its name, ``simple_attention`` to ``decoder``, with
``generation`` and ``training`` beside them; what today's models add is in ``experts``,
``online_softmax`` and ``quantization``, and in the fields of ``config``. What several of them need
has a module too: ``config``, ``masks``, ``embeddings``, ``layers``, ``cache``, ``weights`` (to and
from other libraries), ``metrics``, ``checkpoint`` and ``corpus``.

Everything here is plain PyTorch and imports nothing else of the project. Chapters and exercises
import from here, the grader compares with it, the tests hold it against PyTorch and Hugging Face.
What a student receives never imports this package.
"""

from solutions.checkpoint import Checkpoint, load_checkpoint
from solutions.config import TransformerConfig

__all__ = ["Checkpoint", "TransformerConfig", "load_checkpoint"]
