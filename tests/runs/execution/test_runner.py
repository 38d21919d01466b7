"""The runner: a run is a log of turns, and every way it can end."""

import threading
import time
from concurrent.futures import Future
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from django.db.models import F
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from providers.messages import Forbidden, ProviderBusy, ProviderError, ProviderPaused, Refused, Reply, Request, Usage
from providers.vendors.scripted import ScriptedModel
from runs.control import start, sweep
from runs.execution import budget, shutdown, turns
from runs.execution import perform as run_perform
from runs.methods.method import Limits, Step, StepKind
from runs.models import Account, Pause, Run, SiteDay, Turn
from runs.queue import call_sql as calls
from runs.queue import claim, lease_keeper, model_facts, progress, provider_pauses
from runs.sql.database_clock import seconds_from_now
from scripted_runs import Rounds, perform, queued, step, word


def keys(run: Run) -> list[str]:
    return [turn.key for turn in run.turns.all()]


def test_asks_round_after_round_and_stores_the_outcome(rounds: Rounds) -> None:
    rounds.rounds = [[step("a"), step("b")], [step("c")]]
    run = perform(queued(), ScriptedModel(word("one"), word("one"), word("two")))
    assert (run.state, run.outcome) == ("succeeded", {"a": "one", "b": "one", "c": "two"})
    assert sorted(keys(run)[:2]) == ["a", "b"]
    assert keys(run)[2] == "c"
    assert [outcome.value for outcome in rounds.stored] == [{"a": "one", "b": "one", "c": "two"}]
    assert run.owner == ""
    assert run.calls == 3


def test_a_run_that_is_not_due_or_in_other_hands_is_left_alone(rounds: Rounds) -> None:
    rounds.rounds = [[step("a")]]
    model = ScriptedModel()
    later = perform(queued(not_before=timezone.now() + timedelta(hours=1)), model)
    taken = queued()
    claim.claim_run(taken.pk)
    perform(taken, model)
    assert (later.state, taken.state, model.asked) == ("queued", "running", [])


def test_performing_a_finished_run_again_does_nothing(rounds: Rounds) -> None:
    rounds.rounds = [[step("a")]]
    run = perform(queued(), ScriptedModel(word("one")))
    perform(run, ScriptedModel())
    assert (run.state, run.calls, len(rounds.stored)) == ("succeeded", 1, 1)


def test_goes_on_after_a_lost_worker_without_asking_again(rounds: Rounds) -> None:
    rounds.rounds = [[step("a")], [step("b")], [step("c")]]

    def die(request: Request) -> str:
        raise KeyboardInterrupt  # stands for a worker that is gone: nothing after it is written

    run = queued()
    with pytest.raises(KeyboardInterrupt):
        perform(run, ScriptedModel(word("one"), word("two"), die))
    run.refresh_from_db()
    assert (run.state, keys(run), list(run.in_flight)) == ("running", ["a", "b"], ["c"])

    Run.objects.update(lease_until=timezone.now() - timedelta(hours=1))
    assert sweep.requeue_lapsed_runs() == 1
    perform(run, ScriptedModel(word("three")))
    assert (run.state, run.lost_workers, keys(run)) == ("succeeded", 1, ["a", "b", "c"])
    lost = run.turns.get(key="c")
    assert (lost.flags, lost.calls) == (["possibly_billed_twice"], 2)
    assert run.turns.get(key="b").flags == []
    assert run.calls == 4


def test_after_three_lost_workers_a_run_fails_and_its_method_is_told(rounds: Rounds) -> None:
    run = queued()
    for _ in range(3):
        assert claim.claim_run(run.pk)
        Run.objects.update(lease_until=timezone.now() - timedelta(hours=1))
        sweep.requeue_lapsed_runs()
    run.refresh_from_db()
    assert (run.state, run.reason, run.lost_workers) == ("failed", "worker_lost", 3)
    assert [outcome.reason for outcome in rounds.stored] == ["worker_lost"]


def test_a_fault_of_the_method_itself_ends_after_three_tries(rounds: Rounds) -> None:
    rounds.rounds = [[step("a")]]
    rounds.next_steps = lambda case, turns: 1 / 0  # type: ignore[method-assign,assignment,return-value]
    run = queued()
    for _ in range(3):
        perform(run, ScriptedModel())
        assert sweep.requeue_lapsed_runs() == 1
    run.refresh_from_db()
    assert (run.state, run.reason) == ("failed", "worker_lost")


def test_a_moment_is_reached_within_its_own_millisecond(rounds: Rounds) -> None:
    run = queued()
    # One statement has one time, on every database: a lease that ends now has ended, and what is due now is due.
    for moment, reached in [(0, True), (-0.5, True), (0.5, False), (-86400, True), (86400, False)]:
        here = Run.objects.annotate(moment=seconds_from_now(moment), now=Now())
        assert here.filter(pk=run.pk, moment__lte=F("now")).exists() is reached
    ends = here.annotate(ends=seconds_from_now(1.5)).get()
    assert ends.ends - ends.now == timedelta(seconds=1.5)


def test_a_worker_that_lost_its_lease_keeps_the_answer_and_stops(rounds: Rounds) -> None:
    rounds.rounds = [[step("a")], [step("b")]]
    run = queued()

    def slow(request: Request) -> str:
        taker.extend(_taken_over(run.pk))
        return word("late")

    taker: list[str] = []
    perform(run, ScriptedModel(slow))
    assert (run.state, run.owner, keys(run)) == ("running", taker[0], ["a"])
    assert rounds.stored == []


def _taken_over(pk: int) -> list[str]:
    """Another worker has the run; this thread is not the runner's, so it closes its own connection."""
    Run.objects.filter(pk=pk).update(owner="another")
    connection.close()
    return ["another"]


LOST = {"a": {"calls": 1, "tokens": 50}}
"""What the row notes of a call that was under way when its worker fell silent."""


def late(run: Run) -> None:
    """The silent worker's answer comes in after all."""
    run.turns.create(
        key="a",
        kind="ask",
        role="speaker",
        value={"word": "first"},
        reply=word("first"),
        input_tokens=20,
        output_tokens=10,
    )


def test_two_workers_that_answer_the_same_step_keep_the_first_and_count_both(rounds: Rounds) -> None:  # F5
    rounds.rounds = [[step("a")]]
    run = queued(in_flight=LOST, calls=1, tokens=50)

    def overtaken(request: Request) -> Reply:
        late(run)
        connection.close()
        return Reply(word("second"), "m", Usage(25, 5))

    model = ScriptedModel()
    model.reply = overtaken  # type: ignore[method-assign]
    perform(run, model)
    turn = run.turns.get()
    assert (run.state, run.outcome) == ("succeeded", {"a": "first"})
    assert (turn.flags, turn.calls) == (["possibly_billed_twice"], 2)
    # Set aside for the silent worker's call were 50, the second took 30: 80 in all, 30 of them are the turn's own.
    account = Account.objects.get()
    assert (turn.lost_tokens, run.tokens, account.tokens) == (50, 80, 80)
    assert run.calls == account.calls == 2


def test_what_another_worker_answered_first_is_what_the_next_step_hears(
    rounds: Rounds, monkeypatch: pytest.MonkeyPatch
) -> None:  # F5
    rounds.rounds = [[step("a")], [step("b")]]
    run = queued(in_flight=LOST, calls=1, tokens=50)

    def overtaken(request: Request) -> Reply:
        late(run)
        connection.close()
        return Reply(word("second"), "m", Usage(25, 5))

    answers = iter([overtaken, lambda request: Reply(word("then"), "m", Usage(10, 10))])
    model = ScriptedModel()
    monkeypatch.setattr(model, "reply", lambda request: next(answers)(request))
    perform(run, model)
    assert (run.state, run.outcome) == ("succeeded", {"a": "first", "b": "then"})
    account = Account.objects.get()
    assert (run.calls, run.tokens, account.calls, account.tokens) == (3, 100, 3, 100)


@pytest.mark.parametrize("happened", ["nothing", "saved", "both"])
def test_a_turn_whose_saving_was_cut_off_is_booked_once(
    rounds: Rounds, happened: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds.rounds = [[step("a")], [step("b")], [step("c")]]
    name = "insert_turn_and_begin_call" if connection.vendor == "postgresql" else "insert_turn_and_book"
    real, cut = getattr(calls, name), []

    def cut_off(turn: Turn, *others: Any) -> tuple[bool, bool]:
        if turn.key != "b" or cut:
            return real(turn, *others)
        cut.append(turn.key)
        if happened == "both":
            real(turn, *others)
        elif happened == "saved" and connection.vendor == "postgresql":
            turn.save()
        raise OperationalError("the server closed the connection unexpectedly")

    monkeypatch.setattr(calls, name, cut_off)
    monkeypatch.setattr(turns, "_PAUSES", (0.01,))
    said = [Reply(word(each), "m", Usage(10, 10)) for each in "xyz"]
    model = ScriptedModel(*said)
    run = perform(queued(), model)
    assert (run.state, run.outcome, len(model.asked)) == ("succeeded", {"a": "x", "b": "y", "c": "z"}, 3)
    account = Account.objects.get()
    assert (cut, run.calls, run.tokens, account.calls, account.tokens) == (["b"], 3, 60, 3, 60)
    assert [turn.flags for turn in run.turns.all()] == [[], [], []]


def test_an_answer_is_saved_also_where_the_method_breaks_over_it(
    rounds: Rounds, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds.rounds = [[step("a")]]
    usual = rounds.next_steps
    monkeypatch.setattr(rounds, "next_steps", lambda case, turns: 1 / 0 if turns else usual(case, turns))
    run = perform(queued(), ScriptedModel(word("one")))
    assert (run.state, keys(run), run.in_flight) == ("running", ["a"], {})


def test_an_answer_that_came_late_is_used_and_settled_instead_of_asked_again(rounds: Rounds) -> None:
    rounds.rounds = [[step("a")]]
    run = queued(in_flight=LOST, calls=1, tokens=50)
    late(run)
    model = ScriptedModel()
    perform(run, model)
    assert (run.state, run.outcome, model.asked) == ("succeeded", {"a": "first"}, [])
    account = Account.objects.get()
    assert (run.calls, run.tokens, account.calls, account.tokens) == (1, 30, 1, 30)
    assert run.turns.get().flags == []


@pytest.mark.parametrize(
    ("lines", "state", "reason", "calls"),
    [
        pytest.param(["nothing of the kind"] * 3, "unreadable", "invalid_output", 3, id="L01 prose"),
        pytest.param(['{"word": 7}'] * 3, "unreadable", "invalid_output", 3, id="L05 wrong type"),
        pytest.param(["", " "], "unreadable", "empty_output", 2, id="L07 nothing said"),
        pytest.param(["I'm sorry, but I can't help with that."], "refused", "refused", 1, id="L08 declined in prose"),
        pytest.param([Refused("no")], "refused", "refused", 1, id="L08 refusal"),
        pytest.param(
            [Refused("blocked", code="provider_blocked")], "refused", "provider_blocked", 1, id="L09 blocked content"
        ),
        pytest.param([ProviderError("hangs", code="timeout")], "failed", "timeout", 1, id="L10 hang"),
        pytest.param([ProviderError("html")], "failed", "provider_error", 1, id="L14 no answer"),
        pytest.param([ProviderError("80 MB", code="too_large")], "unreadable", "too_large", 1, id="L17 endless body"),
        pytest.param([ProviderError("context", code="bad_request")], "failed", "bad_request", 1, id="L18 bad request"),
        pytest.param(
            # 1,500 tokens, then 3,000, 6,000, 12,000 and the site's most, 16,000.
            [Reply('{"word": "h', "m", finish="length")] * 5,
            "unreadable",
            "truncated",
            5,
            id="L03 cut",
        ),
    ],
)
def test_what_an_answer_makes_of_a_run(rounds: Rounds, lines: list[Any], state: str, reason: str, calls: int) -> None:
    rounds.rounds = [[step("a")]]
    model = ScriptedModel(*lines)
    run = perform(queued(), model)
    assert (run.state, run.reason, len(model.asked), run.calls) == (state, reason, calls, calls)
    assert [outcome.reason for outcome in rounds.stored] == [reason]
    assert run.detail.startswith("speaker: ")
    assert run.turns.get().reason == reason


def test_a_wrong_shape_is_asked_again_with_the_error(rounds: Rounds) -> None:
    rounds.rounds = [[step("a")]]
    model = ScriptedModel("nonsense", '{"wort": "x"}', word("yes"))
    run = perform(queued(), model)
    turn = run.turns.get()
    assert run.state == "succeeded"
    assert [message.role for message in model.asked[2].messages] == ["user", "assistant", "user"]
    assert "word" in model.asked[2].messages[2].text
    assert [each["reply"] for each in turn.rejected] == ["nonsense", '{"wort": "x"}']
    assert turn.calls == 3


def test_a_cut_answer_is_asked_once_more_with_double_room(rounds: Rounds) -> None:
    rounds.rounds = [[step("a", max_tokens=100)]]
    model = ScriptedModel(Reply('{"wo', "m", finish="length"), word("whole"))
    run = perform(queued(), model)
    assert (run.state, [request.max_tokens for request in model.asked]) == ("succeeded", [100, 200])


def test_a_repaired_answer_says_so(rounds: Rounds) -> None:
    rounds.rounds = [[step("a")]]
    run = perform(queued(), ScriptedModel('Here you are:\n```json\n{"word": "x"}\n```'))
    assert (run.state, run.turns.get().flags) == ("succeeded", ["repaired"])


def test_an_answer_that_repeats_the_canary_is_flagged(rounds: Rounds) -> None:
    rounds.rounds = [[step("a", canary="c0ffee")]]
    run = perform(queued(), ScriptedModel(word("c0ffee")))
    assert run.turns.get().flags == ["injection_suspected", "led_astray"]


def test_text_that_the_database_would_refuse_is_stored_with_marks(rounds: Rounds) -> None:
    rounds.rounds = [[step("a")]]
    run = perform(queued(), ScriptedModel("nul \x00 and half \ud83d a pair", word("fine")))
    assert run.turns.get().rejected[0]["reply"] == "nul \ufffd and half ? a pair"


def test_an_optional_step_may_be_refused(rounds: Rounds) -> None:
    rounds.rounds = [[step("a", optional=True)], [step("b")]]
    run = perform(queued(), ScriptedModel(Refused("no"), word("yes")))
    assert (run.state, run.outcome) == ("succeeded", {"a": None, "b": "yes"})


def test_a_closed_model_ends_the_run_also_at_an_optional_step_and_can_be_gone_on_with(rounds: Rounds) -> None:
    rounds.rounds = [[step("a", optional=True), step("c", optional=True)], [step("b")]]
    run = perform(queued(), ScriptedModel(*[Forbidden("401 no key.", retry_after=300)] * 2))
    assert (run.state, run.reason) == ("failed", "provider_error")
    assert run.detail == "speaker: scripted:lines gives no answer until a person acts. 401 no key."
    assert start.retry_run(run.public_id, enqueue=False)
    run = perform(run, ScriptedModel(word("one"), word("two"), word("yes")))
    assert (run.state, run.outcome) == ("succeeded", {"a": "one", "c": "two", "b": "yes"})


def test_a_step_that_was_never_sent_counts_no_call(rounds: Rounds) -> None:
    rounds.rounds = [[step("a"), step("b")]]
    unsent = Forbidden("401 no key.", retry_after=300)
    unsent.attempts = 0
    run = perform(queued(), ScriptedModel(Forbidden("401 no key.", retry_after=300), unsent))
    run.refresh_from_db()
    assert (run.calls, sorted(turn.calls for turn in run.turns.all())) == (1, [0, 1])


def test_a_saved_refusal_ends_the_run_also_after_a_crash(rounds: Rounds) -> None:
    rounds.rounds = [[step("a")], [step("b")]]
    run = queued()
    run.turns.create(key="a", kind="ask", role="speaker", state="refused", reason="refused", detail="no")
    model = ScriptedModel()
    perform(run, model)
    assert (run.state, run.reason, model.asked) == ("refused", "refused", [])


def test_a_search_is_a_turn_that_costs_no_call_and_is_not_done_twice(rounds: Rounds) -> None:
    found: list[str] = []

    def search() -> dict[str, str]:
        assert threading.current_thread() is not threading.main_thread()
        found.append("once")
        return {"word": "found"}

    rounds.rounds = [[Step("look", "library", kind=StepKind.SEARCH, work=search), step("a")], [step("b")]]
    run = queued()
    for lines in ([word("one"), ProviderBusy("503", retry_after=600)], [word("two")]):
        Run.objects.update(not_before=timezone.now() - timedelta(seconds=1))
        perform(run, ScriptedModel(*lines))
    assert (run.state, run.outcome) == ("succeeded", {"a": "one", "b": "two", "look": "found"})
    turn = run.turns.get(key="look")
    assert (turn.kind, turn.role, turn.calls, turn.input_tokens, turn.messages) == ("search", "library", 0, 0, [])
    assert (run.calls, found) == (2, ["once"])


@pytest.mark.parametrize(
    ("fault", "state", "reason"),
    [
        (ProviderBusy("503", retry_after=9), "queued", ""),
        (ProviderPaused("no quota"), "queued", ""),
        (ProviderError("no such index", code="bad_request"), "failed", "bad_request"),
        (Refused("filtered", code="provider_blocked"), "refused", "provider_blocked"),
    ],
)
def test_a_search_fails_as_a_question_does(rounds: Rounds, fault: Exception, state: str, reason: str) -> None:
    def search() -> None:
        raise fault

    rounds.rounds = [[Step("look", "library", kind=StepKind.SEARCH, work=search)]]
    run = perform(queued(), ScriptedModel())
    assert (run.state, run.reason, run.calls, run.tokens) == (state, reason, 0, 0)


def test_a_busy_provider_frees_the_worker_and_the_run_waits(rounds: Rounds) -> None:
    rounds.rounds = [[step("a")], [step("b")]]
    run = perform(queued(), ScriptedModel(word("one"), ProviderBusy("come back", retry_after=600)))
    assert (run.state, run.waits, run.calls, run.retries) == ("queued", 1, 1, 1)
    assert 590 < (run.not_before - timezone.now()).total_seconds() < 601
    assert Account.objects.get(project=run.project).calls == 1
    Run.objects.update(not_before=timezone.now() - timedelta(seconds=1))
    perform(run, ScriptedModel(word("two")))
    assert (run.state, run.waits, keys(run)) == ("succeeded", 0, ["a", "b"])
    assert run.turns.get(key="b").flags == []


def test_a_provider_that_stays_busy_fails_the_run_in_the_end(rounds: Rounds, settings: Any) -> None:
    settings.RUN_BUSY_ROUNDS = 2
    rounds.rounds = [[step("a")]]
    run = perform(queued(), ScriptedModel(ProviderBusy("busy", retry_after=-1)))
    assert run.state == "queued"
    perform(run, ScriptedModel(ProviderBusy("busy", retry_after=-1)))
    assert (run.state, run.reason, run.calls + run.retries) == ("failed", "provider_error", 2)


def test_a_question_asked_again_is_noted_if_its_second_half_has_to_wait(rounds: Rounds) -> None:
    rounds.rounds = [[step("a")]]
    run = perform(queued(), ScriptedModel("nonsense", ProviderBusy("busy", retry_after=-1)))
    assert (run.calls, run.in_flight["a"]["calls"]) == (1, 1)
    perform(run, ScriptedModel(word("one")))
    turn = run.turns.get()
    assert (turn.calls, turn.flags, run.calls) == (2, ["possibly_billed_twice"], 2)


def test_a_paused_provider_holds_all_its_runs_and_tells_why(rounds: Rounds) -> None:
    rounds.rounds = [[step("a")]]
    other = queued()
    run = perform(queued(), ScriptedModel(ProviderPaused("The key is not valid.", retry_after=300)))
    other.refresh_from_db()
    for each in (run, other):
        assert each.state == "queued"
        assert 290 < (each.not_before - timezone.now()).total_seconds() < 301
    assert run.waits == 0
    (pause,) = provider_pauses.pauses_in_force()
    assert (pause.provider, pause.detail, pause.waiting) == ("scripted", "The key is not valid.", 2)
    Pause.objects.update(until=timezone.now() - timedelta(seconds=91))
    assert (provider_pauses.pauses_in_force(), provider_pauses.delete_ended_pauses()) == ([], 1)


def test_a_person_cancels_between_turns_and_what_was_paid_stays(rounds: Rounds) -> None:
    rounds.rounds = [[step("a")], [step("b")]]
    run = queued()

    def cancelled_meanwhile(request: Request) -> str:
        start.cancel_runs([run.public_id])
        connection.close()
        return word("one")

    model = ScriptedModel(cancelled_meanwhile)
    perform(run, model)
    assert (run.state, run.reason, len(model.asked), keys(run)) == ("cancelled", "user", 1, ["a"])
    assert rounds.stored == []
    assert run.tokens > 0


def test_a_cancelled_run_goes_on_from_its_saved_turns(rounds: Rounds) -> None:
    rounds.rounds = [[step("a")], [step("b")]]
    run = queued()

    def cancelled_meanwhile(request: Request) -> str:
        start.cancel_runs([run.public_id])
        connection.close()
        return word("one")

    perform(run, ScriptedModel(cancelled_meanwhile))
    assert start.retry_run(run.public_id, enqueue=False)
    model = ScriptedModel(word("two"))
    perform(run, model)
    assert (run.state, len(model.asked), keys(run)) == ("succeeded", 1, ["a", "b"])


def test_a_cancelled_run_does_not_go_on_beside_one_like_it(rounds: Rounds) -> None:
    run = queued()
    start.cancel_runs([run.public_id])
    request = start.RunRequest(run.method, run.project, run.subject, run.model_plan, run.variant, run.repeat)
    assert start.queue_runs([request], enqueue=False) == 1
    assert not start.retry_run(run.public_id, enqueue=False)


def test_a_run_cancelled_during_its_last_turn_does_not_store_an_outcome(rounds: Rounds) -> None:
    rounds.rounds = [[step("a")]]
    run = queued()

    def cancelled_meanwhile(request: Request) -> str:
        start.cancel_runs([run.public_id])
        connection.close()
        return word("one")

    perform(run, ScriptedModel(cancelled_meanwhile))
    assert (run.state, run.outcome, rounds.stored) == ("cancelled", None, [])


def test_a_queued_run_is_cancelled_at_once(rounds: Rounds) -> None:
    run = queued()
    assert start.cancel_runs([run.public_id]) == 1
    run.refresh_from_db()
    assert (run.state, run.reason) == ("cancelled", "user")
    assert start.cancel_runs([run.public_id]) == 0


def test_a_subject_that_is_gone_cancels_the_run(rounds: Rounds, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_perform, "_CHECK_SUBJECT_EVERY", 0.0)
    rounds.rounds = [[step("a")], [step("b")]]

    def gone(request: Request) -> str:
        rounds.gone = True
        return word("one")

    before = queued()
    model = ScriptedModel(gone)
    run = perform(before, model)
    assert (run.state, run.reason, len(model.asked)) == ("cancelled", "target_gone", 1)
    later = perform(queued(), ScriptedModel())
    assert (later.state, later.reason) == ("cancelled", "target_gone")


def test_a_subject_that_goes_during_the_last_turn_cancels_the_run(rounds: Rounds) -> None:
    rounds.rounds = [[step("a")]]

    def gone(request: Request) -> str:
        rounds.gone = True
        return word("one")

    run = perform(queued(), ScriptedModel(gone))
    assert (run.state, run.reason, run.outcome) == ("cancelled", "target_gone", None)


def test_a_run_stays_within_its_own_limits(rounds: Rounds) -> None:
    rounds.rounds = [[step("a")], [step("b")]]
    rounds.limits = Limits(calls=1)
    model = ScriptedModel(word("one"))
    run = perform(queued(), model)
    assert (run.state, run.reason, run.calls, len(model.asked)) == ("failed", "budget_exceeded", 1, 1)
    assert "at most 1" in run.detail


def test_the_project_s_budget_is_reserved_before_a_call_and_settled_after_it(rounds: Rounds) -> None:
    rounds.rounds = [[step("a", max_tokens=1000)]]
    run = queued()
    budget.set_project_limits(run.project, calls=2, tokens=1100)
    perform(run, ScriptedModel(Reply(word("one"), "m", Usage(70, 30))))
    account = Account.objects.get(project=run.project)
    assert (account.calls, account.tokens, run.tokens) == (1, 100, 100)
    # 100 are spent, 1,000 and the prompt's would be reserved: more than 1,100.
    second = perform(queued(run.project), ScriptedModel())
    assert (second.state, second.reason) == ("failed", "budget_exceeded")
    account.refresh_from_db()
    assert (account.calls, account.tokens) == (1, 100)


def test_a_budget_set_while_a_run_works_counts_what_it_used_so_far(rounds: Rounds) -> None:
    rounds.rounds = [[step("a")], [step("b")], [step("c")]]
    run = queued()

    def limited_meanwhile(request: Request) -> Reply:
        assert progress.project_spending(run.project).calls == 2  # on the way: the account itself was charged for none
        assert Account.objects.get(project=run.project).calls == 0
        budget.set_project_limits(run.project, calls=2, tokens=None)
        connection.close()
        return Reply(word("two"), "m", Usage(10, 10))

    model = ScriptedModel(Reply(word("one"), "m", Usage(10, 10)))
    answers = iter([model.reply, limited_meanwhile])
    model.reply = lambda request: next(answers)(request)  # type: ignore[method-assign]
    perform(run, model)
    assert (run.state, run.reason, keys(run)) == ("failed", "budget_exceeded", ["a", "b"])
    account = Account.objects.get(project=run.project)
    assert (account.calls, account.tokens) == (run.calls, run.tokens) == (2, 40)


def test_a_turn_takes_few_statements_for_an_answer_saved_and_the_next_call_reserved(rounds: Rounds) -> None:
    def statements(length: int) -> int:
        rounds.rounds = [[step(f"s{number}")] for number in range(length)]
        run = queued()
        with CaptureQueriesContext(connection) as asked:
            assert perform(run, ScriptedModel(*[word("x")] * length)).state == "succeeded"
        return sum(not each["sql"].startswith(("BEGIN", "COMMIT")) for each in asked.captured_queries)

    model_facts.refresh_facts()  # a statement a minute, whatever is asked
    # PostgreSQL saves the turn, books it on the run and reserves the next call in one; SQLite, where a statement costs
    # no way, in three.
    assert (statements(7) - statements(2)) / 5 == (1 if connection.vendor == "postgresql" else 3)
    assert statements(1) <= 10


def test_the_site_s_budget_of_the_day_binds_all_projects(rounds: Rounds, settings: Any) -> None:
    settings.RUN_SITE_CALLS_A_DAY = 1
    rounds.rounds = [[step("a")]]
    assert perform(queued(), ScriptedModel(word("one"))).state == "succeeded"
    second = perform(queued(), ScriptedModel())
    assert (second.state, second.reason) == ("failed", "budget_exceeded")
    assert "today" in second.detail


@pytest.mark.parametrize(("limit", "state", "tokens"), [(1102, "succeeded", 200), (1101, "failed", 100)])
def test_a_call_that_could_go_over_the_site_s_tokens_of_the_day_is_not_made(
    rounds: Rounds, settings: Any, limit: int, state: str, tokens: int
) -> None:
    # The first run used 70 + 30 = 100 tokens. The second one reserves 1,000 for the answer and 2 for the six letters of
    # "Say a.": 100 + 1,002 = 1,102 fits a limit of 1,102 and not one of 1,101.
    settings.RUN_SITE_TOKENS_A_DAY = limit
    rounds.rounds = [[step("a", max_tokens=1000)]]
    assert perform(queued(), ScriptedModel(Reply(word("one"), "m", Usage(70, 30)))).state == "succeeded"
    model = ScriptedModel(Reply(word("two"), "m", Usage(60, 40)))
    second = perform(queued(), model)
    assert (second.state, len(model.asked), SiteDay.objects.get().tokens) == (state, second.calls, tokens)
    if state == "failed":
        assert (second.calls, second.reason) == (0, "budget_exceeded")
        assert second.detail == "The site's budget of today for model calls is used up."


def test_a_run_that_has_worked_for_too_long_ends_with_timeout(rounds: Rounds) -> None:
    rounds.rounds = [[step("a")]]
    rounds.limits = Limits(seconds=1)

    def slow(request: Request) -> str:
        time.sleep(1.6)
        return word("late")

    run = perform(queued(), ScriptedModel(slow))
    assert (run.state, run.reason) == ("failed", "timeout")


def test_a_worker_told_to_stop_saves_what_arrives_and_hands_the_run_back(
    rounds: Rounds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutdown, "_stop_requested", Future())
    rounds.rounds = [[step("a")], [step("b")]]

    def told(request: Request) -> str:
        shutdown.request_stop()
        return word("one")

    run = perform(queued(), ScriptedModel(told))
    assert (run.state, run.lost_workers, keys(run), run.in_flight) == ("queued", 0, ["a"], {})
    monkeypatch.setattr(shutdown, "_stop_requested", Future())
    perform(run, ScriptedModel(word("two")))
    assert (run.state, keys(run)) == ("succeeded", ["a", "b"])


def test_a_worker_told_to_stop_leaves_a_slow_model_behind_after_the_grace(
    rounds: Rounds, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.RUN_GRACE_SECONDS = 0
    monkeypatch.setattr(shutdown, "_stop_requested", Future())
    rounds.rounds = [[step("a")]]

    def slow(request: Request) -> str:
        shutdown.request_stop()
        time.sleep(0.5)
        return word("late")

    run = perform(queued(), ScriptedModel(slow))
    assert (run.state, keys(run), list(run.in_flight)) == ("queued", [], ["a"])


@pytest.mark.parametrize("hours", [-1, 1])
def test_f24_a_worker_s_clock_that_jumps_moves_no_lease(
    rounds: Rounds, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    run = queued()
    jumped = timezone.now() + timedelta(hours=hours)
    monkeypatch.setattr(timezone, "now", lambda: jumped)
    assert claim.claim_run(run.pk)
    assert (sweep.requeue_lapsed_runs(), sweep.enqueue_waiting_runs()) == (0, 0)
    run.refresh_from_db()
    assert run.state == "running"
    assert run.lease_until and abs((run.lease_until - jumped).total_seconds()) > 3000


def test_the_lease_is_renewed_while_a_model_thinks(
    rounds: Rounds, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.RUN_LEASE_SECONDS = 4
    ended = threading.Event()

    class Keeper(lease_keeper.LeaseKeeper):
        """A keeper whose thread does nothing more once the run has ended: it outlives the test."""

        def _renewed(self) -> bool:
            return threading.Event().wait() if ended.is_set() else super()._renewed()

    monkeypatch.setattr(lease_keeper, "KEEPER", Keeper())
    rounds.rounds = [[step("a")]]
    run = queued()
    seen: list[bool] = []

    def slow(request: Request) -> str:
        time.sleep(5.5)  # longer than the lease lasts
        seen.append(bool(sweep.requeue_lapsed_runs()))
        row = Run.objects.get(pk=run.pk)
        seen.append(bool(row.lease_until and row.lease_until > timezone.now()))
        connection.close()
        return word("one")

    perform(run, ScriptedModel(slow))
    ended.set()
    assert (run.state, seen) == ("succeeded", [False, True])


@pytest.mark.slow
@pytest.mark.faults
def test_an_answer_is_not_lost_to_a_database_that_is_locked_for_a_while(rounds: Rounds) -> None:
    rounds.rounds = [[step("a")], [step("b")]]
    run = queued()
    held, freed = threading.Event(), threading.Event()

    def lock_for_a_while() -> None:
        """Hold the table longer than a statement waits for it, from another connection."""
        with transaction.atomic(), connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute("LOCK TABLE runs_turn IN ACCESS EXCLUSIVE MODE")
            held.set()
            time.sleep(7)
        freed.set()
        connection.close()

    def answer(request: Request) -> str:
        locker = threading.Thread(target=lock_for_a_while)
        locker.start()
        held.wait(5)
        return word("one")

    if connection.vendor == "sqlite":
        connection.cursor().execute("PRAGMA busy_timeout = 1000")
    model = ScriptedModel(answer, word("two"))
    perform(run, model)
    freed.wait(10)
    assert (run.state, keys(run), len(model.asked), run.calls) == ("succeeded", ["a", "b"], 2, 2)
    assert run.lost_workers == 0
    assert Account.objects.get().tokens == run.tokens


def test_what_a_provider_let_us_wait_for_nothing_is_no_work_of_the_run(rounds: Rounds) -> None:
    rounds.rounds = [[step("a")], [step("b")]]

    def answer(request: Request) -> str:
        time.sleep(0.2)
        return word("one")

    def busy(request: Request) -> str:
        time.sleep(1.0)
        raise ProviderBusy("later", retry_after=30)

    run = perform(queued(), ScriptedModel(answer, busy))
    assert (run.state, run.detail) == ("queued", "later")
    assert 0.2 <= run.seconds < 0.9  # the answer took 0.2 s, the second during which nothing came does not count


def test_a_worker_that_cannot_read_a_picture_gives_the_run_to_others(rounds: Rounds, settings: Any) -> None:
    settings.RUN_BUSY_ROUNDS = 3
    rounds.rounds = [[step("a")]]
    rounds.unreadable = True
    run = perform(queued(), ScriptedModel())
    assert (run.state, run.waits, run.owner) == ("queued", 1, "")
    assert run.detail.endswith("cannot read a file of the subject: FileNotFoundError.")
    rounds.unreadable = False
    Run.objects.update(not_before=seconds_from_now(-1))
    assert perform(run, ScriptedModel(word("one"))).state == "succeeded"


def test_a_picture_that_nobody_can_read_ends_the_run(rounds: Rounds, settings: Any) -> None:
    settings.RUN_BUSY_ROUNDS = 2
    rounds.rounds, rounds.unreadable, run = [[step("a")]], True, queued()
    for _ in range(2):
        Run.objects.update(not_before=seconds_from_now(-1))
        run = perform(run, ScriptedModel())
    assert run.detail == "A fault in the program; the worker's log says more."  # lapses, as after any other fault
