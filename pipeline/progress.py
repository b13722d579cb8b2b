"""The one progress bar: deals done, deals a second, undecided so far."""

import sys
from types import TracebackType

from tqdm import tqdm


class Progress:
    """A bar on stderr, absent when quiet or when stderr is no terminal. Use it as a context manager."""

    def __init__(self, total: int, description: str, *, is_quiet: bool = False) -> None:
        """Show a bar.

        Args:
            total: deals of the run.
            description: what is under way, in a word or two.
            is_quiet: show none.
        """
        self.undecided = 0
        self._bar = tqdm(
            total=total,
            desc=description,
            unit=" deals",
            disable=is_quiet or not sys.stderr.isatty(),
            file=sys.stderr,
            dynamic_ncols=True,
        )
        self.advance(0)

    def __enter__(self) -> "Progress":
        """Return the progress itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the bar as it stands."""
        self._bar.close()

    def skip(self, deals: int) -> None:
        """Count deals that an earlier run did; they are no part of the rate."""
        if not self._bar.disable:
            self._bar.initial += deals
            self._bar.n += deals

    def advance(self, deals: int, undecided: int = 0) -> None:
        """Count ``deals`` more; ``undecided`` of them are open (negative when a later pass settles some)."""
        self.undecided += undecided
        self._bar.set_postfix_str(f"{self.undecided} undecided", refresh=False)
        self._bar.update(deals)
