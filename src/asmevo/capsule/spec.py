"""`launch.yaml`: how to run a kernel that was not recorded, in a few readable lines.

The file is input from outside: it is size limited, has no anchors (alias bombs), no duplicate
keys, no unknown keys, and every mistake is one line that names the argument and the file.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationError,
    model_validator,
)

from asmevo.capsule.dtypes import dtype
from asmevo.capsule.expressions import FUNCTIONS, evaluate
from asmevo.capsule.initializers import FILE
from asmevo.capsule.layout import Layout
from asmevo.capsule.model import DEFAULT_GUARD, LARGEST_GUARD, ROLES, Role, Tolerance
from asmevo.capsule.schedule import Schedule
from asmevo.errors import InputError

SCHEMA = "asmevo/launch/1"
_LARGEST_FILE = 1 << 20
_MOST_ARGS = 512
Expression = int | str
LaunchRole = Literal["test", "timed"]


def _rejoin(value: object) -> object:
    """Undo YAML's split of `[cdiv(n, 256), 1]` at the comma inside the parentheses."""
    if not isinstance(value, list | tuple):
        return value
    found: list[object] = []
    open_parts = ""
    for item in cast("Sequence[object]", value):
        text = f"{open_parts}, {item}" if open_parts else str(item)
        if text.count("(") > text.count(")"):
            open_parts = text
        else:
            found.append(text if open_parts else item)
            open_parts = ""
    if open_parts:
        found.append(open_parts)
    return tuple(found)


Expressions = Annotated[tuple[Expression, ...], BeforeValidator(_rejoin)]
Triple = Annotated[Expressions, Field(min_length=1, max_length=3)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class ToleranceSpec(_Model):
    """Tolerance of float buffers; see `capsule.model.Tolerance`."""

    theta: float = Field(default=Tolerance().theta, ge=0, le=1)
    tau: float = Field(default=Tolerance().tau, ge=0, allow_inf_nan=False)

    def resolve(self) -> Tolerance:
        """The plain value."""
        return Tolerance(self.theta, self.tau)


class ArgSpec(_Model):
    """One explicit kernel argument: a buffer, a value, a null pointer, or part of a buffer.

    Exactly one of `shape` (a buffer of its own), `value`, `null`, `bytes` (raw little-endian hex)
    and `buffer` (a pointer `offset` bytes into another argument's buffer) is given.
    """

    name: str = Field(min_length=1, max_length=200)
    dtype: str | None = None
    shape: Expressions | None = None
    init: str | None = None
    role: Role | None = None
    tolerance: ToleranceSpec | None = None
    value: int | float | str | None = None
    null: bool = False
    bytes_: str | None = Field(default=None, alias="bytes")
    buffer: str | None = None
    offset: Expression = 0

    @model_validator(mode="after")
    def _one_meaning(self) -> ArgSpec:
        forms = {
            "shape": self.shape is not None,
            "value": self.value is not None,
            "null: true": self.null,
            "bytes": self.bytes_ is not None,
            "buffer": self.buffer is not None,
        }
        given = [name for name, present in forms.items() if present]
        if len(given) != 1:
            what = " and ".join(given) if given else "nothing"
            raise ValueError(f"gives {what}; give exactly one of {', '.join(forms)}")
        if self.shape is not None or self.value is not None:
            if self.dtype is None:
                raise ValueError("has no dtype; add one, e.g. dtype: f32")
            dtype(self.dtype, "gfx942")
        if self.shape is None:
            extra = [n for n in ("init", "role", "tolerance") if getattr(self, n) is not None]
            if extra:
                raise ValueError(f"is no buffer but has {', '.join(extra)}; add shape or drop it")
        else:
            if self.role is None:
                raise ValueError(f"is a buffer without role; use one of {', '.join(ROLES)}")
            if self.role in ("in", "inout") and self.init is None:
                raise ValueError(f"has role {self.role} and no init; add one, e.g. normal(0, 1)")
        return self


class LaunchSpec(_Model):
    """A parsed launch description. `load` reads the file; errors name it as `source`."""

    schema_: Literal["asmevo/launch/1"] = Field(alias="schema")
    kernel: str | None = None
    sizes: dict[str, Expression] = Field(default_factory=dict)
    variants: tuple[dict[str, Expression], ...] = ()
    role: LaunchRole | None = None
    timed: tuple[dict[str, Expression], ...] = ()
    grid: Triple
    block: Triple
    lds: Expression = 0
    seed: int = Field(default=0, ge=0, lt=1 << 64)
    schedule: str = "barrier"
    tolerance: ToleranceSpec = Field(default_factory=ToleranceSpec)
    args: tuple[ArgSpec, ...] = Field(max_length=_MOST_ARGS)
    hidden: Literal["refuse", "zero"] = "refuse"
    guard: int = Field(default=DEFAULT_GUARD, ge=0, le=LARGEST_GUARD)
    layout: Layout = "straddle"

    _source: str = PrivateAttr(default="launch description")
    _directory: Path = PrivateAttr(default=Path())
    _digest: str = PrivateAttr(default="")

    @property
    def source(self) -> str:
        """File name for messages."""
        return self._source

    @property
    def directory(self) -> Path:
        """Folder that `file:` initializers are relative to."""
        return self._directory

    @property
    def files(self) -> tuple[Path, ...]:
        """Files that `file:` initializers name, whether they are there or not."""
        named = (a.init[len(FILE) :] for a in self.args if a.init and a.init.startswith(FILE))
        return tuple(dict.fromkeys(self._directory / name for name in named))

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of the file's bytes, or an empty string."""
        return self._digest

    @model_validator(mode="after")
    def _consistent(self) -> LaunchSpec:
        Schedule.parse(self.schedule)
        for name in self.sizes:
            if not name.isidentifier() or name in FUNCTIONS:
                raise ValueError(f"size name {name!r} is not usable; use letters, digits and _")
        for key, entries in (("variants", self.variants), ("timed", self.timed)):
            for index, entry in enumerate(entries):
                unknown = [n for n in entry if n not in self.sizes]
                if unknown:
                    raise ValueError(f"{key}[{index}] sets {unknown[0]!r}, which is not in sizes")
        seen: set[str] = set()
        for arg in self.args:
            if arg.name in seen:
                raise ValueError(f"argument {arg.name!r} is given twice")
            seen.add(arg.name)
        buffers = {a.name for a in self.args if a.shape is not None}
        for arg in self.args:
            if arg.buffer is not None and arg.buffer not in buffers:
                raise ValueError(
                    f"argument {arg.name!r} points into {arg.buffer!r}, which is no buffer here"
                )
        return self

    @classmethod
    def load(cls, path: str | Path) -> LaunchSpec:
        """Read a launch description.

        Raises:
            InputError: missing, too large, not YAML, or not a launch description.
        """
        path = Path(path)
        try:
            with path.open("rb") as stream:
                data = stream.read(_LARGEST_FILE + 1)
        except OSError as error:
            raise InputError(
                f"cannot read {path}: {error.strerror}", "give the path of a launch.yaml"
            ) from None
        return cls.parse(data, str(path), path.parent)

    @classmethod
    def parse(
        cls, data: bytes | str, source: str = "launch description", directory: Path | None = None
    ) -> LaunchSpec:
        """Parse the text of a launch description; `source` is named in errors.

        Raises:
            InputError: see `load`.
        """
        raw = data.encode() if isinstance(data, str) else data
        if len(raw) > _LARGEST_FILE:
            raise InputError(f"{source}: more than {_LARGEST_FILE} bytes", "is it a launch.yaml?")
        document = _read_yaml(raw, source)
        if document.get("schema") != SCHEMA:
            raise InputError(
                f"{source}: schema is {document.get('schema')!r}", f"begin with `schema: {SCHEMA}`"
            )
        try:
            spec = cls.model_validate(document)
        except ValidationError as error:
            raise _explain(error, document, source) from None
        except InputError as error:
            raise InputError(f"{source}: {error}", error.remedy) from None
        spec._source, spec._directory = source, directory or Path()
        spec._digest = hashlib.sha256(raw).hexdigest()
        return spec

    @property
    def own_role(self) -> LaunchRole:
        """Role of the given sizes: they are timed unless `timed` names others that are."""
        return self.role or ("test" if self.timed else "timed")

    def resolve_sizes(self, overrides: Mapping[str, Expression] | None = None) -> dict[str, int]:
        """Values of all size names; a size may use the ones before it.

        Raises:
            InputError: an override of an unknown size, a bad expression, or a negative size.
        """
        overrides = dict(overrides or {})
        for name in overrides:
            if name not in self.sizes:
                known = ", ".join(self.sizes) or "none"
                raise InputError(
                    f"{self.source}: unknown size {name!r}", f"sizes of this launch are: {known}"
                )
        values: dict[str, int] = {}
        for name, text in self.sizes.items():
            what = f"{self.source}: size {name}"
            values[name] = evaluate(overrides.get(name, text), values, what)
            if values[name] < 0:
                raise InputError(f"{what} is {values[name]}", "sizes are not negative")
        return values


class _Loader(yaml.SafeLoader):
    """SafeLoader without anchors, duplicate keys or the yes/no/on/off booleans of YAML 1.1."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):  # pyright: ignore[reportUnknownMemberType]
            raise yaml.YAMLError("anchors and aliases are not allowed")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.YAMLError("keys must be plain words")
            if key.value in keys:
                raise yaml.YAMLError(
                    f"key {key.value!r} appears twice (line {key.start_mark.line + 1})"
                )
            keys.add(key.value)
        return super().construct_mapping(node, deep)


_Loader.yaml_implicit_resolvers = {
    first: [
        (tag, pattern)
        for tag, pattern in resolvers
        if not (tag == "tag:yaml.org,2002:bool" and first.lower() not in ("t", "f"))
    ]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _read_yaml(raw: bytes, source: str) -> dict[str, Any]:
    try:
        document: object = yaml.load(raw.decode("utf-8"), _Loader)
    except UnicodeDecodeError:
        raise InputError(f"{source}: not a text file", "give a launch.yaml in UTF-8") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" (line {mark.line + 1})" if mark is not None else ""
        problem = getattr(error, "problem", None) or str(error)
        raise InputError(f"{source}: not valid YAML{where}: {problem}") from None
    if not isinstance(document, dict):
        raise InputError(f"{source}: not a launch description", f"begin with `schema: {SCHEMA}`")
    return cast("dict[str, Any]", _plain_keys(cast("object", document)))


def _plain_keys(value: object) -> object:
    """Keys as text: YAML reads the key of `{null: true}` as None."""
    if isinstance(value, dict):
        items = cast("dict[object, object]", value).items()
        return {"null" if k is None else str(k): _plain_keys(v) for k, v in items}
    if isinstance(value, list):
        return [_plain_keys(v) for v in cast("list[object]", value)]
    return value


def _explain(error: ValidationError, document: Mapping[str, Any], source: str) -> InputError:
    """The most telling validation error as one line that names the argument."""
    # A misspelt key is also a missing one; the spelling is the cause.
    errors = error.errors(include_url=False)
    first = next((e for e in errors if e["type"] == "extra_forbidden"), errors[0])
    location: list[int | str] = list(first["loc"])
    where, known, rest = "", list(LaunchSpec.model_fields), location
    if len(location) > 1 and location[0] == "args" and isinstance(location[1], int):
        entry: object = document["args"][location[1]]
        name = cast("dict[str, object]", entry).get("name") if isinstance(entry, dict) else None
        where = f"argument {name!r}: " if name else f"args[{location[1]}]: "
        known, rest = list(ArgSpec.model_fields), location[2:]
    known = ["schema" if k == "schema_" else "bytes" if k == "bytes_" else k for k in known]
    path = ".".join(str(p) for p in rest[:2])
    if first["type"] == "extra_forbidden":
        key = str(location[-1])
        close = difflib.get_close_matches(key, known, 1)
        remedy = f"did you mean {close[0]!r}?" if close else "known are " + ", ".join(known)
        return InputError(f"{source}: {where}unknown key {key!r}", remedy)
    if first["type"] == "missing":
        return InputError(f"{source}: {where}key {path!r} is missing", "add it")
    message = first["msg"].removeprefix("Value error, ")
    return InputError(f"{source}: {where}{path + ': ' if path else ''}{message}")
