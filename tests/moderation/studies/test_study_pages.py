"""The page of studies: who opens it, the estimate before the start, faults in place, plots and files of the report."""

import re
from typing import Any
from xml.etree import ElementTree

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation.domain.choices import Role, Stage
from annotation.models import Item, Membership, Project
from builders import category, make_item, make_member, make_project
from markup import compact
from moderation.evaluation import continuation
from moderation.evaluation.arms import stored_arms
from moderation.models import Evaluation
from runs.control import wait_for_runs
from runs.models import Account, Run

pytestmark = pytest.mark.django_db(transaction=True)

STUDY = """title = "Rounds & <courts>"
[[arms]]
methods = ["baseline", "arcade"]
rounds = [1, 2]
"""


@pytest.fixture(autouse=True)
def _built_in_only(settings: Any) -> None:
    settings.MODEL_BINDINGS, settings.MODEL_ALLOWED = {}, ["keyword:cues-1"]


@pytest.fixture
def project() -> Project:
    project = make_project("garden")
    for name, code, pattern, text in (
        ("post-1", 0, "000", "The roses bloom."),
        ("post-2", 1, "101", "All immigrants are vermin."),
        ("post-3", 1, "001", "Weeds in the white roses again."),
    ):
        kind = category(project, code)
        item = make_item(project, text, external_id=name, stage=Stage.GOLD, category=kind, hateful=kind.hateful)
        Item.objects.filter(pk=item.pk).update(pattern=pattern)
    return project


def client_of(member: Membership) -> Client:
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    return client


@pytest.fixture
def admin(project: Project) -> Client:
    return client_of(make_member(project, Role.ADMIN))


def start(client: Client, text: str, **more: Any) -> Any:
    return client.post(reverse("moderation:study-start", args=["garden"]), {"text": text} | more)


def test_calls_are_shown_then_confirmed_then_the_report_has_tables_a_plot_and_files(
    admin: Client, project: Project
) -> None:
    page = start(admin, STUDY).content.decode()
    # 3 posts: 1 call, 2·1 + 2 and 2·2 + 2 calls.
    assert "9 runs on 3 gold posts, repeats: 1. They take at most 33 calls without retries." in compact(page)
    assert "Rounds &amp; &lt;courts&gt;" in page and not Evaluation.objects.exists()
    assert "The number of calls has changed" in start(admin, STUDY, calls="7").content.decode()
    answer = start(admin, STUDY, calls="33")
    evaluation = Evaluation.objects.get()
    url = reverse("moderation:evaluation", args=["garden", evaluation.public_id])
    assert answer["Location"] == url and Run.objects.count() == 9
    assert [arm.name for arm in stored_arms(evaluation)] == ["baseline", "arcade, K = 1", "arcade, K = 2"]
    wait_for_runs.perform_until_done(evaluation.runs(), threads=1, tick=lambda: None)
    assert continuation.carry_on(evaluation, ring=False)
    page = admin.get(url).content.decode()
    for title in (
        "Paired differences",
        "By pattern and difficulty",
        "Accuracy and cost",
        "Rounds &amp; &lt;courts&gt;",
    ):
        assert title in page
    assert len(re.findall(r'r="9" fill="#0072B2"', page)) == 3
    for key in ("paired", "patterns", "cost"):
        table = admin.get(reverse("moderation:evaluation-table", args=["garden", evaluation.public_id, key]))
        assert table["Content-Type"].startswith("text/csv")
    svg = admin.get(reverse("moderation:evaluation-report", args=["garden", evaluation.public_id, "svg"]))
    assert svg["Content-Type"] == "image/svg+xml"
    drawn = ElementTree.fromstring(svg.content.decode())
    assert [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}title")] == ["Accuracy and cost"]
    assert start(admin, STUDY, calls="33")["Location"] == url and Evaluation.objects.count() == 1


def test_a_budget_that_may_not_suffice_is_told_before_the_start(admin: Client, project: Project) -> None:
    assert "budget leaves" not in start(admin, STUDY).content.decode()
    Project.objects.update(call_budget=20)
    Account.objects.create(project=project.public_id, calls=5)
    page = compact(start(admin, STUDY).content.decode())
    assert "budget leaves 15 calls: the study may stop before its end." in page


def test_an_uploaded_file_replaces_the_text_and_is_named_in_what_is_wrong(admin: Client) -> None:
    good = SimpleUploadedFile("rounds.toml", STUDY.encode())
    assert "at most 33 calls" in compact(start(admin, "nonsense", file=good).content.decode())
    bad = SimpleUploadedFile("rounds.toml", (STUDY + "mood = 2").encode())
    page = start(admin, "", file=bad)
    assert page.status_code == 422
    assert (
        "rounds.toml, [[arms]] 1: baseline, arcade: there is no option mood; there are prompts,"
        in page.content.decode()
    )
    assert start(admin, "", file=SimpleUploadedFile("x.toml", b"\xff\xfe")).status_code == 422


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "Write a study, or choose a file."),
        ("title =\n", "study.toml is no TOML: Invalid value (at line 1, column 8). Correct that line."),
        ('title = "t"\n[data]\nfile = "/etc/passwd"\n[[arms]]\nmethods = "baseline"', "study.toml, data.file: on a"),
        ('title = "t"\n[data]\nimages = "/"\n[[arms]]\nmethods = "baseline"', "study.toml, data.images: on a page"),
        ('title = "t"\n[data]\nproject = "other"\n[[arms]]\nmethods = "baseline"', "belongs to the project garden;"),
        ('title = "t"\n[[arms]]\nmethods = "divine"', "study.toml, [[arms]] 1: There is no method divine"),
    ],
)  # fmt: skip
def test_a_fault_comes_back_with_the_form_and_the_text(admin: Client, text: str, sentence: str) -> None:
    page = start(admin, text)
    assert page.status_code == 422 and sentence in page.content.decode()
    assert not Evaluation.objects.exists()


def test_a_template_fills_the_form_and_only_admins_see_it(admin: Client, project: Project) -> None:
    url = reverse("moderation:study", args=["garden"])
    page = admin.get(url, {"template": "arcade-table-5"}).content.decode()
    assert "title = &quot;ARCADE, Table 5&quot;" in page and "hatexscore-tables-1-and-9" in page
    assert admin.get(url, {"template": "../../settings"}).status_code == 200
    overview = reverse("moderation:evaluations", args=["garden"])
    reviewer = client_of(make_member(project, Role.REVIEWER))
    assert reviewer.get(url).status_code == start(reviewer, STUDY).status_code == 404
    assert url in admin.get(overview).content.decode() and url not in reviewer.get(overview).content.decode()
