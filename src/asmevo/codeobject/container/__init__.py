"""Code objects in whatever holds them: found, taken out, and put back.

Everything is recognised by content, never by suffix. A code object is named by the path of steps
that leads to it, and the same path puts a changed object back into the same container.
"""

from asmevo.codeobject.budget import Budget, BudgetError
from asmevo.codeobject.container.put import replace
from asmevo.codeobject.container.steps import Found, Step, extract, file_names
from asmevo.codeobject.container.walk import find, find_in, forgotten, reread
from asmevo.codeobject.kinds import kind_of

__all__ = [
    "Budget",
    "BudgetError",
    "Found",
    "Step",
    "extract",
    "file_names",
    "find",
    "find_in",
    "forgotten",
    "kind_of",
    "replace",
    "reread",
]
