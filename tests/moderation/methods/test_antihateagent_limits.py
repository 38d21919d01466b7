"""Limits of a run (calls, tokens, time, the project's budget): what fits is done, and a verdict is written from it."""

import threading
import time
from typing import Any

import pytest

from annotation.models import Item
from antihateagent_web import POST, TELLING, Investigator, act, article, investigate, keys, perform, results
from builders import make_item
from moderation.debates import start
from moderation.evidence import edit
from moderation.models import Evidence
from providers.messages import Request
from replayed_runs import replay_run
from runs.control import fork
from runs.models import Run
from wire.pages import dripping

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def pages(net: Any) -> None:
    """Three pages of four windows each; the first sentence of each is telling."""
    net.engine.pages["/search"] = results(*(f"http://{name}.example/{name}" for name in "abc"))
    for name in "abc":
        filler = " ".join(f"{name}{n} grows beside {name}{n + 1}." for n in range(600))
        net.outer.pages[f"/{name}"] = article(f"{TELLING} {filler}")


def kinds(run: Run) -> list[str]:
    return [key.partition(".")[0] for key in keys(run)]


def ended(run: Run, limit: str) -> None:
    assert (run.state, run.reason) == ("succeeded", "")
    assert run.outcome is not None and run.outcome["limit"]["name"] == limit
    assert kinds(run)[-2:] == ["limit", "verdict"]
    assert replay_run(run) == run.outcome


def test_calls(item: Item) -> None:
    """Eight calls: queries, choice, four readings, and two kept for the verdict; one of them is not needed."""
    run = investigate(item, Investigator(), limits={"calls": 8})
    ended(run, "calls")
    assert (kinds(run).count("read"), run.calls) == (4, 7)
    assert run.outcome is not None and (run.outcome["ungrounded"], run.outcome["hateful"]) == (False, True)
    assert run.outcome["evidence"] == [1, 2, 3]  # the first window of each page comes before any second one
    assert Evidence.objects.count() == 3


@pytest.mark.parametrize("calls", [1, 2, 3, 4])
def test_however_few_calls_there_are_one_is_for_the_verdict(item: Item, calls: int) -> None:
    run = investigate(item, Investigator(), limits={"calls": calls})
    ended(run, "calls")
    assert run.calls <= calls


def test_an_answer_of_the_wrong_form_does_not_use_up_what_is_kept(item: Item) -> None:
    """Queries that are wrong again and again stop at the limit, and the verdict may be wrong once too."""
    said = iter(["No JSON.", None])

    def judge(request: Request) -> Any:
        verdict = {"text": request.context["opening"], "verdict": "NON-HATE", "confidence": 0.4, "rationale": "No."}
        return next(said) or act("FinalJudgment", **verdict)

    run = investigate(item, Investigator(queries=lambda request: "No JSON.", verdict=judge), limits={"calls": 5})
    ended(run, "calls")
    assert (kinds(run), run.calls) == (["limit", "verdict"], 5)


def test_tokens(item: Item) -> None:
    run = investigate(item, Investigator(), limits={"tokens": 25_000})
    ended(run, "tokens")
    assert run.outcome is not None and run.outcome["ungrounded"] is False
    assert run.tokens <= 25_000


def test_time(net: Any, item: Item, settings: Any) -> None:
    """A page that drips: the run may work for four seconds, of which one is kept for the verdict."""
    net.engine.pages["/search"] = dripping(60)
    began = time.monotonic()
    run = investigate(item, Investigator(), limits={"seconds": 4})
    assert time.monotonic() - began < 40
    ended(run, "seconds")
    assert run.outcome is not None and run.outcome["ungrounded"] is True


def test_readings_that_came_before_the_time_was_up_count(item: Item) -> None:
    held = threading.Event()

    def read(request: Request) -> Any:
        telling = "call newcomers weeds" in request.messages[-1].text
        if not telling:
            held.wait(60)
        quoted = {"quote": "call newcomers weeds", "stance": "supports", "relevance": 3, "bearing": "explains it"}
        return act("ExtractEvidence", segments=[quoted] if telling else [])

    run = investigate(item, Investigator(read=read), limits={"seconds": 8})
    held.set()
    ended(run, "seconds")
    assert run.outcome is not None and run.outcome["evidence"] == [1, 2, 3]


def test_the_budget_of_the_project(item: Item) -> None:
    item.project.call_budget = 6
    item.project.save()
    run = investigate(item, Investigator())
    ended(run, "budget")
    assert run.outcome is not None and run.outcome["ungrounded"] is False
    assert run.calls <= 6


def test_a_run_that_was_killed_after_the_limit_ends_in_the_same_way(item: Item) -> None:
    class Killed(BaseException):
        pass

    def dies(request: Request) -> Any:
        raise Killed

    wish = start.DebateRequest("antihateagent", limits={"calls": 8})
    start.start_runs(item.project, Item.objects.filter(pk=item.pk), wish, ring=False)
    run = Run.objects.latest("id")
    with pytest.raises(Killed):
        perform(run, Investigator(verdict=dies))
    assert kinds(run)[-1] == "limit"
    Run.objects.filter(pk=run.pk).update(state="queued", owner="", lease_until=None)
    after = Investigator()
    ended(perform(run, after), "calls")
    assert [request.context["ask"] for request in after.asked] == ["verdict"]


def test_what_was_read_until_the_limit_is_judged_again_without_reading_more(item: Item) -> None:
    run = investigate(item, Investigator(), limits={"calls": 8})
    again = perform(edit.judge_remaining_evidence(run, item.project), agent := Investigator())
    assert (again.state, again.calls, len(agent.asked)) == ("succeeded", 1, 1)
    assert again.outcome == run.outcome


def test_an_unreadable_run_goes_on_from_its_verdict(item: Item) -> None:
    run = investigate(make_item(item.project, POST, external_id="2"), Investigator(verdict=lambda request: "No."))
    assert run.state == "unreadable"
    limited = investigate(item, Investigator(verdict=lambda request: "No."), limits={"calls": 20})
    assert limited.state in ("unreadable", "failed")
    if limited.state == "unreadable":
        assert fork.stop_of(limited)[1] == {"verdict"}
