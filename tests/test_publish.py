import os
import subprocess
import sys
from pathlib import Path

import pytest
from test_schemas import METADATA, audit_rows, difficulty_rows, evidence_rows, solution_rows

from pipeline import publish as publish_module
from pipeline.describe import describe
from pipeline.publish import MANIFEST, manifest_faults, publish, read_manifest
from pipeline.schemas import FREECELL_AUDIT, FREECELL_DIFFICULTY, FREECELL_EVIDENCE, FREECELL_SOLUTIONS, PUBLISHED
from pipeline.table_files import SchemaError, content_hash, read_table

TABLES = {
    "freecell_difficulty": difficulty_rows(20),
    "freecell_evidence": evidence_rows(20),
    "freecell_solutions": solution_rows(20),
}
REPOSITORY_DATA = Path(__file__).parent.parent / "data"


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_publishes_what_it_vouches_for(tmp_path) -> None:
    publish(TABLES, METADATA, tmp_path)
    assert set(contents(tmp_path)) == {f"{name}.parquet" for name in TABLES} | {"README.md", MANIFEST}
    assert manifest_faults(tmp_path) == []
    for table in (FREECELL_DIFFICULTY, FREECELL_EVIDENCE, FREECELL_SOLUTIONS):
        entry = read_manifest(tmp_path)[table.file_name]
        assert entry["rows"] == TABLES[table.name].num_rows
        assert entry["bytes"] == (tmp_path / table.file_name).stat().st_size
        assert entry["content_sha256"] == content_hash(TABLES[table.name])
        assert read_table(tmp_path / table.file_name, table).equals(TABLES[table.name])


def test_a_list_is_vouched_for_with_its_json(tmp_path) -> None:
    publish({"freecell_winnable": difficulty_rows(20).select(["deal"])}, METADATA, tmp_path)
    assert set(read_manifest(tmp_path)) == {"freecell_winnable.parquet", "freecell_winnable.json"}
    assert manifest_faults(tmp_path) == []
    (tmp_path / "freecell_winnable.json").write_text("[1]")
    assert "freecell_winnable.json: bytes, sha256 not as in the manifest" in manifest_faults(tmp_path)[0]


def test_changes_no_byte_when_nothing_changed(tmp_path) -> None:
    publish(TABLES, METADATA, tmp_path)
    publish({"freecell_audit": audit_rows()}, METADATA, tmp_path)
    before = contents(tmp_path)
    publish({"freecell_audit": audit_rows()}, METADATA, tmp_path)
    publish(dict(reversed(TABLES.items())), METADATA, tmp_path)
    assert contents(tmp_path) == before


def test_runs_keep_each_others_tables(tmp_path) -> None:
    publish(TABLES, METADATA, tmp_path)
    publish({"freecell_audit": audit_rows()}, {**METADATA, "budgets": "5"}, tmp_path)
    assert manifest_faults(tmp_path) == []
    assert set(read_manifest(tmp_path)) == {f"{name}.parquet" for name in (*TABLES, "freecell_audit")}


def test_checks_all_before_it_writes_any(tmp_path) -> None:
    bad = {**TABLES, "freecell_solutions": solution_rows(3).take([0, 2, 1])}
    with pytest.raises(SchemaError, match="out of order"):
        publish(bad, METADATA, tmp_path)
    assert contents(tmp_path) == {}


def test_needs_the_folder(tmp_path) -> None:
    with pytest.raises(FileNotFoundError):
        publish(TABLES, METADATA, tmp_path / "absent")


@pytest.mark.parametrize("writes", range(5))
def test_a_cut_is_seen_and_healed(tmp_path, monkeypatch, writes: int) -> None:
    publish({**TABLES, "freecell_audit": audit_rows()}, METADATA, tmp_path)
    changed = {**METADATA, "search_version": "2"}
    done = []

    def write(path: Path, data: bytes) -> None:
        if len(done) == writes:
            raise KeyboardInterrupt
        done.append(path)
        real(path, data)

    real = publish_module.write_file
    with monkeypatch.context() as patch:
        patch.setattr(publish_module, "write_file", write)
        with pytest.raises(KeyboardInterrupt):
            publish(TABLES, changed, tmp_path)
    assert len(manifest_faults(tmp_path)) == min(writes, len(TABLES))
    # Another run's tables do not hide the cut.
    publish({"freecell_audit": audit_rows()}, METADATA, tmp_path)
    assert len(manifest_faults(tmp_path)) == min(writes, len(TABLES))
    publish(TABLES, changed, tmp_path)
    assert manifest_faults(tmp_path) == []


KILLED = """
import os, signal, sys
from pathlib import Path
from pipeline import publish
from test_publish import METADATA, TABLES
left = int(sys.argv[2])
def replace(self, target, real=Path.replace):
    global left
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
    return real(self, target)
Path.replace = replace
publish.publish(TABLES, METADATA, Path(sys.argv[1]))
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_a_killed_publisher_leaves_nothing_behind_for_the_next(tmp_path) -> None:
    (tmp_path / "data").mkdir()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", KILLED, str(tmp_path / "data"), "1"]
    assert subprocess.run(command, env=environment, check=False).returncode == -9
    assert any(name.endswith(".tmp") for name in contents(tmp_path / "data"))
    assert manifest_faults(tmp_path / "data") != []
    publish(TABLES, METADATA, tmp_path / "data")
    (tmp_path / "fresh").mkdir()
    publish(TABLES, METADATA, tmp_path / "fresh")
    assert contents(tmp_path / "data") == contents(tmp_path / "fresh")


def test_names_every_fault(tmp_path) -> None:
    assert manifest_faults(tmp_path) == []
    publish(TABLES, METADATA, tmp_path)
    manifest = (tmp_path / MANIFEST).read_text()
    whole = contents(tmp_path)

    (tmp_path / FREECELL_AUDIT.file_name).write_bytes(b"x")
    assert [fault.split(": ")[1] for fault in manifest_faults(tmp_path)] == ["not in the manifest"]
    (tmp_path / FREECELL_AUDIT.file_name).unlink()

    path = tmp_path / FREECELL_DIFFICULTY.file_name
    path.write_bytes(b"x")
    assert "bytes, sha256 not as in the manifest" in manifest_faults(tmp_path)[0]
    path.unlink()
    assert "absent, though in the manifest" in manifest_faults(tmp_path)[0]
    path.write_bytes(whole[path.name])

    (tmp_path / MANIFEST).write_text(manifest.replace("freecell_solutions", "freecell_secrets"))
    assert len(manifest_faults(tmp_path)) == 2
    for text in ("", "[]", "{}", '{"tables": 3}', '{"tables": {"a": 3}}'):
        (tmp_path / MANIFEST).write_text(text)
        assert manifest_faults(tmp_path) == [f"{tmp_path / MANIFEST}: absent or unreadable"]


def test_readme_describes_every_column() -> None:
    text = describe()
    for table in PUBLISHED:
        assert f"## {table.file_name}" in text
        for column in table.schema:
            assert f"| {column.name} | " in text


def test_published_readme_is_up_to_date() -> None:
    assert (REPOSITORY_DATA / "README.md").read_text(encoding="utf-8") == describe()
