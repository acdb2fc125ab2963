"""Draw the rooms of the project, and who uses whom, into CONTRIBUTING.md: `make rooms`.

A room is a package, or, where a package consists of packages, one of these; single modules beside
them are left out. The arrows are the imports; one that follows from others is left out, too.
"""

from __future__ import annotations

import re
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
# Each package, and where it is.
PACKAGES = {
    "solutions": "solutions",
    "models": "models",
    "grading": "grading",
    "_ext": "chapters/_ext",
}
PICTURE = re.compile(r"```mermaid\n.*?```\n", re.DOTALL)


def imports() -> grimp.ImportGraph:
    """Return all imports between modules of the project."""
    sys.path[:0] = [str(ROOT), str(ROOT / "chapters")]
    try:
        return grimp.build_graph(*PACKAGES, cache_dir=None)
    finally:
        del sys.path[:2]


def rooms_of(graph: grimp.ImportGraph) -> list[str]:
    """Return the names of the rooms."""
    rooms = []
    for package in PACKAGES:
        inner = [child for child in graph.find_children(package) if graph.find_children(child)]
        rooms += sorted(inner) or [package]
    return rooms


def arrows_between(rooms: list[str], graph: grimp.ImportGraph) -> dict[str, set[str]]:
    """Return for each room those that it uses.

    Raises:
        CycleError: if some rooms use each other, in a circle.
    """
    room_of = {module: room for room in rooms for module in {room, *graph.find_descendants(room)}}
    used: dict[str, set[str]] = {room: set() for room in rooms}
    for module, room in room_of.items():
        for other in graph.find_modules_directly_imported_by(module):
            if room_of.get(other, room) != room:
                used[room].add(room_of[other])

    reached: dict[str, set[str]] = {}
    for room in TopologicalSorter(used).static_order():  # a room after those that it uses
        reached[room] = used[room].union(*(reached[each] for each in used[room]))
    return {room: used[room].difference(*(reached[each] for each in used[room])) for room in rooms}


def picture() -> str:
    """Return the drawing as Mermaid in Markdown, which code hosts show."""
    graph = imports()
    rooms = rooms_of(graph)
    lines = ["```mermaid", "flowchart TD"]
    for package, folder in PACKAGES.items():
        inner = [room for room in rooms if room.startswith(f"{package}.")]
        if inner:
            lines.append(f'  subgraph {package}["{folder}"]')
            lines += [f"    {room}[{room.removeprefix(f'{package}.')}]" for room in inner]
            lines.append("  end")
        else:
            lines.append(f"  {package}[{folder}]")
    for room, used in arrows_between(rooms, graph).items():
        lines += [f"  {room} --> {each}" for each in sorted(used)]
    return "\n".join([*lines, "```", ""])


if __name__ == "__main__":
    text = CONTRIBUTING.read_text(encoding="utf-8")
    CONTRIBUTING.write_text(PICTURE.sub(lambda _: picture(), text, count=1), encoding="utf-8")
