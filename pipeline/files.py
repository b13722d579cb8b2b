"""Files that are whole or absent, whatever is killed."""

import os
import sys
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        """Lock a byte far behind the content, so that others can still read that."""
        os.lseek(descriptor, 1 << 30, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        """Lock an open file against all other openings of it."""
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


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
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class LockedError(Exception):
    """Another process holds the lock; the message has its process id if known."""


class Lock:
    """A lock file that the operating system frees when its holder ends, however it ends.

    The file itself stays: removing it would let two processes lock two files of the same name.
    """

    def __init__(self, path: Path) -> None:
        """Take the lock.

        Raises:
            LockedError: another process has it.
            OSError: the file cannot be made.
        """
        self._file = path.open("a+b")
        try:
            _lock(self._file.fileno())
        except (BlockingIOError, PermissionError) as error:  # as POSIX and as Windows say it
            self._file.seek(0)
            holder = self._file.read().decode()
            self._file.close()
            raise LockedError(f"process {holder}" if holder.isdecimal() else "another process") from error
        self._file.truncate(0)
        self._file.write(str(os.getpid()).encode())
        self._file.flush()

    def release(self) -> None:
        """Free the lock; once is enough, twice does no harm."""
        self._file.close()
