"""``python -m grading``."""

import sys

from grading.commands import run

if __name__ == "__main__":
    sys.exit(run())
