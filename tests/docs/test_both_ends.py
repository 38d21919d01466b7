"""How the files of tests are shared out among processes (`make test-all`)."""

from types import SimpleNamespace
from typing import Any

import pytest

from both_ends import BothEnds

TESTS = [f"tests/test_{file}.py::test_{number}" for file in range(9) for number in range(3)]


class Process:
    """A process that is told which tests to run, and runs none."""

    shutting_down = False

    def __init__(self, number: int) -> None:
        self.gateway = SimpleNamespace(id=f"gw{number}")
        self.given: list[int] = []

    def send_runtest_some(self, indices: list[int]) -> None:
        self.given += indices

    def shutdown(self) -> None:
        self.shutting_down = True


def begun(processes: int) -> tuple[BothEnds, list[Process]]:
    config: Any = SimpleNamespace(
        getvalue=lambda name: ["popen"] * processes, option=SimpleNamespace(loadscopereorder=False), hook=None
    )
    scheduler, started = BothEnds(config), [Process(number) for number in range(processes)]
    scheduler.cores = 2
    for process in started:
        scheduler.add_node(process)
        scheduler.add_node_collection(process, TESTS)
    scheduler.schedule()
    return scheduler, started


def first_files(processes: int) -> list[int]:
    """Return the number of the file that each process begins with."""
    return [process.given[0] // 3 for process in begun(processes)[1]]


def test_two_cores_begin_with_the_last_files_and_the_other_processes_with_the_first():
    assert first_files(5) == [8, 7, 0, 1, 2]
    assert first_files(2) == [8, 0]
    assert first_files(1) == [0]


def test_every_test_is_given_once_and_a_file_to_one_process():
    assert {file for file, _ in done_by(3)} == set(range(9))
    assert len(done_by(3)) == 9


def test_a_file_with_many_tests_is_given_in_portions(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(BothEnds, "portion", 2)
    assert len(done_by(3)) > 9


def done_by(processes: int) -> set[tuple[int, int]]:
    """Run everything that is given, and return which process had tests of which file."""
    scheduler, started = begun(processes)
    done: dict[int, int] = {}
    while scheduler.has_pending:
        for number, process in enumerate(started):
            for index in [index for index in process.given if index not in done]:
                done[index] = number
                scheduler.mark_test_complete(process, index)
    assert sorted(index for process in started for index in process.given) == list(range(len(TESTS)))
    return {(index // 3, number) for index, number in done.items()}
