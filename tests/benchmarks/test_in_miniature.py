"""What only sometimes runs, run each time: all scripts that train, judge and measure, in miniature.

Each gets arguments that make it small, which a reader could give, too, and none may touch what
ships. They share a process, since each alone would import PyTorch first.
"""

import csv
import hashlib
import importlib
import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from benchmarks import modern_parts
from models import fine_tuning

ROOT = Path(__file__).parents[2]
MODULES = sorted(
    f"{path.parent.name}.{path.stem}"
    for folder in ("benchmarks", "models")
    for path in (ROOT / folder).glob("*.py")
    if path.stem != "__init__"
)
LAST_LINES = 'if __name__ == "__main__":\n    main()\n'
HEADLINES = "title,category\n" + "".join(
    f"{words} {number} today,{'fruit' if number % 2 else 'time'}\n"
    for number, words in enumerate(("flies", "an arrow", "a banana", "like") * 10)
)


@dataclass(frozen=True)
class Miniature:
    """A small run of a script.

    Attributes:
        arguments: those of the command line; it runs in an empty folder.
        says: a pattern in what it prints.
        rows: how many the tables that it writes have.
        files: others that it writes.
    """

    arguments: str
    says: str
    rows: dict[str, int] = field(default_factory=dict)
    files: tuple[str, ...] = ()


MINIATURES = [
    ("benchmarks.ag_news", Miniature("headlines.csv --seeds 0 --epochs 1", "mean")),
    (
        "benchmarks.grade_class",
        Miniature(
            "--submissions 2 --stock 1 --repeats 1 --classes 2 --others 09_tokenizers",
            r"(?s)stock nbgrader.*Classes of assignment 1.*09_tokenizers",
        ),
    ),
    (
        "benchmarks.models",
        Miniature("--small --drawing drawn.svg", "Memory that attention", files=("drawn.svg",)),
    ),
    (
        "benchmarks.modern_parts",
        Miniature("--small --results a.csv", "AdamW for Muon", {"a.csv": len(modern_parts.RUNS)}),
    ),
    (
        "benchmarks.modern_parts",
        Miniature(
            "--small --later --results b.csv", "experts", {"b.csv": len(modern_parts.LATER_RUNS)}
        ),
    ),
    (
        "models.fine_tuning",
        Miniature(
            "--small --folder .",
            "'task': 'order', 'method': 'full', 'texts': 16",
            {"fine_tuning.csv": len(fine_tuning.METHODS) * len(fine_tuning.TASKS)},
            ("order_lora.safetensors", "libraries_lora.safetensors"),
        ),
    ),
    ("models.judge", Miniature("--small", "translator, 4 beams: BLEU")),
    *(
        (
            f"models.train_{name}",
            Miniature(
                "--small --steps 3 --folder .",
                '"step": 3, "train_loss": ',
                files=(f"{name}.safetensors", "SHA256SUMS"),
            ),
        )
        for name in ("masked_head", "translator", "writer")
    ),
]


def source_of(module):
    return (ROOT / f"{module.replace('.', '/')}.py").read_text("utf-8")


def what_ships():
    """The digest of each file in `models`."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (ROOT / "models").iterdir()
        if path.is_file()
    }


def test_every_script_has_a_miniature_and_every_other_module_is_used_by_a_script():
    starts = {name for name in MODULES if source_of(name).endswith(LAST_LINES)}
    assert starts == {name for name, _ in MINIATURES}
    for other in set(MODULES) - starts:
        assert any(f"from {other} import" in source_of(script) for script in starts), other


@pytest.mark.parametrize(
    ("module", "miniature"), MINIATURES, ids=lambda value: getattr(value, "arguments", value)
)
def test_a_script_runs_in_miniature_and_touches_nothing_that_ships(
    module, miniature, tmp_path, monkeypatch, capsys
):
    if module == "models.judge":
        pytest.importorskip("sacrebleu", reason="requirements-models.txt is not installed")
    (tmp_path / "headlines.csv").write_text(HEADLINES)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [module, *miniature.arguments.split()])
    before = what_ships()
    importlib.import_module(module).main()
    assert re.search(miniature.says, capsys.readouterr().out)
    assert what_ships() == before
    for name, rows in miniature.rows.items():
        with open(name) as file:
            assert len(list(csv.DictReader(file))) == rows
    assert [name for name in miniature.files if not Path(name).stat().st_size] == []
