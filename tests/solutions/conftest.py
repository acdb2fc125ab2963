"""What every test of the reference implementations stands on.

The signatures in `solutions` carry shapes; here they are checked at every call. A run of pytest may
have switched that on already (`--jaxtyping-packages=solutions,beartype.beartype`); otherwise it is
switched on here, before `solutions` is first imported.
"""

import socket
import sys

import pytest
import torch

if "solutions" not in sys.modules:
    from jaxtyping import install_import_hook

    install_import_hook("solutions", "beartype.beartype")

from jaxtyping import config as jaxtyping_config

TOLERANCE = {"rtol": 1e-5, "atol": 1e-5}


@pytest.fixture(autouse=True)
def same_numbers_every_time():
    torch.manual_seed(0)


DEVICES = ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]


@pytest.fixture(params=DEVICES)
def device(request):
    return torch.device(request.param)


@pytest.fixture
def close():
    """Assert agreement to 1e-5, the course's promise, without regard to memory layout."""

    def assert_close(found, expected, **tolerance):
        torch.testing.assert_close(found, expected, **(TOLERANCE | tolerance))

    return assert_close


@pytest.fixture(scope="session")
def with_drawn_weights():
    """Draw every parameter so that none of them can be left out without being missed.

    Gains lie around 1, biases are not zero, and matrices are large enough that scores spread and
    every token's result depends on the others. The module comes back in evaluation mode.
    """

    def draw(module, size=1.0):
        for name, parameter in module.named_parameters():
            parent = module.get_submodule(name.rpartition(".")[0])
            if "Norm" in type(parent).__name__ and name.endswith("weight"):
                torch.nn.init.normal_(parameter, mean=1.0, std=0.3)
            elif parameter.dim() == 1:
                torch.nn.init.normal_(parameter, std=0.3)
            else:
                scale = 1.0 if "Embedding" in type(parent).__name__ else parameter.size(-1) ** -0.5
                torch.nn.init.normal_(parameter, std=size * scale)
        return module.eval()

    return draw


@pytest.fixture
def as_a_reader_runs_it():
    """Switch the checks of the signatures off, as they are off in a chapter."""
    jaxtyping_config.update("jaxtyping_disable", True)
    yield
    jaxtyping_config.update("jaxtyping_disable", False)


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("a connection was attempted")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture(scope="session")
def minilm():
    """The bundled checkpoint, its configuration and its tokenizer."""
    from solutions import load_checkpoint

    return load_checkpoint()


@pytest.fixture(scope="session")
def minilm_model(minilm):
    """MiniLM as Hugging Face's own class computes it."""
    return minilm.load_model()
