"""A run that ended refused or unreadable goes on from where it stopped, and the first one stays as it was."""

from collections.abc import Callable
from typing import Any

import pytest

from providers.messages import Refused, Reply, Request, Usage
from runs.control import fork
from runs.domain.states import Flag, Reason
from runs.execution import runner
from runs.methods.method import Finish, GiveUp, SavedTurn
from runs.models import Run
from scripted_runs import Rounds, perform, queued, step, word


class Answers:
    """A model that answers each question by its key, and notes who was asked."""

    def __init__(self, **lines: Any) -> None:
        self.lines, self.asked = lines, list[str]()

    def reply(self, request: Request) -> Reply:
        key = request.messages[0].text.removeprefix("Say ").removesuffix(".")
        self.asked.append(key)
        line = self.lines[key]
        if isinstance(line, Exception):
            raise line
        return Reply(line, "scripted", Usage(3, 4), 0.0, "stop")


def go_on(run: Run, model: Answers) -> Run:
    continued = fork.continue_run(run, enqueue=False)
    assert continued is not None
    return perform(continued, model)


def test_only_what_brought_no_usable_answer_is_asked_again(rounds: Rounds) -> None:
    rounds.rounds = [[step("one")], [step("two"), step("three")], [step("four")]]
    stopped = perform(queued(call_limit=9), Answers(one=word("a"), two="nonsense", three=word("c")))
    assert (stopped.state, stopped.reason, stopped.calls) == ("unreadable", "invalid_output", 5)
    model = Answers(two=word("b"), four=word("d"))
    continued = go_on(stopped, model)
    assert model.asked == ["two", "four"]
    assert (continued.state, continued.outcome) == ("succeeded", {"one": "a", "three": "c", "two": "b", "four": "d"})
    assert (continued.calls, continued.forked_from, continued.call_limit) == (2, stopped, 9)
    flags = {turn.key: Flag.TAKEN_OVER in turn.flags for turn in continued.turns.all()}
    assert flags == {"one": True, "three": True, "two": False, "four": False}
    stopped.refresh_from_db()
    assert (stopped.state, stopped.turns.count(), stopped.turns.get(key="two").calls) == ("unreadable", 3, 3)


def test_two_that_stopped_side_by_side_are_both_asked_again(rounds: Rounds) -> None:
    rounds.rounds = [[step("one"), step("two")]]
    stopped = perform(queued(), Answers(one=Refused("no"), two="nonsense"))
    model = Answers(one=word("a"), two=word("b"))
    assert go_on(stopped, model).state == "succeeded"
    assert sorted(model.asked) == ["one", "two"]


def test_an_optional_answer_that_could_not_be_used_stays_as_it_was(rounds: Rounds) -> None:
    rounds.rounds = [[step("one", optional=True)], [step("two")]]
    stopped = perform(queued(), Answers(one=Refused("no"), two=Refused("no")))
    assert (stopped.state, stopped.reason) == ("refused", "refused")
    model = Answers(two=word("b"))
    assert go_on(stopped, model).outcome == {"one": None, "two": "b"}
    assert model.asked == ["two"]


def test_where_a_method_gave_up_its_last_answers_are_asked_again(
    rounds: Rounds, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds.rounds = [[step("one")], [step("two")]]
    ordinary: Callable[..., Any] = rounds.next_steps

    def gives_up(case: Any, turns: dict[str, SavedTurn]) -> Any:
        steps = ordinary(case, turns)
        no = isinstance(steps, Finish) and steps.value["two"] == "no"
        return GiveUp(Reason.INVALID_OUTPUT, "no is no answer") if no else steps

    monkeypatch.setattr(rounds, "next_steps", gives_up)
    stopped = perform(queued(), Answers(one=word("a"), two=word("no")))
    assert (stopped.state, fork.stop_of(stopped)) == ("unreadable", ({"one"}, {"two"}))
    model = Answers(two=word("yes"))
    assert go_on(stopped, model).outcome == {"one": "a", "two": "yes"}
    assert model.asked == ["two"]


def test_where_a_method_names_the_answer_it_gave_up_at_it_and_all_after_it_are_asked_again(
    rounds: Rounds, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds.rounds = [[step("one")], [step("two", optional=True)], [step("three")]]
    ordinary: Callable[..., Any] = rounds.next_steps

    def gives_up(case: Any, turns: dict[str, SavedTurn]) -> Any:
        steps = ordinary(case, turns)
        no = isinstance(steps, Finish) and steps.value["three"] == "no"
        return GiveUp(Reason.REFUSED, "two was refused", "two") if no else steps

    monkeypatch.setattr(rounds, "next_steps", gives_up)
    stopped = perform(queued(), Answers(one=word("a"), two=Refused("no"), three=word("no")))
    assert (stopped.state, fork.stop_of(stopped)) == ("refused", ({"one"}, {"two", "three"}))
    model = Answers(two=word("b"), three=word("yes"))
    assert go_on(stopped, model).outcome == {"one": "a", "two": "b", "three": "yes"}
    assert model.asked == ["two", "three"]


def test_a_run_goes_on_once_at_a_time_and_only_if_it_stopped_at_an_answer(rounds: Rounds) -> None:
    rounds.rounds = [[step("one")]]
    stopped = perform(queued(), Answers(one="nonsense"))
    assert fork.continue_run(stopped, enqueue=False) is not None
    assert fork.continue_run(stopped, enqueue=False) is None
    ended = perform(queued(), Answers(one=word("a")))
    with pytest.raises(fork.CannotFork, match="succeeded"):
        fork.continue_run(ended)
    rounds.gone = True
    with pytest.raises(fork.CannotFork, match="gone"):
        fork.continue_run(stopped)


def test_a_role_that_is_named_is_asked_anew_even_with_the_same_model(rounds: Rounds) -> None:
    rounds.rounds = [[step("one")]]
    ended = perform(queued(), Answers(one=word("a")))
    again = fork.fork_run(ended, {"speaker": "scripted:lines"}, variant="", enqueue=False)
    assert again is not None and again.turns.count() == 0
    runner.claim_and_perform(again.pk, lambda role, name: Answers(one=word("b")))
    again.refresh_from_db()
    assert again.outcome == {"one": "b"}
