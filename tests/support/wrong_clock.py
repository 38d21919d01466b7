"""A clock that a test sets, for processes and all that they start."""

import shutil
import subprocess
from pathlib import Path

from absent import skip_or_fail


class Clock:
    """A wrong clock, which is put forward or back while processes go by it.

    What measures durations (the monotonic clock) goes on, as on a machine whose clock is set. Skips the test without a
    compiler of C.
    """

    def __init__(self, folder: Path, ahead: int = 0) -> None:
        library = folder / "wrong_clock.so"
        if not library.exists():
            _compile(library)
        self._file = folder / f"clock_{ahead}"
        self.environment = {"LD_PRELOAD": str(library), "WRONG_CLOCK": str(self._file)}
        self.set(ahead)

    def set(self, ahead: int) -> None:
        """Set it so many seconds ahead of the right time; back, if they are negative."""
        beside = self._file.with_suffix(".new")
        beside.write_text(str(ahead))
        beside.replace(self._file)


def _compile(library: Path) -> None:
    if (compiler := shutil.which("cc")) is None:
        skip_or_fail("no compiler of C is installed")
    source = Path(__file__).with_suffix(".c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source], check=True, timeout=60)
