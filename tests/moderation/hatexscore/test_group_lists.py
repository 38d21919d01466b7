"""Lists of groups of a project's own: added on the page and over the API, chosen for a score, never changed."""

import json
from io import BytesIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.consensus.close import close_item
from annotation.domain.choices import Role
from annotation.models import Event, Item, Membership, Project
from builders import make_labelled_item, make_member, make_project
from moderation.domain.hatexscore.estimators import Estimator
from moderation.domain.hatexscore.group_list_files import BadGroups
from moderation.domain.hatexscore.request import Scoring
from moderation.domain.hatexscore.score import Weights
from moderation.hatexscore import group_lists
from moderation.hatexscore import start as hatexscore_start
from moderation.models import GroupList, Score
from runs.execution import runner, worker
from runs.models import Run

pytestmark = pytest.mark.django_db

OWN = {"Work": ["gardener", "nurse"], "Place": ["allotment"]}
TEXT = "The gardeners are weeds."
SAID = "“weeds” is meant to demean gardeners. Conclusion: hateful"


@pytest.fixture(autouse=True)
def _built_in_only(settings: Any) -> None:
    settings.MODEL_BINDINGS = {}


@pytest.fixture
def project() -> Project:
    return make_project("garden")


@pytest.fixture
def admin(project: Project) -> Membership:
    return make_member(project, Role.ADMIN)


@pytest.fixture
def item(project: Project) -> Item:
    people = [make_member(project) for _ in range(3)]
    made = make_labelled_item(project, people, [1, 1, 1], text=TEXT, external_id="post-1")
    close_item(made)
    return made


def client_of(member: Membership) -> Client:
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    return client


def upload(content: bytes, name: str = "work") -> dict[str, Any]:
    file = BytesIO(content)
    file.name = "list.json"
    return {"name": name, "file": file}


def lists() -> str:
    return reverse("moderation:group-lists", args=["garden"])


def adding() -> str:
    return reverse("moderation:group-list-add", args=["garden"])


def scored(item: Item, group_list: str, weights: Weights | None = None) -> Score:
    choice = Scoring(
        estimator=Estimator.GIVEN, group_list=group_list, weights=weights or Weights(), p=0.9, p_masked=0.1
    )
    score = hatexscore_start.start(item, hatexscore_start.pasted(SAID, True), choice, ring=False)
    runner.claim_and_perform(Run.objects.get(public_id=score.run).pk, worker.planned_model)
    score.refresh_from_db()
    run = Run.objects.get(public_id=score.run)
    assert score.state == "scored", (run.state, run.reason, run.detail)
    return score


def test_a_list_is_added_on_the_page_chosen_for_a_score_and_stays(item: Item, admin: Membership) -> None:
    client = client_of(admin)
    answer = client.post(adding(), upload(json.dumps(OWN).encode()), follow=True)
    assert "work can be chosen now." in answer.content.decode()
    assert (
        'value="work"'
        in client.get(reverse("moderation:item-scores", args=["garden", item.public_id])).content.decode()
    )
    # The built-in list knows no gardeners: QF 0.8, TGI 0, CC 0; the own one: TGI 1, CC 1.
    assert (scored(item, "un_extended").tgi, scored(item, "work").tgi) == (0, 1)
    client.post(reverse("moderation:group-list-remove", args=["garden", "work"]))
    assert GroupList.objects.count() == 1
    assert [event.verb for event in Event.objects.filter(verb__startswith="group_list")] == ["group_list_added"]


def test_a_category_of_a_list_may_be_called_like_a_method_of_a_dict(project: Project, admin: Membership) -> None:
    client = client_of(admin)
    client.post(adding(), upload(b'{"items": ["gardener", "florist", "botanist"]}'))
    answer = client.get(lists())
    assert answer.status_code == 200 and "botanist" in answer.content.decode()


def test_weights_are_written_in_the_form_and_sent_over_the_api(item: Item, admin: Membership) -> None:
    # HTC 1, QF 0.8, TGI 0, CC 0 with weights 1, 3, 0, 0: (1 + 2.4) / 4.
    assert scored(item, "un_extended", Weights(1, 3, 0, 0)).score == pytest.approx(0.85)
    client = client_of(make_member(item.project, Role.REVIEWER))
    wish = {"key": "pasted", "text": SAID, "prediction": "hateful", "estimator": "given", "p": "0.9", "p_masked": "0.1"}
    start = reverse("moderation:score-start", args=["garden", item.public_id])
    client.post(start, wish | {"weights": "1, 3, 0, 0"})
    assert Score.objects.latest("id").weights == [1.0, 3.0, 0.0, 0.0]
    for written in ("1, 2", "0, 0, 0, 0", "1, 1, 1, -1", "a, b, c, d", "1, 1, 1, inf"):
        answer = client.post(start, wish | {"weights": written})
        assert answer.status_code == 422 and "Write four numbers" in answer.content.decode()
    api = client_of(admin)
    address = f"/api/v1/projects/garden/items/{item.public_id}/scores/"
    asked = {"explanation": "pasted", "text": SAID, "prediction": "hateful", "estimator": "given"}
    asked |= {"p": 0.9, "p_masked": 0.1}
    made = api.post(address, asked | {"weights": [1, 3, 0, 0]}, content_type="application/json")
    assert (made.status_code, made.json()["weights"]) == (202, [1, 3, 0, 0])
    assert api.post(address, asked | {"weights": [0, 0, 0, 0]}, content_type="application/json").status_code == 400


def test_the_api_keeps_lists_and_gives_them_back(project: Project, admin: Membership) -> None:
    api, address = client_of(admin), "/api/v1/projects/garden/group-lists/"
    assert api.post(address, {"name": "work", "groups": OWN}, content_type="application/json").status_code == 201
    held = api.get(address).json()
    assert held["own"] == [{"name": "work", "groups": OWN}] and "un_extended" in held["built_in"]
    again = api.post(address, {"name": "work", "groups": OWN}, content_type="application/json")
    assert again.status_code == 400 and "another name" in again.json()["detail"]
    reviewer = client_of(make_member(project, Role.REVIEWER))
    assert reviewer.get(address).status_code == 200
    assert reviewer.post(address, {"name": "mine", "groups": OWN}, content_type="application/json").status_code == 201
    assert api.delete(f"{address}work/").status_code == 204
    assert api.delete(f"{address}work/").status_code == 404


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("un", b'{"a": ["b"]}', "un is a built-in list"),
        ("a b", b'{"a": ["b"]}', "A name has 1 to 20 letters"),
        ("mine", b"[]", "A group list is an object"),
        ("mine", b'{"a": "b"}', "needs a list of terms"),
        ("mine", b'{"a": [1]}', "needs a list of terms"),
        ("mine", b"\xff\xfe", "no JSON in UTF-8"),
        ("mine", b"[" * 100_000, "nested more than 32 levels"),
        ("mine", b'{"a": ["b"], "a": ["c"]}', "stands twice in one object"),
        ("mine", b'{"a": ["b"]', "Not valid JSON"),
        ("mine", b'{"a": [], "b": []}', "at least one term"),
        ("mine", b'{"a": ["' + b"x" * 200 + b'"]}', "more than 100 characters"),
        ("mine", b" " * 1_000_001, "more than 1 MB"),
    ],
)
def test_a_list_that_cannot_be_used_is_refused_in_one_sentence(
    admin: Membership, name: str, content: bytes, said: str
) -> None:
    answer = client_of(admin).post(adding(), upload(content, name))
    assert answer.status_code == 422 and said in answer.content.decode()
    assert not GroupList.objects.exists()


def test_annotators_and_other_projects_know_nothing_of_it(project: Project, admin: Membership) -> None:
    annotator = client_of(make_member(project))
    assert annotator.get(lists()).status_code == 404
    assert annotator.post(adding(), upload(json.dumps(OWN).encode())).status_code == 404
    group_lists.add(project, "work", OWN, admin)
    assert group_lists.names(make_project("yard"))[-1] == "youtube"
    with pytest.raises(BadGroups):
        group_lists.named(make_project("shed"), "work")


def test_the_command_takes_a_list_of_the_project_by_its_name(
    project: Project, admin: Membership, tmp_path: Any, capsys: Any
) -> None:
    group_lists.add(project, "work", OWN, admin)
    line = {"text": TEXT, "explanation": SAID, "prediction": "hateful", "p": 0.9, "p_masked": 0.1}
    (tmp_path / "lines.jsonl").write_text(json.dumps(line))
    call_command("hatexscore", str(tmp_path / "lines.jsonl"), "--list", "work", "--project", "garden", "--json")
    assert json.loads(capsys.readouterr().out)["items"][0]["groups"] == ["gardener"]
