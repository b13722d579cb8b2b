import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", ["pipeline.cli", "pipeline.workers", "pipeline.jobs", "pipeline.warm"])
def test_what_workers_load_leaves_polars_out(module: str) -> None:
    code = f"import sys, {module}; print([name for name in ('polars', 'tests') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_the_command_line_alone_loads_no_solver() -> None:
    code = "import sys, pipeline.cli; print([name for name in ('numba', 'pyarrow', 'polars') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
