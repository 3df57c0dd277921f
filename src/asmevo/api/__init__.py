"""The use cases as functions; what `import asmevo` shows. See docs/api.md.

Every function takes paths, bytes or opened objects, raises errors of `asmevo.errors`, prints
nothing, and returns a frozen result with `ok`, `status`, `reason` and `data`.
"""

from asmevo.api.agent.finishing import Finished, finish
from asmevo.api.agent.proposers import Agent
from asmevo.api.agent.session import Session, ask, tell
from asmevo.api.assembly import Assembled, Disassembly, asm, disasm
from asmevo.api.auditing import audit
from asmevo.api.benchmarking import bench
from asmevo.api.checking import Checked, check, check_launches
from asmevo.api.containers import Replaced, Search, extract, replace
from asmevo.api.containers import find_objects as find
from asmevo.api.differences.diffing import Diff, diff
from asmevo.api.drafts.inferring import Inference, infer_launch
from asmevo.api.drafts.recordings import (
    capsule_contents,
    capsule_object,
    import_capsule,
    redact_capsule,
)
from asmevo.api.inspection import Inspection, inspect, launch_template
from asmevo.api.installation.environment import doctor
from asmevo.api.installation.schemas import schema
from asmevo.api.installation.templates import check_templates
from asmevo.api.objects import Object, launches, open
from asmevo.api.optimization import Optimization, evidence_bundle, optimize
from asmevo.api.profiling import Profile, profile
from asmevo.api.programs.capturing import capture
from asmevo.api.programs.executing import Execution, execute
from asmevo.api.results import Result
from asmevo.api.roundtrips import Roundtrip, roundtrip
from asmevo.api.running import Run, run
from asmevo.api.runs import Exported, export_run, list_runs, run_diff, run_tree, show_run
from asmevo.api.verification import Verification, verify

__all__ = [
    "Agent",
    "Assembled",
    "Checked",
    "Diff",
    "Disassembly",
    "Execution",
    "Exported",
    "Finished",
    "Inference",
    "Inspection",
    "Object",
    "Optimization",
    "Profile",
    "Replaced",
    "Result",
    "Roundtrip",
    "Run",
    "Search",
    "Session",
    "Verification",
    "ask",
    "asm",
    "audit",
    "bench",
    "capsule_contents",
    "capsule_object",
    "capture",
    "check",
    "check_launches",
    "check_templates",
    "diff",
    "disasm",
    "doctor",
    "evidence_bundle",
    "execute",
    "export_run",
    "extract",
    "find",
    "finish",
    "import_capsule",
    "infer_launch",
    "inspect",
    "launch_template",
    "launches",
    "list_runs",
    "open",
    "optimize",
    "profile",
    "redact_capsule",
    "replace",
    "roundtrip",
    "run",
    "run_diff",
    "run_tree",
    "schema",
    "show_run",
    "tell",
    "verify",
]
