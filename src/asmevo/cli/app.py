"""The Typer application: every command also takes `-q` and `-v`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, get_type_hints

import typer
from typer.models import OptionInfo

from asmevo.cli import config
from asmevo.cli.output import NORMAL, QUIET, VERBOSE, Verbosity, note

_Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="no progress and no remarks on stderr")]
_Verbose = Annotated[
    bool,
    typer.Option("--verbose", "-v", help="progress every second, tracebacks of internal errors"),
]


def _with_verbosity(function: Callable[..., Any]) -> Callable[..., Any]:
    """The command with two more options, which Typer reads from signature and annotations."""

    @functools.wraps(function)
    def command(*arguments: Any, quiet: bool, verbose: bool, **options: Any) -> Any:
        Verbosity.level = QUIET if quiet else VERBOSE if verbose else NORMAL
        used = config.path()
        if used is not None:
            note(f"defaults are taken from {used}")
        return function(*arguments, **options)

    own = inspect.signature(function)
    hints = get_type_hints(function, include_extras=True)
    for option in (
        m for h in (*hints.values(), _Quiet, _Verbose) for m in getattr(h, "__metadata__", ())
    ):
        if isinstance(option, OptionInfo):
            option.show_envvar = False  # every option has one, see `cli.config`
            option.allow_from_autoenv = "--force" not in (option.param_decls or ())
    known = [p.replace(annotation=hints[p.name]) for p in own.parameters.values()]
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=kind)
        for name, kind in (("quiet", _Quiet), ("verbose", _Verbose))
    ]
    command.__dict__["__signature__"] = own.replace(parameters=[*known, *added])
    command.__annotations__ = {
        **hints,
        **{p.name: p.annotation for p in added},
    }
    return command


class App(typer.Typer):
    """A Typer application whose commands all have the options of `_with_verbosity`."""

    def command(
        self, name: str | None = None, **options: Any
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """See `typer.Typer.command`."""
        register = super().command(name, **options)

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            register(_with_verbosity(function))
            return function

        return decorate
