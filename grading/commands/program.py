"""What a command is, and the program that holds them: Click_, and what it leaves open.

An option may be cut short as long as one can tell which is meant, one option may exclude another,
and what looks like an option is never the value of one. Help is in families and sections.

.. _Click: https://click.palletsprojects.com
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click
from click.core import ParameterSource

Section = tuple[str, str]  # a heading, and a sentence below it or nothing
OPTIONS: Section = ("Options", "")


class Option(click.Option):
    """An option.

    Attributes:
        section: of the help in which it stands.
        excludes: the name of an option that cannot be typed together with it.
    """

    def __init__(
        self, *names: Any, section: Section = OPTIONS, excludes: str = "", **settings: Any
    ):
        super().__init__(*names, **settings)
        self.section = section
        self.excludes = excludes


def option(*names: str, **settings: Any) -> Callable[[Any], Any]:
    """Describe an :class:`Option` of a command."""
    return click.option(*names, cls=Option, **settings)


class Command(click.Command):
    """A command. Its docstring is its help, which ends with an example."""

    def __init__(self, *, example: str, ends: str = "", **settings: Any):
        super().__init__(**settings)
        sentence = " ".join((self.help or "").split())
        self.short_help = f"{sentence[:1].lower()}{sentence[1:].removesuffix('.')}"
        self.epilog = f"\b\nExample: python -m grading {example}\n\n{ends}"

    # ---- What is typed ----

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read what was typed, and refuse what cannot be meant."""
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        names = [name for each in options for name in each.opts]
        rest = super().parse_args(ctx, _in_full(ctx, args, names))
        given = {each.name: each for each in options if _was_typed(ctx, each)}
        for each in given.values():
            values = ctx.params.get(each.name)
            for value in values if isinstance(values, tuple) else (values,):
                if str(value).startswith("--"):
                    ctx.fail(f"Option '{each.opts[0]}' requires an argument.")
            other = given.get(each.excludes) if isinstance(each, Option) else None
            if other:
                ctx.fail(f"{each.opts[0]} is not allowed with {other.opts[0]}.")
        return rest

    # ---- What is run ----

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, with torch imported."""
        gc.disable()  # it finds nothing among modules, and takes a third of the time to import them
        self.begin(ctx)
        import grading.content  # noqa: F401  # and with it torch

        gc.freeze()  # nor should it look through them later
        gc.enable()
        return super().invoke(ctx)

    def begin(self, ctx: click.Context) -> None:
        """Begin what can go on while torch is imported."""

    # ---- What help shows ----

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, those of a section of their own behind the others."""
        sections: dict[Section, list[tuple[str, str]]] = {OPTIONS: []}
        for each in self.get_params(ctx):
            record = each.get_help_record(ctx)
            if record and isinstance(each, click.Option):
                section = each.section if isinstance(each, Option) else OPTIONS
                sections.setdefault(section, []).append(record)
        for (title, sentence), records in sections.items():
            with formatter.section(title):
                if sentence:
                    formatter.write_text(sentence)
                formatter.write_dl(records)


def command(
    name: str, example: str, ends: str = "", cls: type[Command] = Command
) -> Callable[[Callable[..., int]], Command]:
    """Make a command of a function that returns an exit status."""
    return click.command(name, cls=cls, example=example, ends=ends)


class Program(click.Group):
    """The program: families of commands, in the order in which one needs them."""

    def __init__(self, text: str, families: Mapping[str, Sequence[click.Command]]):
        super().__init__(
            commands=[each for family in families.values() for each in family],
            help=text,
            context_settings={"help_option_names": ["-h", "--help"]},
        )
        self._families = families

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands as they were given, not by the alphabet."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by families, their sentences below each other."""
        width = max(map(len, self.commands))
        for title, family in self._families.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(f"{each.name:{width}}", each.get_short_help_str()) for each in family]
                )


def _in_full(ctx: click.Context, words: Sequence[str], options: Sequence[str]) -> list[str]:
    """Write options in full that were cut short."""
    found: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            return [*found, word, *rest]
        name, equals, value = word.partition("=")
        if name.startswith("--") and name not in options:
            meant = [each for each in options if each.startswith(name)]
            if len(meant) > 1:
                ctx.fail(f"{name} could be {' or '.join(meant)}.")
            word = f"{meant[0]}{equals}{value}" if meant else word
        found.append(word)
    return found


def _was_typed(ctx: click.Context, parameter: click.Parameter) -> bool:
    return ctx.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE
