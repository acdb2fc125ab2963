"""Start the kernel that a submission runs in."""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_client import KernelManager


@dataclass
class StartedKernel:
    """A running kernel with its manager, its client and the scratch folder it works in."""

    manager: Any
    client: Any
    folder: str

    def close(self) -> None:
        """End the kernel at once and remove its folder; may be called again."""
        self.client.stop_channels()
        if self.manager.has_kernel:
            self.manager.shutdown_kernel(now=True)
        shutil.rmtree(self.folder, ignore_errors=True)


def start_kernel(files: list[Path]) -> StartedKernel:
    """Start a Python kernel in a fresh folder that holds copies of ``files``."""
    folder = tempfile.mkdtemp(prefix="submission-")
    for file in files:
        shutil.copy(file, folder)
    manager = KernelManager(kernel_name="python3")
    environment = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    manager.start_kernel(cwd=folder, env={**environment, "HOME": folder, "OMP_NUM_THREADS": "1"})
    client = manager.blocking_client()
    client.start_channels()
    client.wait_for_ready(timeout=60)
    return StartedKernel(manager, client, folder)
