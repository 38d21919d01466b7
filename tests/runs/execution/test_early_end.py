"""What is kept back for the end of a run, and which steps fit beside it."""

from providers.messages import Message, Request
from runs.execution.early_end import Kept, Room, fitting_steps, kept_for, kept_seconds
from runs.methods.method import Step, StepKind


def request(characters: int, most: int) -> Request:
    """Four characters are a token."""
    return Request("judge", (Message.of("user", "x" * characters),), max_tokens=most)


def fit(room: Room, *steps: Step) -> list[str]:
    fitting, _kept = fitting_steps(steps, lambda step: request(400, step.max_tokens), room, Kept(2, 1000))
    return [step.key for step in fitting]


READINGS = [Step(f"read.{number}", "a", max_tokens=100) for number in range(1, 6)]
SEARCH = Step("search", "a", kind=StepKind.SEARCH)


def test_two_tries_of_the_closing_step_are_kept() -> None:
    assert kept_for(request(400, 500)) == Kept(2, 2 * (100 + 500))
    assert (kept_seconds(3600), kept_seconds(20)) == (90.0, 5.0)


def test_as_many_calls_are_made_as_leave_room_for_the_end() -> None:
    assert fit(Room(7, 10**6), *READINGS) == [f"read.{number}" for number in range(1, 6)]
    assert fit(Room(5, 10**6), *READINGS) == ["read.1", "read.2", "read.3"]
    assert fit(Room(2, 10**6), *READINGS) == []


def test_what_an_answer_adds_to_the_last_question_is_kept_too() -> None:
    # Each reading takes 100 tokens in and 100 out, and 100 more in each of the two tries of the closing step.
    assert fit(Room(99, 1000 + 3 * 400), *READINGS) == ["read.1", "read.2", "read.3"]
    assert fit(Room(99, 1000 + 3 * 400 - 1), *READINGS) == ["read.1", "read.2"]


def test_nothing_is_searched_that_could_not_be_read() -> None:
    assert fit(Room(99, 1001), SEARCH) == ["search"]
    assert fit(Room(99, 1000), SEARCH) == fit(Room(2, 10**6), SEARCH) == []


def test_the_limit_that_is_near_is_named() -> None:
    kept = Kept(2, 1000)
    assert Room(2, 10**6).nearest_limit(kept) == "calls"
    assert Room(99, 1000).nearest_limit(kept) == "tokens"
    assert Room(99, 10**6).within(2, float("inf")).nearest_limit(kept) == "budget"
    assert Room(99, 10**6).within(float("inf"), 500).nearest_limit(kept) == "budget"
