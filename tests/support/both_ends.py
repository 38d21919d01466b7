"""Share the files of tests among processes from both ends: those that wait from one, those that compute from the other.

The files with slow tests stand first, the longest before the others (`tests/conftest.py`). Their tests mostly wait for
processes that they start, so that a machine that runs only them is idle, and one that runs only the others has nothing
to wait for.
"""

import os
from collections import Counter
from functools import cached_property

from xdist.scheduler import LoadFileScheduling
from xdist.workermanage import WorkerController


class BothEnds(LoadFileScheduling):  # type: ignore[misc]
    """Give files: as many processes as there are cores begin with the last ones, the others with the first.

    A file whose tests share a server is given as a whole; only files with many tests are given in portions.
    """

    cores = os.cpu_count() or 1
    portion = 30

    @cached_property
    def _portions(self) -> dict[str, str]:
        """Return the portion of its file that each test belongs to."""
        tests: Counter[str] = Counter()
        portions = {}
        for nodeid in self.collection or ():
            file = super()._split_scope(nodeid)
            portions[nodeid] = f"{file} {tests[file] // self.portion}"
            tests[file] += 1
        return portions

    def _split_scope(self, nodeid: str) -> str:
        return self._portions[nodeid]

    def _assign_work_unit(self, node: WorkerController) -> None:
        number = int(node.gateway.id.removeprefix("gw"))
        if number < min(self.cores, self.numnodes - 1):  # one at least begins with the first
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)
