"""Rules and searches of the games: numpy, numba and the standard library only; no files, no logging, no clock.

Importing this package names the folder in which Numba keeps compiled code. Numba looks for edits in the one file that
holds a function, not in the files whose functions it calls; so the folder's name carries a hash of every source file
here.
"""

import hashlib
import os
import sys
from pathlib import Path


def _source_hash() -> str:
    digest = hashlib.sha256()
    root = Path(__file__).parent
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _cache_home() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))


if "NUMBA_CACHE_DIR" not in os.environ:
    # Checked and unchecked code must not share a folder.
    flavour = "checked" if os.environ.get("NUMBA_BOUNDSCHECK", "0") not in ("", "0") else "plain"
    os.environ["NUMBA_CACHE_DIR"] = str(_cache_home() / "solitaire-deals" / f"{_source_hash()}-{flavour}")
