"""The prompt set on pages: chosen for a project, a run and an evaluation, and named wherever its words were used."""

import json
from collections.abc import Iterator, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import translation

from annotation.domain.choices import Role, Stage
from annotation.models import Event, Item, Membership, Project
from builders import category, make_item, make_member, make_project
from markup import compact
from moderation.evaluation import continuation
from moderation.evaluation.arms import stored_arms
from moderation.models import Evaluation
from runs.control import wait_for_runs
from runs.execution import runner, worker
from runs.models import Run

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _built_in_only(settings: Any) -> Iterator[None]:
    settings.MODEL_BINDINGS = {}
    settings.MODEL_ALLOWED = ["keyword:cues-1"]
    with translation.override("en"):
        yield


@pytest.fixture
def admin() -> Membership:
    return make_member(make_project("garden"), Role.ADMIN)


@pytest.fixture
def project(admin: Membership) -> Project:
    return admin.project


@pytest.fixture
def item(project: Project) -> Item:
    racist = category(project, 1)
    return make_item(
        project, "All immigrants are vermin.", external_id="post-1", stage=Stage.GOLD, category=racist, hateful=True
    )


@pytest.fixture
def client(admin: Membership) -> Client:
    client = Client()
    assert admin.user is not None
    client.force_login(admin.user)
    return client


def address(name: str, *args: Any) -> str:
    return reverse(f"moderation:{name}", args=["garden", *args])


def page(client: Client, url: str) -> str:
    return compact(client.get(url).content.decode())


def performed() -> Run:
    run = Run.objects.latest("id")
    runner.claim_and_perform(run.pk, worker.planned_model)
    run.refresh_from_db()
    return run


def test_a_run_is_started_with_a_set_and_its_page_names_title_and_version(client: Client, item: Item) -> None:
    form = page(client, address("item-runs", item.public_id))
    assert '<option value="careful" selected>Careful</option>' in form
    assert '<option value="paper">As in the papers</option>' in form
    client.post(address("item-start", item.public_id), {"method": "arcade", "prompts": "paper"})
    paper = performed()
    assert paper.options["prompts"] == "paper"
    shown = page(client, address("run", paper.public_id))
    assert "Prompts: <bdi>As in the papers, version 3</bdi>" in shown
    assert "You presume that this post is guilty" in shown  # every question and answer
    client.post(address("item-start", item.public_id), {"method": "arcade", "prompts": "plain"})
    both = {"a": paper.public_id, "b": performed().public_id}
    compared = compact(client.get(address("compare"), both).content.decode())
    assert "As in the papers, version 3" in compared and "Plain, version 2" in compared


def test_a_set_that_does_not_exist_comes_back_with_the_form(client: Client, item: Item) -> None:
    answer = client.post(address("item-start", item.public_id), {"method": "arcade", "prompts": "nobody"})
    assert answer.status_code == 422 and "Select a valid choice" in answer.content.decode()
    assert not Run.objects.exists()


def test_the_agent_takes_the_set_from_its_own_form(client: Client, item: Item) -> None:
    assert 'name="prompts"' in page(client, address("evidence", item.public_id))
    client.post(address("evidence-start", item.public_id), {"retrieval": "none", "prompts": "paper"})
    assert Run.objects.get().options["prompts"] == "paper"


def test_an_admin_chooses_the_set_of_the_project_and_the_history_says_so(
    client: Client, project: Project, item: Item
) -> None:
    settings_page = reverse("annotation:project-settings", args=["garden"])
    form = client.get(settings_page).context["form"]
    assert [name for name, _title in form.fields["prompt_set"].choices] == ["careful", "paper", "plain"]
    values = {name: form[name].value() for name in form.fields}
    values = {name: value for name, value in values.items() if value is not None and value is not False}
    assert client.post(settings_page, values | {"prompt_set": "paper"}).status_code == 302
    project.refresh_from_db()
    assert project.prompt_set == "paper"
    assert Event.objects.get(verb="change_settings").facts["changed"] == ["prompt_set"]
    client.post(settings_page, {name: value for name, value in values.items() if name != "prompt_set"})
    project.refresh_from_db()
    assert project.prompt_set == "paper"  # a form without the field changes nothing
    assert '<option value="paper" selected>' in page(client, address("item-runs", item.public_id))
    client.post(address("item-start", item.public_id), {"method": "baseline"})
    assert Run.objects.get().options["prompts"] == "paper"
    shown = client.get("/api/v1/projects/garden/").json()
    assert shown["prompt_set"] == "paper"


def test_the_api_takes_the_set_as_an_option_and_refuses_an_unknown_one(client: Client, item: Item) -> None:
    def post(**options: str) -> Any:
        wish = {"method": "arcade", "options": options}
        return client.post("/api/v1/projects/garden/runs/", wish, content_type="application/json")

    refused = post(prompts="nobody")
    assert refused.status_code == 400
    assert "There is no prompt set nobody; there are careful, paper, plain." in refused.content.decode()
    assert post(prompts="paper").json() == {"queued": 1}
    shown = client.get(f"/api/v1/projects/garden/runs/{Run.objects.get().public_id}/").json()
    assert (shown["prompts"], shown["prompts_version"]) == ("paper", "3")


def test_a_run_whose_set_is_gone_is_shown_by_its_name(
    client: Client, project: Project, item: Item, settings: Any, tmp_path: Path
) -> None:
    settings.PROMPTS_DIR = tmp_path
    (tmp_path / "moderation" / "lab").mkdir(parents=True)
    about = tmp_path / "moderation" / "lab" / "set.toml"
    about.write_text('title = "<b>Our lab</b>"\nversion = "3"\n', "utf-8")
    client.post(address("item-start", item.public_id), {"method": "arcade", "prompts": "lab", "track": "deep"})
    run = performed()
    assert "&lt;b&gt;Our lab&lt;/b&gt;, version 3" in page(client, address("run", run.public_id))
    about.unlink()
    assert "Prompts: <bdi>lab, version 3</bdi>" in page(client, address("run", run.public_id))
    Project.objects.filter(pk=project.pk).update(prompt_set="lab")
    assert client.get(address("item-runs", item.public_id)).status_code == 200
    answer = client.post(address("item-start", item.public_id), {"method": "baseline"})
    assert answer.status_code == 422
    assert "There is no prompt set lab; there are careful, paper, plain." in answer.content.decode()
    assert client.get(reverse("annotation:project-settings", args=["garden"])).status_code == 200


def test_a_run_from_before_there_were_sets_is_shown_without_one(client: Client, item: Item) -> None:
    client.post(address("item-start", item.public_id), {"method": "baseline"})
    run = performed()
    Run.objects.filter(pk=run.pk).update(options={"variant": "category"})
    assert "Prompts: " not in page(client, address("run", run.public_id))


# ── Evaluations ───────────────────────────────────────────────────────────────


def measured(client: Client, **fields: Any) -> Evaluation:
    asked: Mapping[str, Any] = {"methods": ["baseline", "arcade"], "sample": "first", "repeats": "1", "rounds": "1"}
    client.post(address("evaluation-start"), asked | fields)
    evaluation = Evaluation.objects.latest("id")
    wait_for_runs.perform_until_done(evaluation.runs(), threads=1, tick=lambda: None)
    assert continuation.carry_on(evaluation, ring=False)
    return evaluation


def test_an_evaluation_compares_sets_and_its_report_names_them(client: Client, item: Item) -> None:
    assert '<input type="checkbox" name="prompts" value="plain"' in page(client, address("evaluations"))
    evaluation = measured(client, prompts=["careful", "paper"], count="4")
    names = [f"{method}, {name} prompts" for method in ("baseline", "arcade, K = 1") for name in ("careful", "paper")]
    assert [arm.name for arm in stored_arms(evaluation)] == names
    report = evaluation.report
    assert report is not None
    assert [result["arm"] for result in report["results"]] == names
    assert [arm["prompt_set"] for arm in report["arms"]] == [
        {"name": name, "version": "3"} for _method in range(2) for name in ("careful", "paper")
    ]
    first, second = (arm["prompts"]["baseline"] for arm in report["arms"][:2])
    assert len(first) == len(second) == 1 and first != second  # other words, so another digest
    markdown = client.get(address("evaluation-report", evaluation.public_id, "md")).content.decode()
    assert "- baseline, paper prompts: baseline keyword:cues-1. Prompts: paper, version 3." in markdown
    shown = page(client, address("evaluation", evaluation.public_id))
    assert "Prompts: <bdi>As in the papers, version 3</bdi>" in shown


def test_an_evaluation_without_a_choice_uses_the_projects_set(client: Client, project: Project, item: Item) -> None:
    Project.objects.filter(pk=project.pk).update(prompt_set="plain")
    evaluation = measured(client, methods=["baseline"], count="1")
    (arm,) = stored_arms(evaluation)
    assert (arm.name, arm.options["prompts"]) == ("baseline", "plain")


def test_the_command_compares_sets_on_files_without_a_project(tmp_path: Path) -> None:
    posts = tmp_path / "posts.csv"
    posts.write_text("nr,post,mark\n1,All immigrants are vermin.,yes\n2,The roses bloom.,no\n", "utf-8")
    columns = ("--text-column", "post", "--label-column", "mark", "--id-column", "nr")
    maps = ("--map", "yes=hateful", "--map", "no=not_hateful")

    def evaluate(*names: str) -> Any:
        out = StringIO()
        prompts = [part for name in names for part in ("--prompts", name)]
        command = ("evaluate", "baseline", str(posts), *columns, *maps, *prompts, "--json", "--threads", "1")
        call_command(*command, stdout=out, stderr=StringIO())
        return json.loads(out.getvalue())["report"]

    assert [arm["name"] for arm in evaluate("plain", "paper")["arms"]] == [
        "baseline, plain prompts",
        "baseline, paper prompts",
    ]
    assert evaluate()["arms"][0]["prompt_set"] == {"name": "careful", "version": "3"}
    with pytest.raises(CommandError, match=r"^There is no prompt set nobody; there are careful, paper, plain\.$"):
        evaluate("nobody")
