"""Run functions at the same time, each in a thread and on a database connection of its own."""

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from django.db import connection

Answered = TypeVar("Answered")


def at_once(acts: Sequence[Callable[[], Answered]]) -> list[Answered]:
    """Return the results of the functions in their order. Raises the error of any that fails."""
    gate = threading.Barrier(len(acts))
    answers: dict[int, Answered] = {}
    faults: list[Exception] = []

    def go(number: int, act: Callable[[], Answered]) -> None:
        try:
            gate.wait()
            answers[number] = act()
        except Exception as fault:
            faults.append(fault)
        finally:
            connection.close()

    threads = [threading.Thread(target=go, args=(number, act)) for number, act in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == [], faults
    return [answers[number] for number in range(len(acts))]
