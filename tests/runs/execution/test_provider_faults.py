"""What a provider's answers and faults make of a run, over the wire and through the whole stack (threats F18, L01-L24).

A prior is asked for as the site does it, with both vendors' SDKs, retries, breaker and limits; only the waits are
shorter than in earnest.
"""

import json
import resource
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.utils import timezone

from annotation.assignment import claim
from annotation.assignment.prior_display import visible_priors
from annotation.models import Item, Prior
from annotation.priors import requests
from annotation.priors.method import NAME
from builders import make_item, make_member, make_open_item, make_project
from providers import learnt_facts, wiring
from providers.profiles import Fact, Lesson
from runs.control import sweep
from runs.execution import runner
from runs.execution.perform import RunExecution
from runs.execution.worker import planned_model
from runs.methods.method import method_named
from runs.models import Run, Turn
from runs.queue import claim as run_claim
from runs.queue import model_facts, provider_pauses, task_messages
from wire import families
from wire.server import Behaviour, Exchange, WireServer, altered, answer_for, say, sensible, status

pytestmark = pytest.mark.django_db
once = pytest.mark.once
"""What is read of an answer does not depend on what stores it: other tests store answers of each state."""

POST = "Weeds in the white roses again."


@dataclass
class Asked:
    """A prior that was asked for, and what came of it."""

    run: Run
    wire: WireServer

    @property
    def state(self) -> tuple[str, str]:
        return self.run.state, self.run.reason

    @property
    def turn(self) -> Turn:
        return self.run.turns.get()

    @property
    def prior(self) -> Prior:
        return Prior.objects.get(item__public_id=self.run.subject)

    @property
    def times(self) -> int:
        """How often the provider was asked."""
        return len(self.wire.heard)


Ask = Callable[..., Asked]


@pytest.fixture
def wire() -> Iterator[WireServer]:
    with WireServer() as server:
        yield server


@pytest.fixture(params=["openai", "dashscope"])
def vendor(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(autouse=True)
def _models(settings: Any, wire: WireServer, vendor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both vendors at the wire server, quick waits; nobody answers the bell."""
    settings.OPENAI_API_KEY = settings.DASHSCOPE_API_KEY = "sk-CANARY-1"
    settings.OPENAI_BASE_URL, settings.DASHSCOPE_HTTP_BASE_URL = wire.openai_url, wire.dashscope_url
    settings.MODEL_BINDINGS = {"MODEL_TEXT": f"{vendor}:some-model"}
    settings.MODEL_BACKOFF = 0
    settings.MODEL_READ_SECONDS, settings.MODEL_WALL_SECONDS = 1, 2
    monkeypatch.setattr(task_messages, "enqueue_task", lambda name, run_id: True)


@pytest.fixture
def ask(wire: WireServer) -> Ask:
    """Asks for the prior of a post; the provider behaves like this, one behaviour a request, then sensibly."""

    def make(*behaviours: Behaviour | str, item: Item | None = None) -> Asked:
        wire.queue(*behaviours)
        return Asked(perform(requested(item)), wire)

    return make


def requested(item: Item | None = None) -> Run:
    item = item or make_item(make_project(priors_wanted=True), POST)
    requests.request_for_item(item)
    return Run.objects.get(subject=item.public_id, state="queued")


def perform(run: Run) -> Run:
    runner.claim_and_perform(run.pk, planned_model)
    run.refresh_from_db()
    return run


def waits(run: Run) -> float:
    """For how many seconds the run is left in the queue."""
    return (run.not_before - timezone.now()).total_seconds()


# ── Answers ───────────────────────────────────────────────────────────────────


def test_l01_prose_is_asked_again_with_the_error_twice_and_then_unreadable(ask: Ask):
    asked = ask("prose", "prose", "prose")
    assert (asked.state, asked.times) == (("unreadable", "invalid_output"), 3)
    again = asked.wire.heard[2].said()
    assert "Your answer could not be used:\n[fault " in again and "\nthe answer holds no JSON value\n[/fault " in again
    assert asked.turn.reply == "I would call this harmless, all in all."
    assert [each["reply"] for each in asked.turn.rejected] == [asked.turn.reply] * 2
    assert (asked.prior.state, asked.prior.reason, asked.prior.category) == ("unreadable", "invalid_output", None)


@once
@pytest.mark.parametrize("behaviour", ["fenced", "wrapped"])
def test_l02_json_in_a_fence_or_in_prose_is_read_and_flagged(ask: Ask, behaviour: str):
    asked = ask(behaviour)
    assert (asked.state, asked.times, asked.turn.flags) == (("succeeded", ""), 1, ["repaired"])


def limits(asked: Asked) -> list[int]:
    """The most tokens that each request allowed."""
    bodies = [heard.body.get("parameters", heard.body) for heard in asked.wire.heard]
    return [body.get("max_tokens") or body["max_completion_tokens"] for body in bodies]


def test_l03_half_an_answer_is_asked_again_with_double_room_up_to_the_limit_and_then_truncated(ask: Ask, settings: Any):
    settings.MODEL_ANSWER_TOKENS = {"": 90_000, "prior_text": 2000}
    asked = ask("half", "half", "half")
    assert (asked.state, limits(asked)) == (("unreadable", "truncated"), [800, 1600, 2000])
    assert asked.turn.detail == "Cut after 2000 tokens."
    assert [attempt["error"] for attempt in asked.turn.rejected] == ["truncated", "truncated"]


def test_l03_an_answer_that_fits_into_more_room_is_taken(ask: Ask):
    asked = ask("half", "half")
    assert (asked.state, limits(asked)) == (("succeeded", ""), [800, 1600, 3200])


def test_l03_thinking_that_takes_all_the_room_gets_more_and_is_counted_apart(ask: Ask, wire: WireServer):
    wire.always(families.thinking(3000))
    asked = ask()
    assert (asked.state, limits(asked)) == (("succeeded", ""), [800, 1600, 3200])
    assert (asked.turn.thinking_tokens, asked.turn.output_tokens) == (800 + 1600 + 3000, 90 + 800 + 1600 + 3000)
    assert [attempt["error"] for attempt in asked.turn.rejected] == ["truncated", "truncated"]
    wire.forget()
    again = perform(requested())
    assert (again.state, limits(Asked(again, wire))) == ("succeeded", [800 + 4000])


def test_l03_a_family_that_thinks_has_room_from_the_start_and_its_run_may_use_it(
    ask: Ask, wire: WireServer, vendor: str, settings: Any
):
    settings.MODEL_BINDINGS = {"MODEL_TEXT": f"{vendor}:gpt-5"}
    wire.always(families.thinking(3000))
    asked = ask()
    assert (asked.state, limits(asked)) == (("succeeded", ""), [800 + 6000])
    assert asked.run.token_limit == 200_000 + 8 * 6000


def test_a_temperature_that_was_left_out_is_noted_in_the_turn(ask: Ask, wire: WireServer, vendor: str):
    wire.queue(status(400, "bad", "temperature is not supported with this model"))
    asked = ask()
    assert (asked.state, asked.times, asked.run.calls, asked.run.retries) == (("succeeded", ""), 2, 1, 1)
    assert asked.turn.flags == ["without_temperature"]
    (fact,) = model_facts.stored_facts()
    assert (fact.name, fact.lesson) == (f"{vendor}:some-model", Lesson(Fact.REJECTS, "temperature"))
    assert "temperature is not supported" in fact.sentence


def test_what_was_learnt_is_known_after_a_restart_until_somebody_has_it_forgotten(
    ask: Ask, wire: WireServer, vendor: str
):
    ask(status(400, "bad", "temperature is not supported with this model"))
    learnt_facts.site_facts.know([])  # as in a new process
    model_facts.Reading.at = None
    wire.forget()
    perform(requested())
    assert len(wire.heard) == 1
    assert model_facts.forget_model(f"{vendor}:some-model") == 1
    perform(requested())
    body = wire.heard[-1].body
    assert "temperature" in body.get("parameters", body)
    assert model_facts.stored_facts() == []


@once
@pytest.mark.parametrize("written", ["very hateful", "动物", "not racist", "Racists"])
def test_l04_a_category_that_is_none_is_never_read_as_the_nearest(ask: Ask, written: str):
    wrong = altered(lambda text: json.dumps({**json.loads(text), "category": written}))
    asked = ask(wrong, wrong, wrong)
    assert (asked.state, asked.prior.category) == (("unreadable", "invalid_label"), None)


@once
@pytest.mark.parametrize("behaviour", ["severity", "severity-word", "severity-nan", "missing"])
def test_l05_a_number_out_of_range_or_none_is_not_clipped(ask: Ask, behaviour: str):
    asked = ask(behaviour, behaviour, behaviour)
    assert (asked.state, asked.times) == (("unreadable", "invalid_output"), 3)
    assert asked.prior.severity is None


@once
@pytest.mark.parametrize("behaviour", ["two", "array"])
def test_l06_two_answers_or_a_list_are_the_wrong_shape(ask: Ask, behaviour: str):
    assert ask(behaviour, behaviour, behaviour).state == ("unreadable", "invalid_output")


def test_l06_keys_that_nobody_asked_for_are_passed_over(ask: Ask):
    asked = ask("extra")
    assert asked.state == ("succeeded", "")
    assert "mood" not in asked.turn.value


@once
@pytest.mark.parametrize("behaviour", ["null", "blank"])
def test_l07_nothing_said_is_asked_once_more(ask: Ask, behaviour: str):
    asked = ask(behaviour, behaviour)
    assert (asked.state, asked.times) == (("unreadable", "empty_output"), 2)


def test_l07_an_answer_without_choices_is_a_fault_of_the_server_and_not_silence(ask: Ask):
    asked = ask("no-choices")
    assert (asked.state, asked.times) == (("failed", "provider_error"), 1)
    assert "answered 200 without an answer" in asked.turn.detail


def test_l07_a_second_answer_is_taken(ask: Ask):
    assert ask("null").state == ("succeeded", "")


@once
@pytest.mark.parametrize("behaviour", ["refusal", "decline"])
def test_l08_a_refusal_is_an_answer_and_nobody_presses(ask: Ask, vendor: str, behaviour: str):
    if (vendor, behaviour) == ("dashscope", "refusal"):
        behaviour = "decline"  # this vendor has no field for it
    asked = ask(behaviour)
    assert (asked.state, asked.times) == (("refused", "refused"), 1)
    standing = requests.read_prior_progress(asked.prior.item.project)
    assert (standing.refused, standing.done) == (1, 0)


@once
@pytest.mark.parametrize("word", ["invalid_prompt", "content_policy_violation"])
def test_l09_a_policy_that_a_request_offends_is_a_refusal_and_no_bad_request(ask: Ask, word: str):
    asked = ask(status(400, word, "Your prompt was flagged."))
    assert (asked.state, asked.times) == (("refused", "provider_blocked"), 1)


@once
@pytest.mark.parametrize("behaviour", ["blocked", "filter"])
def test_l09_blocked_content_is_refused_and_not_sent_again(ask: Ask, vendor: str, behaviour: str):
    if vendor == "dashscope":
        behaviour = "blocked"  # this vendor's one way to say it
    asked = ask(behaviour)
    assert (asked.state, asked.times) == (("refused", "provider_blocked"), 1)
    assert (asked.prior.state, asked.prior.reason) == ("refused", "provider_blocked")


def test_l20_what_an_answer_quotes_or_links_to_is_only_words(ask: Ask, wire: WireServer):
    words = f"It says 'buried treasure', see http://127.0.0.1:{wire.port}/proof and ![](http://127.0.0.1:{wire.port}/x)"
    asked = ask(say(json.dumps({"explanation": words, "category": 0, "severity": 0})))
    assert (asked.state, asked.times) == (("succeeded", ""), 1)  # the server heard the one question, and no GET
    assert asked.prior.explanation == words


def test_l21_endless_repetition_gets_more_room_once_and_ends_truncated(ask: Ask):
    asked = ask("repeat", "repeat")
    assert (asked.state, asked.times) == (("unreadable", "truncated"), 2)


def repeats_the_canary(exchange: Exchange) -> None:
    """Answers well, but tells the word that only the instructions hold."""
    nonce = exchange.heard.said("system").split()[-1]
    answer = {"explanation": f"My orders say {nonce}.", "category": 0, "severity": 0}
    exchange.send(200, exchange.reply(json.dumps(answer)))


def test_l22_an_answer_that_repeats_our_instructions_is_kept_and_shown_to_nobody_as_a_judgement(ask: Ask):
    project = make_project(priors_wanted=True)
    item = make_open_item(project, POST)
    asked = ask(repeats_the_canary, item=item)
    assert asked.turn.flags == ["injection_suspected", "led_astray"]
    assert "My orders say" in asked.turn.reply
    assert (asked.prior.state, asked.prior.reason, asked.prior.explanation) == ("unreadable", "injection_suspected", "")
    seat = claim.claim(make_member(project)).seat
    assert [prior.explanation for prior in visible_priors(project, seat)] in ([], [""])


# ── Faults ────────────────────────────────────────────────────────────────────


def test_l10_a_server_that_hangs_is_left_after_each_deadline_and_then_timeout(ask: Ask, settings: Any):
    settings.MODEL_ATTEMPTS = 2
    began = time.monotonic()
    asked = ask("hang", "hang")
    assert (asked.state, asked.times) == (("failed", "timeout"), 2)
    assert 2 <= time.monotonic() - began < 20
    assert (asked.run.calls, asked.run.retries) == (1, 1)


def test_l11_too_many_questions_wait_in_place_for_a_short_while(ask: Ask):
    began = time.monotonic()
    asked = ask("429", "429-3")
    assert (asked.state, asked.times) == (("succeeded", ""), 3)
    assert time.monotonic() - began >= 3


def test_l11_a_long_wait_puts_the_run_back_and_frees_the_worker(ask: Ask):
    began = time.monotonic()
    asked = ask("429-600")
    assert (asked.state, asked.times, asked.run.owner) == (("queued", ""), 1, "")
    assert 590 < waits(asked.run) <= 601
    assert time.monotonic() - began < 60
    Run.objects.update(not_before=timezone.now() - timedelta(seconds=1))
    assert perform(asked.run).state == "succeeded"


CLOSED: dict[str, tuple[int, str, str, str]] = {
    "no credit": (429, "insufficient_quota", "You exceeded your current quota.", "the key and the quota"),
    "a bill": (402, "Arrearage", "Access denied, your account is overdue.", "the key and the quota"),
    "a wrong key": (401, "invalid_api_key", "Incorrect API key provided.", "the key and the quota"),
    "an unclear 403": (403, "AccessDenied", "Access denied.", "A harmless request met the same"),
    "a region": (403, "unsupported_country_region_territory", "Country, region, or territory not supported", "place"),
    "a locked model": (403, "model_not_found", "You do not have access to model `some-model`.", "Name another model"),
    "an unknown model": (404, "model_not_found", "The model `some-model` does not exist.", "Name a model that"),
    "an unknown model, 400": (400, "InvalidParameter", "Model not exist.", "Name a model that"),
}


@pytest.mark.parametrize("given", CLOSED.values(), ids=CLOSED.keys())
def test_l12_a_closed_account_or_model_ends_the_run_at_once_and_says_what_to_do(
    ask: Ask, wire: WireServer, vendor: str, given: tuple[int, str, str, str]
):
    number, word, sentence, advice = given
    queued = requested()
    wire.always(status(number, word, sentence))
    asked = ask()
    assert (asked.run.state, asked.times) == ("failed", 2 if word == "AccessDenied" else 1)
    said = asked.run.detail
    assert said.startswith(f"prior_text: {vendor}:some-model gives no answer until a person acts. {vendor} answered")
    assert sentence.rstrip(".") in said and advice in said
    queued.refresh_from_db()
    (pause,) = provider_pauses.pauses_in_force() or [None]
    assert (pause is None) == (advice == "Name a model that")
    if pause is not None:  # what waits in the queue is not thrown at a closed door
        assert (pause.name, pause.waiting) == (f"{vendor}:some-model" if "model" in sentence else vendor, 1)
        assert waits(queued) > 30
    wire.always(sensible)
    wiring._breaker.cache_clear()  # five seconds later
    assert perform(requested()).state == "succeeded"  # a person acted: nobody waits for the end of the pause


@once
@pytest.mark.parametrize("behaviour", ["500", "502", "503", "529", "html-502"])
def test_l13_a_fault_that_passes_is_tried_again(ask: Ask, behaviour: str):
    asked = ask(behaviour, behaviour)
    assert (asked.state, asked.times) == (("succeeded", ""), 3)
    assert (asked.run.calls, asked.run.retries, asked.turn.retries) == (1, 2, 2)


@once
@pytest.mark.parametrize("behaviour", ["html", "empty", "garbage", "list"])
def test_l14_a_body_that_is_no_answer_is_tried_again_and_then_provider_error(ask: Ask, settings: Any, behaviour: str):
    settings.MODEL_ATTEMPTS = 2
    asked = ask(behaviour, behaviour)
    assert (asked.state, asked.times) == (("failed", "provider_error"), 2)
    assert ask(behaviour).state == ("succeeded", "")


@once
@pytest.mark.parametrize("behaviour", ["cut", "hang-up"])
def test_l15_a_body_that_breaks_off_is_asked_for_again(ask: Ask, behaviour: str):
    asked = ask(behaviour)
    assert (asked.state, asked.times, asked.run.retries) == (("succeeded", ""), 2, 1)


@once
@pytest.mark.parametrize("behaviour", ["drip", "drip-headers"])
def test_l16_a_body_that_drips_is_cut_at_the_deadline(ask: Ask, settings: Any, behaviour: str):
    settings.MODEL_ATTEMPTS = 1
    began = time.monotonic()
    assert ask(behaviour).state == ("failed", "timeout")
    assert time.monotonic() - began < 20


@once
@pytest.mark.parametrize("behaviour", ["huge", "bomb"])
def test_l17_an_endless_body_is_too_large_and_never_held(ask: Ask, settings: Any, behaviour: str):
    settings.MODEL_READ_SECONDS = settings.MODEL_WALL_SECONDS = 20
    ask()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    asked = ask(behaviour)
    assert (asked.state, asked.times) == (("unreadable", "too_large"), 2)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50 * 1024  # KiB


@once
@pytest.mark.parametrize("behaviour", ["context", "404"])
def test_l18_a_bad_request_is_final_and_names_the_setting(ask: Ask, vendor: str, behaviour: str):
    asked = ask(behaviour)
    assert (asked.state, asked.times) == (("failed", "bad_request"), 1)
    assert f"{vendor}:some-model comes from MODEL_" in asked.run.detail


def test_l19_tokens_that_were_not_told_are_estimated_and_marked(ask: Ask):
    asked = ask("no-usage")
    assert asked.state == ("succeeded", "")
    assert asked.turn.usage_estimated
    assert asked.run.tokens == asked.turn.input_tokens + asked.turn.output_tokens > 0


def test_l23_five_failures_in_a_minute_let_the_provider_alone_and_runs_wait(ask: Ask):
    asked = ask(*[status(503)] * 5)
    assert (asked.state, asked.times) == (("queued", ""), 5)
    assert 50 < waits(asked.run) <= 61
    later = perform(requested())
    assert (later.state, asked.times) == ("queued", 5)  # not asked while it is left alone
    assert [pause.waiting for pause in provider_pauses.pauses_in_force()] == [2]


def test_l24_after_a_crash_a_saved_answer_is_not_asked_for_again(wire: WireServer):
    run = requested()
    taken = run_claim.claim_run(run.pk)
    assert taken is not None
    method = method_named(NAME)
    RunExecution(
        taken, method, method.case(taken), planned_model
    ).run_to_end()  # the worker is lost before it ends the run
    assert (len(wire.heard), run.turns.count()) == (1, 1)
    Run.objects.update(lease_until=timezone.now() - timedelta(hours=1))
    assert sweep.requeue_lapsed_runs() == 1
    perform(run)
    assert (run.state, run.calls, len(wire.heard)) == ("succeeded", 1, 1)


KEY = "sk-CANARY-1"
TELLTALES: dict[str, Behaviour] = {
    "a wrong key": status(401, "invalid_api_key", f"Incorrect API key provided: {KEY}."),
    "a bad request": status(400, "bad", f"Authorization: Bearer {KEY} is not understood"),
    "a busy server": status(429, "busy", f"{KEY} asks too often", retry_after="600"),
    "an answer": lambda exchange: exchange.send(200, exchange.reply(f"I was asked with {KEY}.")),
}


@pytest.mark.parametrize("tells", TELLTALES.values(), ids=TELLTALES.keys())
def test_t20_a_key_that_a_provider_repeats_is_in_no_row(ask: Ask, tells: Behaviour) -> None:
    ask(tells, tells, tells)
    ours = [model for app in ("annotation", "runs") for model in apps.get_app_config(app).get_models()]
    rows = [str(row) for model in ours for row in model._default_manager.values()]
    assert not [row for row in rows if KEY in row]


def odd(**parts: object) -> Behaviour:
    """A good answer but for parts of the body around it."""

    def behave(exchange: Exchange) -> None:
        body = exchange.reply(answer_for(exchange.heard))
        usage = {"prompt_tokens": 5, "completion_tokens": 5, "input_tokens": 5, "output_tokens": 5}
        body |= {"usage": usage | parts.pop("usage", {}), **parts}  # type: ignore[operator]
        exchange.send(200, body)

    return behave


ODD: dict[str, dict[str, object]] = {
    "a model's name of 5,000 letters": {"model": "x" * 5_000},
    "NUL in the model's name": {"model": "a\x00b"},
    "half a character in the model's name": {"model": "a\ud800"},
    "a model's name that is a list": {"model": [1, {"a": 2}]},
    "tokens beyond 64 bits": {"usage": dict.fromkeys(("completion_tokens", "output_tokens"), 2**80)},
    "tokens beyond 32 bits": {"usage": dict.fromkeys(("completion_tokens", "output_tokens"), 2**40)},
    "negative tokens": {"usage": dict.fromkeys(("completion_tokens", "output_tokens"), -9)},
    "tokens in words": {"usage": dict.fromkeys(("completion_tokens", "output_tokens"), "many")},
}


@once
@pytest.mark.parametrize("parts", ODD.values(), ids=ODD.keys())
def test_l19_oddities_around_an_answer_cost_neither_the_answer_nor_the_account(ask: Ask, parts: dict[str, Any]) -> None:
    asked = ask(odd(**parts))
    assert (asked.state, asked.times) == (("succeeded", ""), 1)
    assert 0 < asked.run.tokens < 100_000


@pytest.mark.parametrize("words", ["nul \x00 here", "half \ud83d a pair", "right \u202e to left", "x" * 4_000])
def test_b11_and_b12_an_answer_s_words_never_bring_a_run_down(ask: Ask, words: str) -> None:
    asked = ask(*[say(json.dumps({"explanation": words, "category": 0, "severity": 0}))] * 3)
    assert asked.run.state in ("succeeded", "unreadable")
    assert asked.run.lost_workers == 0
    if asked.state[0] == "succeeded":
        assert asked.prior.explanation == words.replace("\ud83d", "\ufffd")
    else:
        assert (asked.state[1], asked.prior.explanation) == ("invalid_output", "")
