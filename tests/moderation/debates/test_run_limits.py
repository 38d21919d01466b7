"""What one run may use, what a project's runs cost, and a failed run that goes on where it stopped."""

import json
from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.consensus.close import close_item
from annotation.domain.choices import Role, Stage
from annotation.models import Event, Item, Project
from builders import make_item, make_labelled_item, make_member, make_project
from moderation.debates import ask_again, start
from providers.messages import ProviderError
from providers.vendors.scripted import ScriptedModel
from runs.execution import runner
from runs.models import Run, Turn
from runs.spending import cost

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project() -> Project:
    project = make_project("garden")
    make_item(project, "Weeds in the white roses again.", external_id="post-1")
    return project


def queued(project: Project, **wish: Any) -> Run:
    start.start_runs(project, Item.objects.all(), start.DebateRequest("arcade", **wish), ring=False)
    return Run.objects.latest("id")


def perform(run: Run, *lines: Any) -> Run:
    model = ScriptedModel(*lines)
    runner.claim_and_perform(run.pk, lambda role, name: model)
    run.refresh_from_db()
    return run


def test_the_command_gives_each_run_its_limits_and_refuses_more_than_the_method_s_own(project: Project) -> None:
    out = StringIO()
    call_command("run", "arcade", "garden", "--max-calls", "3", "--max-tokens", "9000", "--json", stdout=out)
    assert json.loads(out.getvalue())[0]["state"] == "queued"
    run = Run.objects.get()
    assert (run.call_limit, run.token_limit, run.seconds_limit) == (3, 9000, 7200)
    with pytest.raises(CommandError, match="Seconds of a run: from 1 to 7200"):
        call_command("run", "arcade", "garden", "--max-seconds", "99999")


def test_a_run_ends_at_its_own_limit_and_says_which(project: Project) -> None:
    run = perform(queued(project, limits={"calls": 1}), '{"cues": []}')
    assert (run.state, run.reason, run.detail) == (
        "failed",
        "budget_exceeded",
        "This run has used up its calls (at most 1).",
    )


def test_a_failed_run_goes_on_from_where_it_stopped(project: Project) -> None:
    run = perform(queued(project), '{"cues": []}', ProviderError("no answer"))
    assert (run.state, [turn.state for turn in run.turns.all()]) == ("failed", ["ok", "failed"])
    assert ask_again.retry_run(run, project)
    assert not ask_again.retry_run(run, project)
    run = perform(run, '{"cues": []}')  # the gatekeeper is not asked again; the prosecutor finds nothing either
    assert (run.state, run.outcome and run.outcome["hateful"], run.calls) == ("succeeded", False, 3)
    assert [turn.key for turn in run.turns.all()] == ["gate", "prosecutor.1"]
    assert Event.objects.filter(verb="run_retried").count() == 1


def test_a_run_that_spent_its_limit_goes_on_with_a_new_one(project: Project) -> None:
    run = perform(queued(project, limits={"calls": 1}), '{"cues": []}')
    assert ask_again.retry_run(run, project)
    run = perform(run, '{"cues": []}')
    assert (run.state, run.calls) == ("succeeded", 2)


def test_the_pages_take_limits_and_let_a_failed_run_go_on(project: Project, client: Client) -> None:
    member = make_member(project, Role.REVIEWER)
    people = [make_member(project) for _ in range(3)]
    item = make_labelled_item(project, people, [1, 2, 0], external_id="disputed-1")
    close_item(item)
    assert member.user
    client.force_login(member.user)
    form = {"method": "arcade", "repeats": 1, "max_calls": 2, "max_seconds": 60}
    path = f"/p/garden/items/{item.public_id}/debates/start/"
    assert client.post(path, form | {"max_calls": 1000}).status_code == 422
    assert client.post(path, form).status_code == 302
    run = Run.objects.get(subject=item.public_id)
    assert (run.call_limit, run.seconds_limit) == (2, 60)
    run = perform(run, ProviderError("no answer"))
    page = client.get("/p/garden/debates/").content.decode()
    assert f"/debates/{run.public_id}/retry/" in page
    assert client.post(f"/p/garden/debates/{run.public_id}/retry/", follow=True).status_code == 200
    run.refresh_from_db()
    assert run.state in ("queued", "running", "succeeded")


def test_the_page_lets_one_model_speak_and_another_judge(project: Project, settings: Any, client: Client) -> None:
    settings.MODEL_ALLOWED, settings.OPENAI_API_KEY = ["openai:weak", "openai:strong", "keyword:*"], "sk-CANARY-1"
    settings.MODEL_BINDINGS = dict.fromkeys(("MODEL_TEXT", "MODEL_VISION"), "keyword:cues-1")
    member = make_member(project, Role.REVIEWER)
    assert member.user
    client.force_login(member.user)
    Item.objects.update(stage=Stage.DISPUTED)
    path = f"/p/garden/items/{Item.objects.get().public_id}/debates/start/"
    assert client.post(path, {"method": "arcade", "auxiliary": "openai:no"}).status_code == 422
    client.post(path, {"method": "arcade", "auxiliary": "openai:weak", "judge": "openai:strong"})
    plan = Run.objects.get().model_plan
    assert plan == dict.fromkeys(("gatekeeper", "prosecutor", "defender"), "openai:weak") | {"judge": "openai:strong"}


def test_money_is_shown_where_prices_are_known_and_says_what_it_leaves_out(
    project: Project, settings: Any, client: Client
) -> None:
    settings.MODEL_ALLOWED = ["openai:*"]
    settings.OPENAI_API_KEY = "sk-CANARY-1"
    settings.MODEL_BINDINGS = dict.fromkeys(("MODEL_TEXT", "MODEL_VISION"), "keyword:cues-1")
    run = queued(project, judges=["openai:dear"], models={"gatekeeper": "openai:cheap"}, options={"rounds": 1})
    for role in ("gatekeeper", "judge"):
        Turn.objects.create(run=run, key=role, kind="ask", role=role, input_tokens=2_000_000, output_tokens=1_000_000)
    settings.MODEL_PRICES = {}
    assert cost.project_bill(project.public_id) is None
    settings.MODEL_PRICES = {"openai:cheap": (0.5, 1.5)}
    # 2 million at 0.5 and 1 million at 1.5: 2.5. The judge's price is not known.
    bill = cost.project_bill(project.public_id)
    assert bill and (bill.amount, bill.unpriced) == (Decimal("2.5"), ["openai:dear"])
    member = make_member(project, Role.REVIEWER)
    assert member.user
    client.force_login(member.user)
    page = client.get("/p/garden/debates/").content.decode()
    assert "about 2.50 USD" in page
    assert "without openai:dear" in page
    assert "saved" not in page
    # Half of the cheap model's tokens in had been read before: a million at 0.1 instead of 0.5.
    Turn.objects.filter(role="gatekeeper").update(cached_tokens=1_000_000)
    settings.MODEL_PRICES = {"openai:cheap": (0.5, 1.5, 0.1)}
    page = client.get("/p/garden/debates/").content.decode()
    assert "about 2.10 USD" in page and "(0.40 USD saved by the providers' caches)" in page
    Item.objects.update(stage="disputed")
    page = client.get(f"/p/garden/debates/{run.public_id}/").content.decode()
    assert page.count("(1,000,000 cached)") == 2 and "0.4000 USD saved by caching" in page
    shown = client.get(f"/api/v1/projects/garden/runs/{run.public_id}/").json()
    assert (shown["saved"], shown["turns"][0]["cached_tokens"]) == (0.4, 1_000_000)
