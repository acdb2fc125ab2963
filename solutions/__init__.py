"""The reference implementations: one module per chapter, written to be read.

Everything here is plain PyTorch and imports nothing else of the project. Chapters and exercises
import from here, the grader compares with it, the tests hold it against PyTorch and Hugging Face.
What a student receives never imports this package.
"""

from solutions.checkpoint import Checkpoint, load_checkpoint
from solutions.config import TransformerConfig

__all__ = ["Checkpoint", "TransformerConfig", "load_checkpoint"]
