import threading

import pytest

from providers.messages import (
    AccessUnclear,
    Forbidden,
    Message,
    ProviderBusy,
    ProviderError,
    ProviderPaused,
    Refused,
    Reply,
    Request,
    TooDear,
    TurnedBack,
)
from providers.resilience.circuit_breaker import CircuitBreaker, CircuitBreakingModel
from providers.vendors.scripted import ScriptedModel

ASKED = Request("prior_text", (Message.of("user", "hello"),))
BUSY = ProviderBusy("503")


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def fail(model: CircuitBreakingModel, times: int, error: type[Exception] = ProviderBusy) -> None:
    for _ in range(times):
        with pytest.raises(error):
            model.reply(ASKED)


def test_five_faults_in_a_minute_open_the_breaker_for_a_minute(clock: Clock):
    script = ScriptedModel(*[BUSY] * 5, "yes")
    model = CircuitBreakingModel(script, breaker := CircuitBreaker("openai", clock=clock))
    fail(model, 4)
    fail(model, 1, ProviderPaused)  # the fifth opens it: its run waits too, it does not fail
    assert breaker.standing().paused_for == 60
    clock.now += 59
    with pytest.raises(ProviderPaused, match="openai keeps failing") as paused:
        model.reply(ASKED)
    assert paused.value.retry_after == 5  # at least five seconds, though one would do
    assert paused.value.attempts == 0
    assert len(script.asked) == 5


def test_after_the_minute_one_request_tries_and_closes_it(clock: Clock):
    model = CircuitBreakingModel(
        ScriptedModel(*[BUSY] * 5, "yes", "yes"), breaker := CircuitBreaker("openai", clock=clock)
    )
    fail(model, 4)
    fail(model, 1, ProviderPaused)
    clock.now += 60
    assert model.reply(ASKED).text == "yes"
    assert breaker.standing().paused_for == 0
    assert model.reply(ASKED).text == "yes"


def test_after_the_minute_a_failed_try_opens_it_again(clock: Clock):
    script = ScriptedModel(*[BUSY] * 6, "yes")
    model = CircuitBreakingModel(script, CircuitBreaker("openai", clock=clock))
    fail(model, 4)
    fail(model, 1, ProviderPaused)
    clock.now += 60
    fail(model, 1, ProviderPaused)
    clock.now += 59
    fail(model, 1, ProviderPaused)
    assert len(script.asked) == 6


def test_only_one_request_tries_at_a_time(clock: Clock):
    breaker = CircuitBreaker("openai", clock=clock, failures=1)
    fail(CircuitBreakingModel(ScriptedModel(BUSY), breaker), 1, ProviderPaused)
    clock.now += 60
    entered, leave = threading.Event(), threading.Event()

    def slow(request: Request) -> str:
        entered.set()
        leave.wait(60)
        return "yes"

    replies: list[Reply] = []
    trial = CircuitBreakingModel(ScriptedModel(slow), breaker)
    thread = threading.Thread(target=lambda: replies.append(trial.reply(ASKED)))
    thread.start()
    entered.wait(60)
    with pytest.raises(ProviderPaused):
        CircuitBreakingModel(ScriptedModel("yes"), breaker).reply(ASKED)
    leave.set()
    thread.join(60)
    assert replies[0].text == "yes"
    assert CircuitBreakingModel(ScriptedModel("yes"), breaker).reply(ASKED).text == "yes"


def test_faults_further_apart_than_a_minute_do_not_open_it(clock: Clock):
    model = CircuitBreakingModel(ScriptedModel(*[BUSY] * 8), breaker := CircuitBreaker("openai", clock=clock))
    for _ in range(8):
        fail(model, 1)
        clock.now += 16  # the fifth comes 64 s after the first
    assert breaker.standing().paused_for == 0


@pytest.mark.parametrize("answer", ["yes", Refused("no"), ProviderError("404", code="bad_request")])
def test_any_answer_of_the_provider_begins_the_count_anew(clock: Clock, answer: str | Refused | ProviderError):
    model = CircuitBreakingModel(
        ScriptedModel(*[BUSY] * 4, answer, *[BUSY] * 4), breaker := CircuitBreaker("openai", clock=clock)
    )
    fail(model, 4)
    if isinstance(answer, str):
        model.reply(ASKED)
    else:
        fail(model, 1, type(answer))
    fail(model, 4)
    assert breaker.standing().paused_for == 0


def test_a_closed_account_is_told_to_each_and_who_asks_after_it_was_opened_is_answered(clock: Clock):
    breaker = CircuitBreaker("openai", clock=clock)
    model = CircuitBreakingModel(ScriptedModel(*[Forbidden("openai answered 401")] * 2, "yes"), breaker)
    fail(model, 2, Forbidden)
    assert breaker.standing().paused_for == 0
    assert model.reply(ASKED).text == "yes"


def test_an_answer_that_was_under_way_when_the_breaker_opened_does_not_close_it(clock: Clock):
    breaker = CircuitBreaker("openai", clock=clock)
    old = breaker.enter()
    clock.now += 1
    fail(model := CircuitBreakingModel(ScriptedModel(*[BUSY] * 5, "never asked"), breaker), 4)
    fail(model, 1, ProviderPaused)
    clock.now += 1
    breaker.succeeded(old)
    assert breaker.standing().paused_for == 59
    fail(model, 1, ProviderPaused)


def test_a_late_fault_does_not_let_a_second_request_try_beside_the_first(clock: Clock):
    breaker = CircuitBreaker("openai", clock=clock)
    old = breaker.enter()
    fail(model := CircuitBreakingModel(ScriptedModel(*[BUSY] * 5, "never asked"), breaker), 4)
    fail(model, 1, ProviderPaused)
    clock.now += 61
    trial = breaker.enter()
    assert trial.is_trial
    with pytest.raises(ProviderPaused) as paused:
        breaker.failed(old, BUSY)  # its run waits like the others
    breaker.abandoned(old)
    assert paused.value.retry_after == 5
    fail(model, 1, ProviderPaused)
    with pytest.raises(ProviderPaused):
        breaker.failed(trial, BUSY)
    assert breaker.standing().paused_for == 60


def test_a_provider_is_away_where_others_fail_too_and_nobody_was_answered_since(clock: Clock):
    breaker = CircuitBreaker("openai", clock=clock)
    fail(model := CircuitBreakingModel(ScriptedModel(*[BUSY] * 3, "yes"), breaker), 2)
    assert not breaker.is_away(since=1000, failures=2)  # the faults are this request's own
    clock.now += 1
    fail(model, 1)
    assert breaker.is_away(since=1000, failures=2)
    clock.now += 58
    assert breaker.is_away(since=1000, failures=2)
    clock.now += 2
    assert not breaker.is_away(since=1000, failures=2)  # those of more than a minute ago are past


def test_a_provider_that_answers_others_is_not_away(clock: Clock):
    breaker = CircuitBreaker("openai", clock=clock)
    old = breaker.enter()
    clock.now += 1
    fail(CircuitBreakingModel(ScriptedModel(*[BUSY] * 3), breaker), 3)
    breaker.succeeded(old)  # begun before the first fault: says nothing of now
    assert breaker.is_away(since=1001, failures=2)
    clock.now += 1
    CircuitBreakingModel(ScriptedModel("yes"), breaker).reply(ASKED)
    assert not breaker.is_away(since=1001, failures=2)


# ── Who is at fault ───────────────────────────────────────────────────────────

UNCLEAR = AccessUnclear("turned away, look at the key", sentence="turned away", retry_after=300)


class Turning:
    """A model that turns away every question but a harmless one; with `everything` that one too."""

    name, sees_pictures = "openai:one", True

    def __init__(self, *, everything: bool, together: int = 1) -> None:
        self.everything, self.asked = everything, 0
        self.harmless: list[Request] = []
        self.all_here = threading.Barrier(together)

    def reply(self, request: Request) -> Reply:
        if request.messages == ASKED.messages:
            self.asked += 1
            self.all_here.wait(10)
        else:
            self.harmless.append(request)
        if self.everything or request.messages == ASKED.messages:
            raise AccessUnclear("turned away, look at the key", sentence="turned away", retry_after=300)
        return Reply("ready", self.name)


@pytest.mark.parametrize("everything", [False, True])
def test_of_many_that_are_turned_away_at_once_one_asks_something_harmless(everything: bool):
    together = 16
    model = Turning(everything=everything, together=together)
    guarded, faults = CircuitBreakingModel(model, breaker := CircuitBreaker("openai")), []

    def ask() -> None:
        try:
            guarded.reply(ASKED)
        except ProviderError as fault:
            faults.append(fault)

    threads = [threading.Thread(target=ask) for _ in range(together)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert (model.asked, len(model.harmless), len(faults)) == (together, 1, together)
    assert [isinstance(fault, ProviderPaused) for fault in faults] == [everything] * together
    assert sum(getattr(fault, "is_cause", False) for fault in faults) == int(everything)
    assert (breaker.standing().paused_for > 0) == everything


def test_of_calls_that_meet_a_bad_key_at_once_the_first_is_the_cause(clock: Clock):
    breaker = CircuitBreaker("openai", clock=clock)
    faults = [ProviderPaused("bad key", retry_after=300) for _ in range(3)]
    entries = [breaker.enter() for _ in faults]
    for entry, fault in zip(entries, faults, strict=True):
        breaker.turned_away(fault, entry)
    assert [fault.is_cause for fault in faults] == [True, False, False]
    with pytest.raises(ProviderPaused) as met:
        breaker.enter()
    assert not met.value.is_cause


def test_pages_in_a_row_are_taken_for_a_block_of_everything_once_a_harmless_request_meets_one(clock: Clock):
    script = ScriptedModel(*[TurnedBack("403 with a page")] * 6)
    model = CircuitBreakingModel(script, breaker := CircuitBreaker("openai", clock=clock))
    fail(model, 4, TurnedBack)
    assert breaker.standing().paused_for == 0
    fail(model, 1, ProviderPaused)
    assert (len(script.asked), breaker.standing().paused_for) == (6, 60)


@pytest.mark.parametrize(("tokens", "calls"), [(327, 2), (63, 1), (1500, 1)])
def test_a_shorter_answer_is_asked_for_once_where_it_makes_sense(tokens: int, calls: int):
    script = ScriptedModel(TooDear("can only afford", tokens), TooDear("can only afford", tokens))
    with pytest.raises(ProviderPaused) as paused:
        CircuitBreakingModel(script, CircuitBreaker("openai")).reply(ASKED)
    assert (len(script.asked), paused.value.attempts, paused.value.is_final) == (calls, calls, True)
