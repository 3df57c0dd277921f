"""What `import asmevo` shows to type checkers; at run time it is loaded when first used."""

from asmevo.api import (
    Agent as Agent,
)
from asmevo.api import (
    Assembled as Assembled,
)
from asmevo.api import (
    Checked as Checked,
)
from asmevo.api import (
    Diff as Diff,
)
from asmevo.api import (
    Disassembly as Disassembly,
)
from asmevo.api import (
    Execution as Execution,
)
from asmevo.api import (
    Exported as Exported,
)
from asmevo.api import (
    Finished as Finished,
)
from asmevo.api import (
    Inference as Inference,
)
from asmevo.api import (
    Inspection as Inspection,
)
from asmevo.api import (
    Object as Object,
)
from asmevo.api import (
    Optimization as Optimization,
)
from asmevo.api import (
    Profile as Profile,
)
from asmevo.api import (
    Replaced as Replaced,
)
from asmevo.api import (
    Result as Result,
)
from asmevo.api import (
    Roundtrip as Roundtrip,
)
from asmevo.api import (
    Run as Run,
)
from asmevo.api import (
    Search as Search,
)
from asmevo.api import (
    Session as Session,
)
from asmevo.api import (
    Verification as Verification,
)
from asmevo.api import (
    ask as ask,
)
from asmevo.api import (
    asm as asm,
)
from asmevo.api import (
    audit as audit,
)
from asmevo.api import (
    bench as bench,
)
from asmevo.api import (
    capsule_contents as capsule_contents,
)
from asmevo.api import (
    capsule_object as capsule_object,
)
from asmevo.api import (
    capture as capture,
)
from asmevo.api import (
    check as check,
)
from asmevo.api import (
    check_launches as check_launches,
)
from asmevo.api import (
    check_templates as check_templates,
)
from asmevo.api import (
    diff as diff,
)
from asmevo.api import (
    disasm as disasm,
)
from asmevo.api import (
    doctor as doctor,
)
from asmevo.api import (
    evidence_bundle as evidence_bundle,
)
from asmevo.api import (
    execute as execute,
)
from asmevo.api import (
    export_run as export_run,
)
from asmevo.api import (
    extract as extract,
)
from asmevo.api import (
    find as find,
)
from asmevo.api import (
    finish as finish,
)
from asmevo.api import (
    import_capsule as import_capsule,
)
from asmevo.api import (
    infer_launch as infer_launch,
)
from asmevo.api import (
    inspect as inspect,
)
from asmevo.api import (
    launch_template as launch_template,
)
from asmevo.api import (
    launches as launches,
)
from asmevo.api import (
    list_runs as list_runs,
)
from asmevo.api import (
    open as open,
)
from asmevo.api import (
    optimize as optimize,
)
from asmevo.api import (
    profile as profile,
)
from asmevo.api import (
    redact_capsule as redact_capsule,
)
from asmevo.api import (
    replace as replace,
)
from asmevo.api import (
    roundtrip as roundtrip,
)
from asmevo.api import (
    run as run,
)
from asmevo.api import (
    run_diff as run_diff,
)
from asmevo.api import (
    run_tree as run_tree,
)
from asmevo.api import (
    schema as schema,
)
from asmevo.api import (
    show_run as show_run,
)
from asmevo.api import (
    tell as tell,
)
from asmevo.api import (
    verify as verify,
)

__version__: str
