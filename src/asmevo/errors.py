"""The typed errors of the project, each with one line for the user and an exit code.

Every error that a user can cause or meet derives from `AsmEvoError`. Its message says what and
where; `remedy` says what to do. The command line prints both on one line and exits with
`exit_code` (design: 0 yes, 1 a well-founded no, 2 usage, 3 unsupported, 4 environment,
70 a fault of this program, 130 interrupted).
"""

from __future__ import annotations


class AsmEvoError(Exception):
    """Base of all expected errors.

    Attributes:
        remedy: what the reader can do about it, or an empty string.
        exit_code: process exit code of the command that meets it.
        status: the verdict word for JSON output (see the design's list of words).
        line: 1-based line of the text that it is about, or 0.
    """

    exit_code = 4
    status = "infrastructure_error"
    line = 0

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy

    def one_line(self) -> str:
        """Message and remedy on a single line, control characters removed."""
        text = str(self.args[0])
        if self.remedy:
            text = f"{text}; {self.remedy}"
        return " ".join("".join(c if c.isprintable() else " " for c in text).split())


class InputError(AsmEvoError):
    """A file, argument or launch description is wrong."""

    exit_code = 2
    status = "input_invalid"


class UnsupportedError(AsmEvoError):
    """A well-formed object, instruction or target that this version does not handle."""

    exit_code = 3
    status = "unsupported"


class EnvironmentFault(AsmEvoError):
    """A tool, device, cache or file system did not do its part."""


class BuildError(AsmEvoError):
    """An edit does not assemble or cannot be rebuilt into the object."""

    exit_code = 1
    status = "build_invalid"
