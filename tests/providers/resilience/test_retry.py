import pytest

from providers.messages import Message, Model, ProviderBusy, ProviderError, ProviderPaused, Refused, Request
from providers.resilience.circuit_breaker import CircuitBreaker, CircuitBreakingModel
from providers.resilience.retry import RetryingModel, RetryPolicy
from providers.vendors.scripted import ScriptedModel

ASKED = Request("prior_text", (Message.of("user", "hello"),))


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def retrying(model: Model, time: Time, **changed: object) -> RetryingModel:
    longest = lambda least, most: most  # noqa: E731
    return RetryingModel(model, RetryPolicy(sleep=time.sleep, clock=time, uniform=longest, **changed))  # type: ignore[arg-type]


def busy(retry_after: float | None = None, code: str | None = None) -> ProviderBusy:
    return ProviderBusy("503", retry_after=retry_after, code=code)


def test_an_answer_at_once_is_not_waited_for():
    time = Time()
    assert retrying(ScriptedModel("yes"), time).reply(ASKED).attempts == 1
    assert time.slept == []


def test_passing_faults_are_asked_again_after_growing_pauses():
    time = Time()
    model = ScriptedModel(busy(), busy(), busy(), busy(), "yes")
    reply = retrying(model, time).reply(ASKED)
    assert (reply.text, reply.attempts) == ("yes", 5)
    assert time.slept == [2, 4, 8, 16]


def test_pauses_are_drawn_between_one_and_thirty_seconds():
    drawn: list[tuple[float, float]] = []
    model = ScriptedModel(*[busy()] * 8, "yes")

    def uniform(least: float, most: float) -> float:
        drawn.append((least, most))
        return 0.0

    RetryingModel(model, RetryPolicy(attempts=9, sleep=lambda seconds: None, uniform=uniform)).reply(ASKED)
    assert drawn == [(1, 2), (1, 4), (1, 8), (1, 16), (1, 30), (1, 30), (1, 30), (1, 30)]


def test_five_attempts_then_a_final_fault_with_the_code_of_the_last():
    model = ScriptedModel(busy(), busy(), busy(), busy(), busy(code="timeout"), "too late")
    with pytest.raises(ProviderError, match="attempt 5 of 5") as fault:
        retrying(model, Time()).reply(ASKED)
    assert fault.value.code == "timeout"
    assert not isinstance(fault.value, ProviderBusy)
    assert len(model.asked) == 5


def test_what_is_raised_has_counted_the_attempts():
    for lines, attempts in (
        ([busy(), busy(), Refused("no")], 3),
        ([busy(), ProviderError("404")], 2),
        ([busy(), busy(600)], 2),
        ([busy() for _ in range(5)], 5),
    ):
        with pytest.raises((ProviderError, Refused)) as fault:
            retrying(ScriptedModel(*lines), Time()).reply(ASKED)
        assert fault.value.attempts == attempts


def test_a_short_retry_after_is_waited_for_exactly():
    time = Time()
    retrying(ScriptedModel(busy(3), busy(60), "yes"), time).reply(ASKED)
    assert time.slept == [3, 60]


def test_a_long_retry_after_gives_the_worker_back():
    time = Time()
    model = ScriptedModel(busy(600), "never asked")
    with pytest.raises(ProviderBusy) as fault:
        retrying(model, time).reply(ASKED)
    assert fault.value.retry_after == 600
    assert (time.slept, len(model.asked)) == ([], 1)


def test_patience_ends_before_a_pause_that_would_pass_it():
    time = Time()
    model = ScriptedModel(busy(50), busy(50), busy(50), "never asked")
    with pytest.raises(ProviderError):
        retrying(model, time, patience=120).reply(ASKED)
    assert time.slept == [50, 50]


@pytest.mark.parametrize("fault", [ProviderError("404", code="bad_request"), ProviderPaused("no quota"), Refused("no")])
def test_final_faults_and_refusals_are_never_asked_again(fault: Exception):
    model = ScriptedModel(fault, "never asked")  # type: ignore[arg-type]
    with pytest.raises(type(fault)):
        retrying(model, Time()).reply(ASKED)
    assert len(model.asked) == 1


def test_an_outage_that_an_old_answer_interrupts_fails_no_request():
    """Threats F16: four requests fail, an answer from before the outage comes in, and they fail again."""
    time = Time()
    breaker = CircuitBreaker("openai", clock=time)
    old = breaker.enter()
    time.now += 1
    others = CircuitBreakingModel(ScriptedModel(*[busy()] * 3), breaker)

    def first(request: Request) -> str:
        for _ in range(3):
            with pytest.raises(ProviderBusy):
                others.reply(ASKED)
        raise busy()

    def again(request: Request) -> str:
        breaker.succeeded(old)  # the count of five begins anew
        raise busy()

    model = retrying(
        CircuitBreakingModel(ScriptedModel(first, again), breaker), time, attempts=2, is_away=breaker.is_away
    )
    with pytest.raises(ProviderBusy) as fault:
        model.reply(ASKED)
    assert (fault.value.attempts, breaker.standing().paused_for) == (2, 0)


def test_a_request_that_fails_alone_or_while_others_are_answered_is_final():
    time = Time()
    breaker = CircuitBreaker("openai", clock=time)
    other = CircuitBreakingModel(ScriptedModel(busy(), "yes"), breaker)

    def beside(request: Request) -> str:
        with pytest.raises(ProviderBusy):
            other.reply(ASKED)
        time.now += 1
        other.reply(ASKED)
        raise busy()

    for lines in ([busy(), busy()], [busy(), beside]):
        model = retrying(
            CircuitBreakingModel(ScriptedModel(*lines), breaker), time, attempts=2, is_away=breaker.is_away
        )
        with pytest.raises(ProviderError, match="attempt 2 of 2") as fault:
            model.reply(ASKED)
        assert not isinstance(fault.value, ProviderBusy)
        time.now += 100
