"""The report: a verdict as a person reads it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Any

from grading.check.verdict import CaseVerdict, Verdict


class Report:
    """A verdict as a person reads it, in a notebook (HTML) and in a terminal (text)."""

    def __init__(self, verdict: Verdict):
        self.verdict = verdict

    def _headline(self) -> str:
        verdict = self.verdict
        mark = {"correct": "✓", "partly": "◐", "not attempted": "…"}.get(verdict.status, "✗")
        points = f"{verdict.points:g} of {verdict.max_points:g} points"
        return f"{mark} {verdict.exercise}: {verdict.summary} ({points})"

    def _explanations(self) -> list[str]:
        return self.verdict.explanations

    def _advice(self) -> Iterator[str]:
        verdict = self.verdict
        if verdict.section and verdict.status not in ("correct", "not attempted"):
            yield f"Read again: {verdict.section}."
        if verdict.note:
            yield verdict.note

    def _cases(self) -> list[CaseVerdict]:
        return [] if self.verdict.status == "not attempted" else self.verdict.cases

    def __str__(self) -> str:
        """The report as text: a line for each case, then what the first failing one was given."""
        rows = [("", "case", "expected", "came back")]
        for case in self._cases():
            mark = "✗" if case.problem else "✓"
            rows.append((mark, case.title, case.expected, case.problem or "right"))
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        lines = [self._headline(), *(f"  {text}" for text in self._explanations())]
        for row in rows if len(rows) > 1 else ():
            cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
            lines.append("  " + "  ".join([*cells, row[3]]))
        failed = next((case for case in self._cases() if case.problem), None)
        if failed is not None and failed.inputs:
            lines.append(f"  “{failed.title}” was called with {failed.inputs}.")
        return "\n".join([*lines, *(f"  {text}" for text in self._advice())])

    def _repr_html_(self) -> str:
        escape = html.escape
        rows = "".join(
            "<tr>"
            f"<td style='text-align:left'>{'✗' if case.problem else '✓'} {escape(case.title)}</td>"
            f"<td style='text-align:left'>{escape(case.inputs)}</td>"
            f"<td style='text-align:left'>{escape(case.expected)}</td>"
            f"<td style='text-align:left'>{escape(case.problem or 'right')}</td></tr>"
            for case in self._cases()
        )
        head = "".join(
            f"<th style='text-align:left'>{title}</th>"
            for title in ("case", "called with", "expected", "came back")
        )
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        above = [f"<strong>{escape(self._headline())}</strong>"]
        above += [_code_to_html(escape(text)) for text in self._explanations()]
        below = [_code_to_html(escape(text)) for text in self._advice()]
        parts = [*map("<p>{}</p>".format, above), table if rows else ""]
        return f"<div>{''.join([*parts, *map('<p>{}</p>'.format, below)])}</div>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": self._repr_html_()}


def _code_to_html(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
