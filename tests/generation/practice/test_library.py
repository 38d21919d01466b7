"""Approved replies are found again by meaning, target, theme and language; when they were checked and used is shown."""

from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.domain.choices import Role, Stage
from annotation.members.personal_data import data_of
from annotation.models import Event, Item, Membership, Project
from builders import make_item, make_member
from desk_pages import client_of
from generation.counterspeech import request
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.registers import Register
from generation.models import Exemplar, ExemplarVector, Reply
from generation.practice import library
from generation.practice.library import Wish
from markup import compact
from reply_builders import approve_reply

pytestmark = pytest.mark.django_db

RENT = ("Newcomers drive up our rents.", "Rents rise where too few homes are built, whoever moves in.")
SCHOOL = ("Their children ruin our schools.", "Pupils of every family learn more where classes are small.")
KOREAN = ("이주민이 우리 일자리를 빼앗는다.", "일자리를 빼앗는 것은 이웃이 아니라 낮은 임금입니다.")
CHINESE = ("移民抢走了我们的工作。", "抢走工作的不是邻居，而是过低的工资。")


@pytest.fixture
def member(project: Project) -> Membership:
    return make_member(project, Role.REVIEWER, pseudonym="heron")


def imported(project: Project, name: str, pair: tuple[str, str], **more: Any) -> Exemplar:
    fields = {"intent": "informative", "hs_type": "newcomers", "source": "a study"} | more
    return Exemplar.objects.create(project=project, external_id=name, hate=pair[0], text=pair[1], **fields)


def approved(project: Project, pair: tuple[str, str], group: str, theme: str) -> Reply:
    author, second = make_member(project, Role.REVIEWER), make_member(project, Role.REVIEWER)
    exchange = request.open_on_item(make_item(project, pair[0], stage=Stage.GOLD, target_group=group))
    exchange.theme = theme
    exchange.save()
    return approve_reply(exchange, author, second, pair[1], Intent.POSITIVE, Register.EMPATHY)


def names(project: Project, **wish: Any) -> list[str]:
    return [entry.row.external_id for entry in library.find(project, Wish(**wish))]


def test_replies_are_found_by_group_theme_language_and_whether_they_were_used(project: Project) -> None:
    imported(project, "rent", RENT, hs_sub_type="homes , work")
    imported(project, "ko", KOREAN, used_at=timezone.now() - timedelta(days=31))
    imported(project, "zh", CHINESE, hs_type="migrants", used_at=timezone.now() - timedelta(days=29))
    own = str(approved(project, SCHOOL, "Newcomers", "schools").public_id)
    assert names(project) == [own, "zh", "ko", "rent"]
    assert names(project, group="newcomers") == [own, "ko", "rent"]
    assert (names(project, theme="school"), names(project, theme="work")) == ([own], ["rent"])
    assert (names(project, language="ko"), names(project, language="zh")) == (["ko"], ["zh"])
    assert names(project, unused=True) == [own, "ko", "rent"]
    Item.objects.update(stage=Stage.EXCLUDED, excluded_for="withdrawn")
    assert own not in names(project)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Since they came nobody can pay the rents any more", "rent"),
        ("The schools are ruined by those children", "school"),
        ("이주민 때문에 일자리가 없다", "ko"),
        ("移民来了以后我们没有工作", "zh"),
    ],
)
def test_the_nearest_replies_come_first_in_three_languages(project: Project, text: str, first: str) -> None:
    for name, pair in (("rent", RENT), ("school", SCHOOL), ("ko", KOREAN), ("zh", CHINESE)):
        imported(project, name, pair)
    assert names(project, text=text)[0] == first
    assert ExemplarVector.objects.count() == 4
    assert names(project, text=text)[0] == first and ExemplarVector.objects.count() == 4  # stored vectors are read


def test_what_was_not_checked_for_a_year_says_so_until_somebody_checks_it(project: Project, member: Membership) -> None:
    row, client = imported(project, "rent", RENT), client_of(member)
    Exemplar.objects.filter(pk=row.pk).update(created_at=timezone.now() - timedelta(days=366))
    page = reverse("generation:library", args=["garden"])
    shown = compact(client.get(page).content.decode())
    assert "not checked for a year" in shown and "never used" in shown and "a study" in shown
    assert client.post(reverse("generation:library-check", args=["garden"]), {"entry": "rent"}).status_code == 302
    shown = compact(client.get(page).content.decode())
    assert "not checked for a year" not in shown and "heron" in shown
    assert Event.objects.get(verb="library_checked").facts == {"entry": "rent"}
    assert data_of(member.user)["library_checked"][0]["entry"] == "rent"  # type: ignore[arg-type]
    gone = client.post(reverse("generation:library-check", args=["garden"]), {"entry": "of another project"})
    assert gone.status_code == 404


def test_a_reply_of_the_library_is_taken_up_for_another_post(project: Project, member: Membership) -> None:
    imported(project, "rent", RENT, registers=["facts"])
    exchange, client = request.open_on_text(project, "No more homes for newcomers!"), client_of(member)
    page = client.get(reverse("generation:library", args=["garden"]), {"exchange": str(exchange.public_id)})
    assert "Begin a reply with it" in compact(page.content.decode())
    answer = client.post(reverse("generation:library-take", args=["garden", exchange.public_id]), {"entry": "rent"})
    reply = Reply.objects.get()
    assert (reply.text, reply.registers, reply.intent, reply.state) == (RENT[1], ["facts"], "informative", "draft")
    assert f"reply={reply.public_id}" in answer["Location"]
    assert names(project, unused=True) == []


def test_bad_searches_are_told_and_unknown_posts_are_not_found(project: Project, member: Membership) -> None:
    client, page = client_of(member), reverse("generation:library", args=["garden"])
    refused = client.get(page, {"language": "kor", "text": "mine"})
    assert refused.status_code == 422 and 'value="mine"' in refused.content.decode()
    assert client.get(page, {"exchange": "nonsense"}).status_code == 404


def test_the_api_finds_and_checks(project: Project, member: Membership) -> None:
    imported(project, "rent", RENT)
    api, url = APIClient(), reverse("generation-api:library", args=["garden"])
    api.force_authenticate(member.user)
    (found,) = api.get(url, {"text": "rents rise", "unused": "true"}).json()
    assert (found["id"], found["language"], found["imported"], found["is_old"]) == ("rent", "en", True, False)
    assert found["nearness"] > 0 and api.get(url, {"language": "ko"}).json() == []
    (checked,) = api.post(url, {"entry": "rent"}, format="json").json()
    assert checked["checked_by"] == "heron"
    assert api.post(url, {"entry": "none"}, format="json").status_code == 400
    assert api.get(url, {"language": "korean"}).status_code == 400


def test_a_program_takes_a_reply_of_the_library_up_for_another_post(project: Project, member: Membership) -> None:
    imported(project, "rent", RENT, registers=["facts"])
    exchange = request.open_on_item(make_item(project, "They make our flats dear.", stage=Stage.GOLD))
    client = APIClient()
    client.force_authenticate(member.user)
    home = reverse("generation-api:reply-begin", args=["garden", exchange.public_id])
    reply = client.post(home, {"entry": "rent"}, format="json")
    assert reply.status_code == 201
    told = {name: reply.json()[name] for name in ("text", "state", "intent", "registers", "candidate")}
    assert told == {
        "text": RENT[1],
        "state": "draft",
        "intent": "informative",
        "registers": ["facts"],
        "candidate": None,
    }
    assert names(project, unused=True) == []
    for body in ({"entry": "none"}, {"entry": "rent", "intent": "positive"}, {"entry": ""}, {}):
        refused = client.post(home, body, format="json")
        assert (refused.status_code, Reply.objects.count()) == (400, 1), body
