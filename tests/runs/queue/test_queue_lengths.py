"""How many messages wait in a broker: a broker that refuses the password is one that is away."""

import shutil
from collections.abc import Iterator

import celery
import kombu
import pytest
import redis

from absent import skip_or_fail
from config.queues import Work
from redis_server import Redis
from runs.queue import task_messages


@pytest.fixture
def broker() -> Iterator[Redis]:
    if not shutil.which("redis-server"):
        skip_or_fail("redis-server is not installed")
    made = Redis()
    yield made
    made.remove()


def test_a_password_that_was_changed_on_the_broker_is_a_broker_that_is_away(
    broker: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    with redis.Redis(port=broker.port) as admin:
        admin.config_set("requirepass", "the new one")

    def use(password: str) -> None:
        address = f"redis://:{password}@127.0.0.1:{broker.port}/0"
        monkeypatch.setattr(celery.current_app, "connection_for_read", lambda: kombu.Connection(address))

    use("the former one")
    assert task_messages.queue_lengths() is None
    use("the new one")
    assert task_messages.queue_lengths() is not None and set(task_messages.queue_lengths() or ()) <= set(Work)
