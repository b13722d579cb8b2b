"""Files that are whole or absent, whatever is killed."""

import os
from pathlib import Path


def write_file(path: Path, data: bytes) -> None:
    """Put ``data`` at ``path``: written under a temporary name, synced, then renamed.

    A reader sees the old file or the new one, never a part, and once this returns the new one outlives a power cut.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    _sync_folder(path.parent)


def remove_leftovers(folder: Path, name: str = "*") -> None:
    """Remove temporary files of writers that were killed; call it only while no other writer is at work."""
    for leftover in folder.glob(f".{name}.*.tmp"):
        leftover.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Make the renames in a folder durable (Windows has no such call and needs none)."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
