"""What takes long to load registers itself at the first question."""

import threading
import time
from collections.abc import Callable

import pytest

from vocabulary import registration


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(registration, "_waiting", [])
    return []


def noting(calls: list[str], word: str, seconds: float = 0.0) -> Callable[[], None]:
    def register() -> None:
        time.sleep(seconds)
        calls.append(word)

    return register


def test_each_registers_once_in_order_at_the_first_question(calls: list[str]) -> None:
    registration.register_at_first_use(noting(calls, "first"))
    registration.register_at_first_use(noting(calls, "second"))
    assert calls == []
    registration.complete()
    registration.complete()
    assert calls == ["first", "second"]


def test_who_registers_may_ask_a_registry(calls: list[str]) -> None:
    def register() -> None:
        registration.complete()
        calls.append("asked")

    registration.register_at_first_use(register)
    registration.complete()
    assert calls == ["asked"]


def test_a_thread_that_asks_meanwhile_gets_its_answer_when_all_is_there(calls: list[str]) -> None:
    registration.register_at_first_use(noting(calls, "slow", 0.1))
    seen: list[list[str]] = []

    def ask() -> None:
        registration.complete()
        seen.append([*calls])

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [["slow"]] * 4


def test_what_failed_is_tried_again_at_the_next_question(calls: list[str]) -> None:
    attempts = iter([ImportError("no disk"), None])

    def register() -> None:
        if fault := next(attempts):
            raise fault
        calls.append("done")

    registration.register_at_first_use(register)
    with pytest.raises(ImportError):
        registration.complete()
    registration.complete()
    assert calls == ["done"]
