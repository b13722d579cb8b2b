"""What the README shows exists, and prints what it says it prints."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from pipeline.cli import main
from pipeline.forty_thieves.summary import winnable_summary
from pipeline.schemas import FORTY_THIEVES_TABLES, FREECELL_DIFFICULTY, FREECELL_EVIDENCE, PUBLISHED, Table
from pipeline.summary import difficulty_summary

ROOT = Path(__file__).parent.parent
DATA = ROOT / "data"
README = (ROOT / "README.md").read_text(encoding="utf-8")
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = FENCE.findall(README)
SPANS = re.findall(r"`([^`\n]+)`", FENCE.sub("", README))
SHELL = [text.strip() for kind, text in BLOCKS if kind == "sh"]
CONSOLE = [text.removeprefix("$ ").partition("\n")[::2] for kind, text in BLOCKS if kind == "console"]
SUMMARIES = [text for kind, text in BLOCKS if kind == "text" and "FreeCell deals" in text]
THIEVES_SUMMARIES = [text for kind, text in BLOCKS if kind == "text" and "Forty Thieves deals" in text]


def words(line: str, program: str) -> Iterator[list[str]]:
    """Yield what follows a program's name in each command of a line that calls it."""
    for command in line.split(" && "):
        name, *rest = shlex.split(command)
        if name.removeprefix(".venv/bin/") == program:
            yield rest


def options(command: click.Command) -> set[str]:
    """Return the options of a command and of those below it."""
    own = {name for parameter in command.params for name in parameter.opts}
    below = command.commands.values() if isinstance(command, click.Group) else ()
    return own.union(*map(options, below))


def first_deals(table: Table, last: int) -> pa.Table:
    """Return the rows of a published table up to a deal."""
    return pq.read_table(DATA / table.file_name, filters=[("deal", "<=", last)])


LINES = [*SHELL, *(command for command, _ in CONSOLE), *(span for span in SPANS if "deals " in span)]


@pytest.mark.parametrize("arguments", [rest for line in LINES for rest in words(line, "deals")], ids=" ".join)
def test_its_commands_exist(arguments: list[str]) -> None:
    command: click.Command = main
    context = click.Context(main)
    while isinstance(command, click.Group):
        _, found, arguments = command.resolve_command(context, arguments)
        assert found, arguments
        command = found
    command.make_context("deals", arguments)


def test_its_options_exist() -> None:
    shown = {span for span in SPANS if span.startswith("-")}
    assert shown
    assert shown <= options(main)


def test_its_two_commands_are_complete() -> None:
    first, second = SHELL
    install = "python3 -m venv .venv && .venv/bin/pip install -q "
    assert first == f"{install}. && .venv/bin/deals freecell difficulty 1-900"
    assert second == f"{install}-e '.[test]' && .venv/bin/pytest"


def test_continuous_integration_runs_its_second_command() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    (search,) = re.findall(r"^command=\$\((.*)\)$", script, re.MULTILINE)
    found = subprocess.run(search, shell=True, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert found.strip() == SHELL[1]
    assert script.rstrip().endswith('-c "$command"')


def test_it_names_the_tables() -> None:
    assert set(re.findall(r"^\| `(\w+\.parquet)` \|", README, re.MULTILINE)) == {spec.file_name for spec in PUBLISHED}


def test_its_audit_prints_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ((rest, shown),) = ((rest, shown) for line, shown in CONSOLE for rest in words(line, "deals"))
    result = CliRunner().invoke(main, [*rest, "--jobs", "0"])
    assert result.exit_code == 0, result.stderr
    assert result.stdout == shown


def test_its_winnable_deals_are_what_it_shows(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    pq.write_table(first_deals(FREECELL_EVIDENCE, 900), tmp_path / "out" / FREECELL_EVIDENCE.file_name)
    ((rest, shown),) = ((rest, shown) for line, shown in CONSOLE for rest in words(line, "python"))
    said = subprocess.run([sys.executable, *rest], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert said.stdout == shown


@pytest.mark.parametrize("shown", SUMMARIES)
def test_its_counts_are_those_of_the_table(shown: str) -> None:
    deals = int(shown.split(maxsplit=1)[0].replace(",", ""))
    published = first_deals(FREECELL_DIFFICULTY, deals)
    if " 0 undecided" in shown and not all(published["is_settled"].to_pylist()):
        pytest.skip("the published table leaves some of these deals open, the command that is shown does not")
    assert difficulty_summary(published) == shown.rstrip("\n")


def test_each_of_its_counts_is_held_to_a_table() -> None:
    assert len(SUMMARIES) + len(THIEVES_SUMMARIES) == sum(kind == "text" for kind, _ in BLOCKS)


@pytest.mark.parametrize("shown", THIEVES_SUMMARIES)
def test_its_counts_of_forty_thieves_are_those_of_the_tables(shown: str) -> None:
    deals = int(shown.split(maxsplit=1)[0].replace(",", ""))
    tables = {spec.name: first_deals(spec, deals) for spec in FORTY_THIEVES_TABLES}
    assert winnable_summary(tables) == shown.rstrip("\n")
