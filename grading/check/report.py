"""The report: a verdict as a person reads it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

from grading.check.record import CaseVerdict, Verdict

# A long word may be broken, so that the last column is not pushed out of sight; a short one is not.
_CELL = "text-align:left;padding:0.2em 1em 0.2em 0;overflow-wrap:anywhere;min-width:6em"


class Report:
    """A verdict as a person reads it, in a notebook (HTML) and in a terminal (text)."""

    def __init__(self, verdict: Verdict, public: bool = False):
        self.verdict = verdict
        self._public = public  # its cases can be asked for

    def _headline(self) -> str:
        verdict = self.verdict
        mark = {"correct": "✓", "partly": "◐", "not attempted": "…"}.get(verdict.status, "✗")
        points = f"{verdict.points:g} of {verdict.max_points:g} points"
        return f"{mark} {verdict.exercise}: {verdict.summary} ({points})"

    def _explanations(self) -> list[str]:
        return self.verdict.explanations

    def _told(self) -> list[tuple[CaseVerdict, str]]:
        """The cases, each with what to say of it; a long sentence is said once."""
        first: dict[str, str] = {}
        told = []
        for case in self._cases():
            problem = case.problem or "right"
            before = first.setdefault(problem, case.title)
            again = before is not case.title and len(problem) > 60
            told.append((case, f"The same as for “{before}”." if again else problem))
        return told

    def _stopped(self) -> tuple[str, list[str]]:
        """Of the first case that ended in an error: its title, and the lines it came through."""
        case = next((case for case in self._cases() if case.where), None)
        if case is None:
            return "", []
        lines = [f"line {number}, in {name or '…'}:  {text}" for number, name, text in case.where]
        return f"“{case.title}” stopped in your code:", lines

    def _advice(self) -> Iterator[str]:
        verdict = self.verdict
        failed = [n for n, case in enumerate(self._cases(), start=1) if case.problem]
        if self._public and failed and verdict.cases[failed[0] - 1].inputs:
            yield f'`check.case("{verdict.exercise}", {failed[0]})` gives you its arguments.'
        if verdict.section and verdict.status not in ("correct", "not attempted"):
            yield f"Read again: {verdict.section}."
        if verdict.note:
            yield verdict.note

    def _cases(self) -> list[CaseVerdict]:
        return [] if self.verdict.status == "not attempted" else self.verdict.cases

    def __str__(self) -> str:
        """The report as text: a line for each case, then what the first failing one was given."""
        rows = [("", "case", "expected", "came back")]
        for case, said in self._told():
            mark = "✗" if case.problem else "✓"
            rows.append((mark, case.title, case.expected, said))
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        lines = [self._headline(), *(f"  {text}" for text in self._explanations())]
        for row in rows if len(rows) > 1 else ():
            cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
            lines.append("  " + "  ".join([*cells, row[3]]))
        failed = next((case for case in self._cases() if case.problem), None)
        if failed is not None and failed.inputs:
            was = "was" if failed.inputs.startswith("made with ") else "was called with"
            lines.append(f"  “{failed.title}” {was} {failed.inputs}.")
        title, stopped = self._stopped()
        lines += [f"  {title}", *(f"    {line}" for line in stopped)] if stopped else []
        return "\n".join([*lines, *(f"  {text}" for text in self._advice())])

    def _repr_html_(self) -> str:
        escape = html.escape
        rows = ""
        for case, said in self._told():
            mark = "✗" if case.problem else "✓"
            cells = (f"{mark} {case.title}", case.inputs, case.expected, said)
            row = (f"<td style='{_CELL}'>{_code_to_html(escape(text))}</td>" for text in cells)
            rows += f"<tr>{''.join(row)}</tr>"
        head = "".join(
            f"<th style='{_CELL}'>{title}</th>"
            for title in ("case", "called with", "expected", "came back")
        )
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        above = [f"<strong>{escape(self._headline())}</strong>"]
        above += [_code_to_html(escape(text)) for text in self._explanations()]
        below = [_code_to_html(escape(text)) for text in self._advice()]
        parts = [*map("<p>{}</p>".format, above), table if rows else ""]
        title, stopped = self._stopped()
        if stopped:
            parts.append(f"<p>{escape(title)}</p><pre>{escape(chr(10).join(stopped))}</pre>")
        return f"<div>{''.join([*parts, *map('<p>{}</p>'.format, below)])}</div>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": self._repr_html_()}


def _code_to_html(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
