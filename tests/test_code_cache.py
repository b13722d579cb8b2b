"""Where Numba keeps compiled code, and that compiled code reads and writes inside its arrays."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SHOW = "import os, solvers; print(os.environ['NUMBA_CACHE_DIR'])"
READ_BEYOND = "import numpy; from solvers.freecell.rules import depth_of; depth_of(numpy.uint64(0), numpy.uint64(0), 8)"
CHECKED = (
    "tests/test_rules.py::test_single_moves_are_those_of_the_referee_and_of_the_slow_twin[0]",
    "tests/test_rules.py::test_runs_are_those_that_the_referee_permits[0]",
    "tests/test_rules.py::test_a_column_has_up_to_15_breaks",
    "tests/test_search.py::test_verdicts_are_those_of_plain_enumeration[0]",
    "tests/test_search.py::test_states_of_a_proof_on_a_deal",
    "tests/test_search.py::test_memory_that_a_large_search_leaves_changes_nothing",
    "tests/test_classes.py::test_what_is_lost_in_a_game_is_lost_in_freecell[0-rules3]",
    "tests/test_classes.py::test_a_win_of_a_deal_is_followed_through_freecell",
    "tests/test_perft.py::test_lines_to_each_depth",
)


def environment(**changed: str) -> dict[str, str]:
    """Return this process's environment without what decides on the folder, and with what a test sets."""
    decisive = ("NUMBA_CACHE_DIR", "NUMBA_BOUNDSCHECK")
    return {name: value for name, value in os.environ.items() if name not in decisive} | changed


def cache_folder(root: Path, **changed: str) -> Path:
    """Return the folder that a process names which imports the ``solvers`` under ``root``."""
    command = [sys.executable, "-c", SHOW]
    shown = subprocess.run(
        command, cwd=root, env=environment(**changed), check=True, capture_output=True, text=True
    ).stdout
    return Path(shown.rstrip("\n"))


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """Return a folder with a copy of the package."""
    shutil.copytree(ROOT / "solvers", tmp_path / "solvers", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_the_same_sources_share_a_folder(sources: Path) -> None:
    assert cache_folder(sources) == cache_folder(sources) == cache_folder(ROOT)


@pytest.mark.parametrize("name", ["__init__.py", "bits.py", "freecell/rules.py", "freecell/class_walk.py"])
def test_an_edit_of_any_source_makes_another_folder(sources: Path, name: str) -> None:
    before = cache_folder(sources)
    path = sources / "solvers" / name
    path.write_text(path.read_text(encoding="utf-8") + "# edited\n", encoding="utf-8")
    assert cache_folder(sources) != before


def test_a_new_and_a_renamed_source_make_other_folders(sources: Path) -> None:
    before = cache_folder(sources)
    new = sources / "solvers" / "freecell" / "new.py"
    new.write_text("")
    between = cache_folder(sources)
    new.rename(new.with_name("renamed.py"))
    assert len({before, between, cache_folder(sources)}) == 3


def test_other_files_change_nothing(sources: Path) -> None:
    before = cache_folder(sources)
    (sources / "solvers" / "notes.txt").write_text("no source")
    assert cache_folder(sources) == before


def test_a_folder_that_the_user_names_stays(tmp_path: Path) -> None:
    assert cache_folder(ROOT, NUMBA_CACHE_DIR=str(tmp_path)) == tmp_path


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="these have places of their own")
def test_the_folder_lies_where_caches_do(tmp_path: Path) -> None:
    assert cache_folder(ROOT, XDG_CACHE_HOME=str(tmp_path)).parent == tmp_path / "solitaire-deals"


def test_checked_code_has_a_folder_of_its_own() -> None:
    plain = cache_folder(ROOT)
    assert cache_folder(ROOT, NUMBA_BOUNDSCHECK="0") == plain
    assert cache_folder(ROOT, NUMBA_BOUNDSCHECK="1") not in (plain, plain.parent)


def test_nothing_reads_or_writes_beyond_its_arrays() -> None:
    """A part of the solver's tests in a process that checks every index; first, that it does check."""
    checked = environment(NUMBA_BOUNDSCHECK="1")
    reading = [sys.executable, "-c", READ_BEYOND]
    beyond = subprocess.run(reading, check=False, cwd=ROOT, env=checked, capture_output=True, text=True)
    assert "IndexError" in beyond.stderr
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *CHECKED]
    run = subprocess.run(command, check=False, cwd=ROOT, env=checked, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
