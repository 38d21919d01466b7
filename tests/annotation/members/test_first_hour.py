"""The first hour: three pages from the invitation to the first training post, and no word of what is not there."""

import re
from collections.abc import Iterator
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from annotation.domain.choices import Role, Stage
from annotation.members.invitations import invite
from annotation.models import KnownAnswer, Membership, Project, TrainingAttempt, User
from annotation.projects.create import FIRST_GUIDELINES
from builders import category, make_item, make_label, make_member, make_open_item, make_picture, make_project
from site_addresses import ROUTES

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = make_project("garden", training_required=True, daily_goal=5, glossary_for_annotators=True)
    project.guidelines.create(number=2, text=FIRST_GUIDELINES)
    for number in range(2):
        item = make_item(project, text=f"Known weeds {number}.", stage=Stage.KNOWN)
        KnownAnswer.objects.create(item=item, category=category(project, 1), training=True, explanation="It says so.")
        make_open_item(project, f"Weeds {number}.")
    return project


def joined(project: Project) -> tuple[Client, list[str]]:
    """Follow an invitation as somebody new; return their browser and the pages that they were sent."""
    token = invite(make_member(project, Role.ADMIN), [Role.ANNOTATOR]).token
    client, address = Client(), reverse("annotation:invitation", args=[token])
    invitation = client.get(address).content.decode()
    password = {"password": "weeds-in-white-roses", "again": "weeds-in-white-roses"}
    consent = client.post(address, {"username": "newcomer", **password}, follow=True).content.decode()
    agreed = {"version": str(project.consent_version), "agree": "on"}
    post = client.post(reverse("annotation:consent", args=["garden"]), agreed, follow=True).content.decode()
    return client, [invitation, consent, post]


def test_the_third_page_is_the_first_training_post(project: Project) -> None:
    _client, (invitation, consent, post) = joined(project)
    assert "You are invited" in invitation
    assert "a training of 2 posts" in consent and "80 %" in consent
    assert "Training, 1 of 2" in post and "Known weeds" in post and 'id="hints"' in post
    assert TrainingAttempt.objects.count() == 1


def test_without_a_training_the_third_page_is_the_first_post(project: Project) -> None:
    Project.objects.update(training_required=False)
    _client, (_invitation, consent, post) = joined(project)
    assert "a training of" not in consent and "Weeds" in post and not TrainingAttempt.objects.exists()


def test_who_agrees_anew_begins_no_other_attempt(project: Project) -> None:
    client, _pages = joined(project)
    TrainingAttempt.objects.update(finished_at="2026-01-01T00:00:00Z")
    Project.objects.update(consent_version=2)
    client.post(reverse("annotation:consent", args=["garden"]), {"version": "2", "agree": "on"})
    assert TrainingAttempt.objects.count() == 1


# ── A campaign of texts alone ─────────────────────────────────────────────────

PICTURES = re.compile(r"picture|(?<!intruding )image|photo|blur|grey|unblurred|zoom", re.IGNORECASE)


def seen(page: str) -> str:
    """What a page says, without its tags."""
    body = re.sub(r"<(script|style|template)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


def pages_of(client: Client, member: Membership) -> Iterator[tuple[str, str]]:
    """Every page of the project that an annotator may open, while a post is open and when none is left."""
    for name, route in ROUTES.items():
        if route.roles and Role.ANNOTATOR in route.roles and route.parts.__name__ == "project" and "api:" not in name:
            answer = client.get(reverse(name, args=["garden"]), follow=True)
            if "html" in answer.headers.get("Content-Type", ""):
                yield name, answer.content.decode()
    seat = member.seat_rows.filter(label=None).order_by("pk").first()
    if seat is not None:
        yield "report", client.get(reverse("annotation:report", args=["garden", seat.public_id])).content.decode()


def words_of_pictures(project: Project) -> dict[str, str]:
    client, pages = joined(project)
    member = Membership.objects.get(user=User.objects.get(username="newcomer"))
    all_pages = [(f"page {number}", page) for number, page in enumerate(pages, 1)]
    all_pages += pages_of(client, member)  # before the training
    Membership.objects.filter(pk=member.pk).update(trained_at="2026-01-01T00:00:00Z")
    all_pages += pages_of(client, member)
    make_label(make_open_item(project, "Roses.").seat_rows.order_by("number")[0], member, 1)
    project.items.filter(stage=Stage.LABELLING).update(taken=3)
    all_pages += pages_of(client, member)
    assert len(all_pages) > 30
    return {name: seen(page) for name, page in all_pages if PICTURES.search(seen(page))}


def test_no_page_of_a_campaign_of_texts_speaks_of_pictures(project: Project) -> None:
    found = words_of_pictures(project)
    said = {
        name: [page[max(0, word.start() - 60) : word.end() + 30] for word in PICTURES.finditer(page)]
        for name, page in found.items()
    }
    assert said == {}


def test_with_pictures_the_pages_speak_of_them(project: Project) -> None:
    make_picture(project)
    assert {"page 1", "page 2", "annotation:guidelines"} <= set(words_of_pictures(project))
