"""Template files: their schema, and how one is read.

```yaml
schema: asmevo/templates/1
targets: [gfx942]
templates:
  - name: shift_add
    description: a shift and an addition are one instruction
    match: |
      v_lshlrev_b32 $t:v, $n:imm, $x:v
      v_add_u32 $d:v, $t, $y:v
    replace: v_lshl_add_u32 $d, $x, $n, $y
    when: [n < 32]
    latency: [8, 4]
    throughput: [8, 4]
    vgpr_pressure: -1
```

A variable is `$name:kind` where it stands first, `$name` afterwards: `v` a VGPR, `s` an SGPR, `imm`
an integer constant, `pow2` a constant that is a power of two and `mask` one that is a power of two
less one (the variable is the exponent), `pair` two VGPRs from an even number on (`$a.0`, `$a.1` and
`$a` are the first, the second, and both). A constant of the replacement is `$n` or `$(n + m)`.
Mnemonics go without encoding suffix; modifiers stand as LLVM prints them.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from asmevo.edits.templates.pattern import Condition, Line, parse_lines
from asmevo.errors import InputError
from asmevo.isa.target import Target

_LARGEST = 1 << 20
_BUILT_IN = Path(__file__).parent / "gfx9.yaml"


class Template(BaseModel):
    """One rewrite.

    Attributes:
        name: for the lineage and for messages.
        description: why it should be faster, in a sentence.
        match, replace: lines of assembly with variables.
        when: comparisons of constants, each `EXPRESSION < EXPRESSION` (or `<=`, `==`).
        latency: clocks from the first operand to the result, before and after.
        throughput: clocks that the instructions keep their unit busy, before and after.
        vgpr_pressure: change of the number of VGPRs that are live at once.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")
    description: str = Field(max_length=200)
    match: str = Field(max_length=2000)
    replace: str = Field(max_length=2000)
    when: tuple[str, ...] = ()
    latency: tuple[float, float] | None = None
    throughput: tuple[float, float] | None = None
    vgpr_pressure: int = 0

    @field_validator("match", "replace")
    @classmethod
    def _parses(cls, text: str) -> str:
        parse_lines(text)
        return text

    @field_validator("when")
    @classmethod
    def _compares(cls, texts: tuple[str, ...]) -> tuple[str, ...]:
        for text in texts:
            Condition.parse(text)
        return texts

    @property
    def pattern(self) -> tuple[Line, ...]:
        """The lines to look for."""
        return parse_lines(self.match)

    @property
    def result(self) -> tuple[Line, ...]:
        """The lines to put there."""
        return parse_lines(self.replace)

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """What must hold of the constants."""
        return tuple(Condition.parse(text) for text in self.when)


class TemplateFile(BaseModel):
    """A file of templates for some targets."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_: Literal["asmevo/templates/1"] = Field(alias="schema")
    targets: tuple[str, ...] = Field(min_length=1)
    templates: tuple[Template, ...]


def load_templates(target: Target, folders: Iterable[Path] = ()) -> tuple[Template, ...]:
    """The built-in templates of a target, and those of `*.yaml` files in folders.

    Raises:
        InputError: a file is no template file, a name stands twice, or there is no such folder.
    """
    paths = [_BUILT_IN]
    for folder in folders:
        if not folder.is_dir():
            raise InputError(f"{folder} is no folder", "give a folder of template files")
        paths += sorted(p for p in folder.iterdir() if p.suffix in (".yaml", ".yml"))
    found: dict[str, Template] = {}
    for path in paths:
        file = _read(path)
        if target.arch not in file.targets:
            continue
        for template in file.templates:
            if template.name in found:
                raise InputError(f"{path}: template {template.name} stands twice", "rename one")
            found[template.name] = template
    return tuple(found.values())


def _read(path: Path) -> TemplateFile:
    try:
        data = path.read_bytes()
        if len(data) > _LARGEST:
            raise InputError(f"{path}: larger than 1 MiB", "that is no template file")
        return TemplateFile.model_validate(yaml.safe_load(data))
    except OSError as err:
        raise InputError(f"{path}: {err.strerror}", "check the path") from err
    except ValidationError as err:
        first = err.errors()[0]
        where = ".".join(str(x) for x in first["loc"])
        raise InputError(f"{path}: {where}: {first['msg']}", "correct the file") from err
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as err:
        raise InputError(f"{path}: no YAML: {' '.join(str(err).split())}", "correct it") from err
