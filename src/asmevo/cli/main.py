"""The `asmevo` command: wiring and exit codes; every command lives in a module of its own.

Exit codes: 0 yes; 1 a well-founded no; 2 usage or input; 3 unsupported; 4 environment;
130 interrupted.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Sequence

import typer

from asmevo import __version__
from asmevo.cli.commands import (
    asm,
    bench,
    check,
    corpus,
    demo,
    disasm,
    doctor,
    extract,
    find,
    inspect,
    optimize,
    roundtrip,
    run,
    verify,
)
from asmevo.cli.output import printable
from asmevo.errors import AsmEvoError

# Typer carries its own copy of click from some version on; its public exception leads to the
# classes that this Typer raises, whichever copy that is.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]
_ClickException: type[Exception] = typer.BadParameter.__mro__[2]

DEBUG = "ASMEVO_DEBUG"
INTERRUPTED = 130

app = typer.Typer(
    name="asmevo",
    help="Optimize compiled AMD GPU kernels, with evidence that they still behave the same. "
    "Start with `asmevo demo`, then `asmevo inspect K.hsaco` and `asmevo optimize --help`.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for module in (
    *(demo, optimize, verify, check, run, bench),
    *(inspect, find, extract, disasm, asm, roundtrip, doctor),
):
    module.register(app)
app.add_typer(corpus.app, name="corpus")


def _version(value: bool) -> None:
    if value:
        sys.stdout.write(f"asmevo {__version__}\n")
        raise typer.Exit


@app.callback()
def root(
    version: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="print the version"
    ),
) -> None:
    """Optimize compiled AMD GPU kernels, with evidence that they still behave the same."""


def _json_wanted(arguments: Sequence[str]) -> bool:
    """Whether the command line asks for JSON, however it spells the option."""
    pairs = zip(arguments, [*arguments[1:], ""], strict=True)
    return any(
        a in ("-fjson", "--format=json") or (a in ("-f", "--format") and b == "json")
        for a, b in pairs
    )


def _typed(err: AsmEvoError, arguments: Sequence[str]) -> int:
    """An expected error: one line on stderr, and for programs an object on stdout."""
    if _json_wanted(arguments):
        record = {
            "schema": "asmevo/error/1",
            "ok": False,
            "status": err.status,
            "reason": err.one_line(),
            "exit_code": err.exit_code,
        }
        sys.stdout.write(json.dumps(record, indent=2) + "\n")
    return _fail(err.one_line(), err.exit_code)


def _fail(text: str, code: int) -> int:
    sys.stderr.write(f"asmevo: {printable(' '.join(text.split()))}\n")
    return code


def _usage(err: Exception) -> int:
    """One line for a usage error; the bare command shows its help instead."""
    text = str(getattr(err, "format_message", lambda: str(err))())
    if not text.strip() or type(err).__name__ == "NoArgsIsHelpError":
        return 2  # the help text has been printed
    context = getattr(err, "ctx", None)
    path = getattr(context, "command_path", "asmevo")
    return _fail(f"{' '.join(text.split()).rstrip('.')}; see `{path} --help`", 2)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and exit the process with its code; tests pass `arguments`."""
    if arguments is not None:
        return _main(list(arguments))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # whatever the terminal can encode
    sys.exit(_main(sys.argv[1:]))


def _main(arguments: list[str]) -> int:
    try:
        result = app(args=arguments, prog_name="asmevo", standalone_mode=False)
        code = int(result) if isinstance(result, int) else 0
        # Typer turns Ctrl-C into this code and says nothing.
        return _fail("interrupted", INTERRUPTED) if code == INTERRUPTED else code
    except AsmEvoError as err:
        return _typed(err, arguments)
    except _ClickException as err:
        return _usage(err)
    except (KeyboardInterrupt, typer.Abort):
        return _fail("interrupted", INTERRUPTED)
    except BrokenPipeError:
        # The reader of stdout has gone; nothing is left to say.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as err:
        where = f"{err.filename}: " if err.filename else ""
        return _fail(f"{where}{err.strerror or err}; check the path and permissions", 4)
    except MemoryError:
        return _fail("out of memory; use smaller sizes or a machine with more memory", 4)
    except Exception as err:
        # A mistake of this program, never of its input: one line, the traceback on request.
        if os.environ.get(DEBUG):
            raise
        text = f"internal error, {type(err).__name__}: {err}"
        return _fail(f"{text}; please report it with the traceback that {DEBUG}=1 shows", 4)


if __name__ == "__main__":
    main()
