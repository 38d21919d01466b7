"""The id of a request goes with a task to the worker: what the task logs there names the request."""

import time

import pytest

from config.celery import app
from runs import origin
from runs.queue import task_messages
from worker_threads import worker_thread

SEEN: list[str] = []


@pytest.fixture
def worker(settings):
    @app.task(name="tests.note_request")
    def note() -> None:
        SEEN.append(origin.request_id.get())

    SEEN.clear()
    with worker_thread(settings.QUEUES.names["rest"]):
        yield
    del app.tasks["tests.note_request"]


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_task_works_for_the_request_that_sent_it_and_the_next_one_for_its_own(worker):
    for identifier in ("abc", "", "def"):
        with origin.of_request(identifier):
            assert task_messages.enqueue_task("tests.note_request")
    assert_soon(["abc", "", "def"])


def assert_soon(expected: list[str]) -> None:
    until = time.monotonic() + 20
    while len(SEEN) < len(expected) and time.monotonic() < until:
        time.sleep(0.05)
    assert expected == SEEN
