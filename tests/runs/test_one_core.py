"""The threads that work on runs stay on one core, and leave it where others need it."""

import os
import random
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from runs import one_core, pool, runner, taking, working
from runs.one_core import Core, best

pytestmark = pytest.mark.no_database


def allowed() -> set[int]:
    """The cores that the calling thread may use; none where the system does not tell."""
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()


ALL = frozenset(allowed())
ONE = {min(1, len(ALL))}
"""How many cores a thread that is held may use."""


@pytest.fixture(autouse=True)
def core(monkeypatch: pytest.MonkeyPatch) -> Iterator[Core]:
    """A core of the test's own, where this thread is held to none."""
    monkeypatch.setattr(settings, "WORKER_ONE_CORE", True)
    core = Core()
    for module in (one_core, working, pool):
        monkeypatch.setattr(module, "core", core)
    yield core
    if ALL:
        os.sched_setaffinity(0, ALL)


def test_a_thread_is_held_while_it_works_and_free_afterwards(core: Core) -> None:
    with core.kept():
        assert {len(allowed())} == ONE
    assert allowed() == ALL


def test_a_thread_is_freed_also_where_its_work_breaks(core: Core) -> None:
    with pytest.raises(ZeroDivisionError), core.kept():
        raise ZeroDivisionError
    assert allowed() == ALL


def test_all_threads_of_a_worker_s_runs_share_the_core_and_others_do_not(
    core: Core, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[set[int]] = []
    models = pool.Pool(2)

    def perform(run_id: int, models_of: object) -> None:
        seen.append(allowed())
        seen.append(models.submit(allowed).result())

    monkeypatch.setattr(runner, "perform", perform)
    monkeypatch.setattr(taking, "take_next", lambda: None)
    workers = [threading.Thread(target=working.answer, args=(number,)) for number in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(seen) == 6
    assert {frozenset(each) for each in seen} == {frozenset(seen[0])}
    assert {len(seen[0])} == ONE
    assert allowed() == ALL


def test_off_means_that_the_system_decides(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "WORKER_ONE_CORE", False)
    with core.kept():
        core.look()
        assert allowed() == ALL
    assert core.at is None


def test_a_system_that_does_not_tell_its_cores_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    core = Core()
    with core.kept():
        core.look()
    assert core.at is None


def test_where_the_cores_times_cannot_be_read_one_is_taken_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(one_core, "_TIMES", tmp_path / "none")
    core = Core()
    with core.kept():
        assert {len(allowed())} == ONE


def test_threads_move_together_once_others_take_the_core(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two cores as the core's times tell them: that of the threads is taken by others, the other one is free."""
    monkeypatch.setattr(random, "random", lambda: 0.9)
    moved: list[tuple[int, set[int]]] = []
    monkeypatch.setattr(one_core, "_put", lambda thread, cores: moved.append((thread, set(cores))) or True)
    monkeypatch.setattr(core, "_cores", {0, 1})
    times = {0: 0.0, 1: 0.0}
    monkeypatch.setattr(one_core, "_busy", lambda: dict(times))
    with core.kept():
        first = core.at
        assert first in (0, 1)
        core.look()
        assert core.at == first  # looked at a moment ago
        times[first] += 1e6
        monkeypatch.setattr(core, "_looked", core._looked - 60)
        core.look()
        assert core.at == 1 - first
        me = threading.get_native_id()
        assert moved == [(me, {first}), (me, {1 - first})]
    assert moved[-1] == (me, {0, 1})


def test_what_the_process_itself_uses_of_its_core_drives_it_nowhere(
    core: Core, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(random, "random", lambda: 0.9)
    monkeypatch.setattr(one_core, "_put", lambda thread, cores: True)
    monkeypatch.setattr(core, "_cores", {0, 1})
    times, own = {0: 0.0, 1: 0.0}, [0.0]
    monkeypatch.setattr(one_core, "_busy", lambda: dict(times))
    monkeypatch.setattr("time.process_time", lambda: own[0])
    with core.kept():
        first = core.at
        assert first is not None
        times[first] += 60
        own[0] += 60
        monkeypatch.setattr(core, "_looked", core._looked - 60)
        core.look()
        assert core.at == first


@pytest.mark.parametrize(
    ("others", "at", "coin", "expected"),
    [
        ({0: 0.0, 1: 0.9}, None, 0.9, 0),  # the start: where there is most room
        ({0: 0.2, 1: 0.0}, 0, 0.9, 0),  # others use little of ours
        ({0: 0.9, 1: 0.8}, 0, 0.9, 0),  # no other has clearly more room
        ({0: 0.9, 1: 0.1}, 0, 0.9, 1),  # time to go
        ({0: 0.9, 1: 0.1}, 0, 0.1, 0),  # or to let the other worker go
    ],
)
def test_which_core_is_best(
    others: dict[int, float], at: int | None, coin: float, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(random, "random", lambda: coin)
    assert best(others, at) == expected
