import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("check", ["ruff check", "ruff format --check", "mypy"])
def test_the_tree_passes(check: str) -> None:
    command = [sys.executable, "-m", *check.split()]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
