"""The `asmevo` command: wiring and exit codes; every command lives in a module of its own.

Exit codes: 0 yes; 1 a well-founded no; 2 usage or input; 3 unsupported; 4 environment; 70 a fault
of this program; 130 interrupted (also by SIGTERM).
"""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import typer

from asmevo import __version__
from asmevo.cli import config
from asmevo.cli.app import App
from asmevo.cli.commands import (
    audit,
    bench,
    check,
    corpus,
    demo,
    doctor,
    launch,
    optimize,
    profile,
    run,
    runs,
    schema,
    templates,
    verify,
)
from asmevo.cli.commands.agents import adapter, asking, mcp, skill
from asmevo.cli.commands.compare import diff
from asmevo.cli.commands.objects import (
    asm,
    disasm,
    extract,
    find,
    inspect,
    roundtrip,
)
from asmevo.cli.commands.programs import capture, exec
from asmevo.cli.output import (
    NORMAL,
    VERBOSE,
    Emitted,
    Verbosity,
    has_said_its_result,
    printable,
)
from asmevo.cli.start import INTERRUPTED, error_text, json_wanted
from asmevo.errors import AsmEvoError, EnvironmentFault, InputError

# Typer carries its own copy of click from some version on; its public exception leads to the
# classes that this Typer raises, whichever copy that is.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]
_ClickException: type[Exception] = typer.BadParameter.__mro__[2]

DEBUG = "ASMEVO_DEBUG"
INTERNAL = 70

app = App(
    name="asmevo",
    help="Optimize compiled AMD GPU kernels, with evidence that they still behave the same. "
    "Start with `asmevo demo`, then `asmevo inspect K.hsaco` and `asmevo optimize --help`.",
    epilog="Exit codes: 0 yes; 1 a well-founded no; 2 usage or input; 3 unsupported object, "
    "instruction or target; 4 environment; 70 a fault of AsmEvo itself; 130 interrupted.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "auto_envvar_prefix": config.PREFIX,
    },
)
for module in (
    *(demo, optimize, verify, audit, check, diff, run, exec, capture, bench, profile),
    *(inspect, find, extract, disasm, asm, roundtrip, templates, schema, doctor),
):
    module.register(app)
for module in (asking, mcp, adapter):
    module.register(app)
app.add_typer(corpus.app, name="corpus")
app.add_typer(launch.app, name="launch")
app.add_typer(skill.app, name="skill")
app.add_typer(runs.app, name="runs")


def _settings() -> dict[str, Any] | None:
    """Defaults from the settings file; the commands are only looked at where there is one."""
    if config.path() is None:
        return None
    return config.defaults(dict(_options(typer.main.get_command(app), "")))


def _options(command: Any, name: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Every command below `command` with its options: long name -> parameter."""
    below: Mapping[str, Any] | None = getattr(command, "commands", None)
    for word, inner in (below or {}).items():
        yield from _options(inner, f"{name} {word}".strip())
    if below is None:
        yield name, {o.removeprefix("--"): p.name for p in command.params for o in p.opts}


def _version(value: bool) -> None:
    if value:
        sys.stdout.write(f"asmevo {__version__}\n")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(
        False,
        "--version",
        callback=_version,
        is_eager=True,
        help="print the version",
        allow_from_autoenv=False,
        show_envvar=False,
    ),
) -> None:
    """Optimize compiled AMD GPU kernels, with evidence that they still behave the same."""


def _typed(err: AsmEvoError, arguments: Sequence[str]) -> int:
    return _fail(err.one_line(), err.exit_code, arguments, err.status)


def _fail(text: str, code: int, arguments: Sequence[str], status: str) -> int:
    """One line on stderr, and for programs an object on stdout."""
    line = printable(" ".join(text.split()))
    if json_wanted(arguments):
        sys.stdout.write(error_text(status, line, code))
        sys.stdout.flush()
    sys.stderr.write(f"asmevo: {line}\n")
    return code


def _usage(err: Exception, arguments: Sequence[str]) -> int:
    """One line for a usage error; the bare command shows its help instead."""
    text = str(getattr(err, "format_message", lambda: str(err))())
    if not text.strip() or type(err).__name__ == "NoArgsIsHelpError":
        return 2  # the help text has been printed
    context = getattr(err, "ctx", None)
    path = getattr(context, "command_path", "asmevo")
    text = f"{' '.join(text.split()).rstrip('.')}; see `{path} --help`"
    return _fail(text, 2, arguments, InputError.status)


def _terminate(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and exit the process with its code; tests pass `arguments`."""
    if arguments is not None:
        return _main(list(arguments))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # whatever the terminal can encode
    signal.signal(signal.SIGTERM, _terminate)  # asked to stop: as with Ctrl-C
    sys.exit(_main(sys.argv[1:]))


def _main(arguments: list[str]) -> int:
    Verbosity.level, Emitted.result = NORMAL, False
    try:
        result = app(
            args=arguments, prog_name="asmevo", standalone_mode=False, default_map=_settings()
        )
        code = int(result) if isinstance(result, int) else 0
    except AsmEvoError as err:
        return _typed(err, arguments)
    except _ClickException as err:
        return _usage(err, arguments)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except BrokenPipeError:
        # The reader of stdout has gone; nothing is left to say.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as err:
        where = f"{err.filename}: " if err.filename else ""
        remedy = "check the path and permissions"
        if err.errno in (errno.ENOSPC, errno.EDQUOT):
            remedy = "free some space"
        text = f"{where}{err.strerror or err}; {remedy}"
        return _fail(text, EnvironmentFault.exit_code, arguments, EnvironmentFault.status)
    except MemoryError:
        text = "out of memory; use smaller sizes or a machine with more memory"
        return _fail(text, EnvironmentFault.exit_code, arguments, EnvironmentFault.status)
    except Exception as err:
        # A mistake of this program, never of its input: one line, the traceback on request.
        if os.environ.get(DEBUG) or Verbosity.level == VERBOSE:
            traceback.print_exc()
        text = f"internal error, {type(err).__name__}: {err}"
        text += f"; please report it with the traceback that {DEBUG}=1 shows"
        return _fail(text, INTERNAL, arguments, "internal_error")
    if code != INTERRUPTED or has_said_its_result():
        return code
    # Typer turns Ctrl-C into this code and says nothing.
    return _fail("interrupted", INTERRUPTED, arguments, "interrupted")


if __name__ == "__main__":
    main()
