"""What cannot be meant gets one sentence: a page that is not there, a port in use, a letter."""

import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from _ext.exports import pdf, slides, solutions_book
from _ext.site import contents, lighthouse, serve

ROOT = Path(__file__).parents[2]
PROGRAMS = {
    module.__name__.rpartition(".")[2]: module
    for module in (lighthouse, pdf, serve, slides, solutions_book)
}


@pytest.mark.parametrize("name", ["index", "index.html", "chapters/index", "chapters/index.md"])
def test_a_page_may_be_named_as_it_lies_there_or_as_it_is_served(name):
    assert contents.page_named(name) == "chapters/index"


@pytest.mark.parametrize(
    ("script", "arguments", "sentence"),
    [
        ("lighthouse", "index.htm", "there is no page index.htm; do you mean index?"),
        ("lighthouse", "quite-another", "there is no page quite-another; _toc.yml has all of them"),
        ("lighthouse", "index --runs 0", "--runs 0: expected 1 or more."),
        ("lighthouse", "index --runs x", "argument --runs: invalid int value: 'x'"),
        ("solutions_book", "08_decode", "there is no page 08_decode; do you mean 08_decoder?"),
        ("solutions_book", "students", "the page students has no exercises."),
        ("slides", "08", "unrecognized arguments: 08"),
        ("pdf", "08", "unrecognized arguments: 08"),
        ("serve", "many", "argument port: invalid int value: 'many'"),
    ],
)
def test_a_script_says_what_it_cannot_do(script, arguments, sentence, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", [f"{script}.py", *arguments.split()])
    with pytest.raises(SystemExit):
        PROGRAMS[script].main()
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize("script", ["lighthouse", "pdf"])
def test_a_browser_that_is_not_there_is_named(script, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", [f"{script}.py"])
    monkeypatch.setenv("CHROMIUM", "/no/browser")
    with pytest.raises(SystemExit):
        PROGRAMS[script].main()
    assert "CHROMIUM names /no/browser, and there is no such program" in capsys.readouterr().err


def test_a_port_that_cannot_be_used_is_named(monkeypatch, capsys):
    monkeypatch.setattr(serve, "missing", lambda: [])
    with socket.create_server(("127.0.0.1", 0)) as other:
        for port in (other.getsockname()[1], 70_000):
            monkeypatch.setattr("sys.argv", ["serve.py", str(port)])
            assert serve.main() == 1
            assert f"Port {port} can't be used" in capsys.readouterr().out


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
@pytest.mark.parametrize("wrong", ["JOBS=0", "JOBS=", "WORKERS=all", "PORT=-1", "RUNS=2.5"])
def test_make_takes_numbers_only(wrong):
    alone = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    done = subprocess.run(
        ["make", "--dry-run", "help", wrong], cwd=ROOT, env=alone, capture_output=True, text=True
    )
    assert done.returncode
    assert f"{wrong}: expected a whole number from 1 on." in done.stderr


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize("port", ["0", "65536", "any"])
def test_a_hub_on_a_port_that_is_none_does_not_start(port):
    start = ["bash", str(ROOT / "hub" / "start")]
    done = subprocess.run(start, env={**os.environ, "PORT": port}, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == f"make hub: PORT={port}: expected a whole number from 1 to 65535.\n"
