"""One process of a run that is killed and resumed: `killed.py URL STORE BUDGET`.

The search's tests must be on the path.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fakes import FakeDevice, capsule, kernel_object

from asmevo.drivers.llm.driver import LlmDriver, Options
from asmevo.drivers.llm.endpoint import make_endpoint
from asmevo.search.controller import Config, Controller
from asmevo.verify.report import VerifyConfig

url, store, budget = sys.argv[1:]
driver = LlmDriver(make_endpoint("scripted", url), Options(starts=2))
config = Config(
    kernel_object("saxpy"), None, (capsule("saxpy"),), FakeDevice(), driver, Path(store), True,
    int(budget), verify=VerifyConfig(allow_untested=True),
)  # fmt: skip
result = Controller(config).run()
print(len(result.attempts), driver.account.calls, driver.stopped)
