"""Imports run one way: tests -> pipeline -> solvers; in solvers cards <- deals <- a game's rules <- its search."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OURS = ("solvers", "pipeline", "tests")
# What a search may build on besides the standard library.
SOLVERS_MAY_USE = {"numpy", "numba", "llvmlite"}
KEPT_OUT_OF_SOLVERS = {"logging", "time", "datetime", "random", "multiprocessing", "subprocess"}


def imports(path: Path) -> set[str]:
    """Return the full names of the modules that a file imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            module = node.module or ""
            found |= {
                f"{module}.{alias.name}" if is_module(f"{module}.{alias.name}") else module for alias in node.names
            }
    return found


def is_module(name: str) -> bool:
    path = ROOT.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def ours(path: Path) -> set[str]:
    return {name for name in imports(path) if name.split(".")[0] in OURS}


def files(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", files("solvers"), ids=name_of)
def test_solvers_import_solvers_numpy_and_numba_alone(path: Path) -> None:
    names = {name.split(".")[0] for name in imports(path)}
    assert not names & {"pipeline", "tests"}
    assert not names & KEPT_OUT_OF_SOLVERS
    assert names <= SOLVERS_MAY_USE | {"solvers"} | set(sys.stdlib_module_names)


@pytest.mark.parametrize("path", files("pipeline"), ids=name_of)
def test_pipeline_does_not_import_tests(path: Path) -> None:
    assert not any(name.split(".")[0] == "tests" for name in imports(path))


ALLOWED = {
    "solvers/cards.py": set(),
    "solvers/deals.py": {"solvers.cards"},
    "solvers/result.py": set(),
    "solvers/freecell/referee.py": {"solvers.cards", "solvers.deals"},
    "solvers/freecell/text.py": {"solvers.cards", "solvers.deals"},
    "solvers/freecell/notation.py": {"solvers.cards", "solvers.deals", "solvers.freecell.referee"},
    "solvers/freecell/enumeration.py": {"solvers.cards", "solvers.deals", "solvers.result"},
}


@pytest.mark.parametrize("name", ALLOWED)
def test_these_import_no_more_than_they_may(name: str) -> None:
    assert ours(ROOT / name) <= ALLOWED[name]


def test_rules_do_not_import_their_search() -> None:
    assert not any(name.startswith("solvers.freecell") for name in ours(ROOT / "solvers/freecell/rules.py"))


def test_fast_code_does_not_import_what_checks_it() -> None:
    checks = {"solvers.freecell.referee", "solvers.freecell.enumeration", "solvers.freecell.notation"}
    for path in files("solvers"):
        if path.stem in ("rules", "search", "difficulty", "transposition"):
            assert not ours(path) & checks, path


def test_games_do_not_import_each_other() -> None:
    games = {path.name for path in (ROOT / "solvers").iterdir() if (path / "__init__.py").is_file()}
    for game in games:
        for path in files(f"solvers/{game}"):
            imported = {name.split(".")[1] for name in ours(path) if name.count(".") > 0}
            assert not imported & (games - {game}), path
