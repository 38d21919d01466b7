"""The training room and the Training tab by plain requests: what they show, refuse and store, in how many queries."""

import csv
import io
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.domain.choices import PriorDisplay, Role, Stage
from annotation.models import (
    Event,
    Item,
    KnownAnswer,
    Membership,
    OptOut,
    Prior,
    Project,
    Seat,
    TrainingAnswer,
    TrainingAttempt,
    User,
)
from annotation.training import attempts
from annotation.training.attempts import TrainingReply
from builders import category, make_item, make_label, make_member, make_open_item, make_picture, make_project
from markup import compact

pytestmark = pytest.mark.django_db

ROOM, SETUP, OWN = "/p/garden/training/", "/p/garden/training/setup/", "/p/garden/training/results/"


@pytest.fixture
def project() -> Project:
    return make_project("garden", name="Garden posts", content_warning="Some posts may hurt.")


@pytest.fixture
def admin(project: Project) -> Membership:
    return make_member(project, Role.ADMIN, pseudonym="kestrel")


@pytest.fixture
def wren(project: Project) -> Membership:
    return make_member(project, pseudonym="wren")


def client_of(member: Membership) -> Client:
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    return client


def known(project: Project, code: int, explanation: str = "", *, train: bool = True, **fields: Any) -> Item:
    item = make_item(project, stage=Stage.KNOWN, **fields)
    answer = KnownAnswer(item=item, category=category(project, code), explanation=explanation, training=train)
    answer.save()
    return item


def page_of(item: Item, *more: str) -> str:
    return f"{ROOM}{item.public_id}/" + "".join(f"{part}/" for part in more)


def text_of(answer: Any) -> str:
    return compact(answer.content.decode())


# ── The room ──────────────────────────────────────────────────────────────────


def test_the_room_says_what_it_is_before_it_begins(project: Project, wren: Membership) -> None:
    known(project, 1)
    text = text_of(client_of(wren).get(ROOM))
    assert "80 % of your answers are right" in text
    assert "Some posts may hurt." in text
    assert "your choice: you may label without it" in text
    assert not TrainingAttempt.objects.exists()


def test_somebody_goes_through_the_training_and_reads_why(project: Project, wren: Membership) -> None:
    item = known(project, 1, "The sign shuts people out.", text="Locals only.", picture=make_picture(project))
    client = client_of(wren)
    assert client.post(ROOM, {"act": "begin"}).headers["Location"] == ROOM
    post = text_of(client.get(ROOM))
    assert "Locals only." in post
    assert "The sign shuts people out." not in post
    assert reverse("annotation:training-picture", args=["garden", item.public_id]) not in post
    assert reverse("annotation:training-blurred", args=["garden", item.public_id]) in post
    told = client.post(page_of(item), {"category": "2"}, follow=True)
    assert told.redirect_chain == [(page_of(item), 302)]
    text = text_of(told)
    assert "Others would say something else here." in text
    assert "The sign shuts people out." in text
    assert "/p/garden/guidelines/#category-1" in text
    assert "To your mark" in text
    mark = text_of(client.post(ROOM, {"act": "on"}, follow=True))
    assert "0 right of 1 answered: 0 %" in mark
    assert "Not passed yet: the pass mark is 80 %." in mark
    assert "Try again" in mark


def test_a_pass_leads_on_to_labelling(project: Project, wren: Membership) -> None:
    item = known(project, 1)
    client = client_of(wren)
    client.post(ROOM, {"act": "begin"})
    client.post(page_of(item), {"category": "1"})
    text = text_of(client.get(ROOM))
    assert "1 right of 1 answered: 100 %" in text
    assert "Passed. You can label now." in text
    assert 'href="/p/garden/label/"' in text


def test_an_answer_of_nothing_is_refused_with_a_sentence(project: Project, wren: Membership) -> None:
    item = known(project, 1)
    client = client_of(wren)
    client.post(ROOM, {"act": "begin"})
    for body in ({}, {"category": "77"}):
        refused = client.post(page_of(item), body)
        assert refused.status_code == 422
        assert "Choose a category" in text_of(refused) or "no such category" in text_of(refused)
    assert not TrainingAnswer.objects.exists()


def test_a_double_click_stores_one_answer_and_says_so(project: Project, wren: Membership) -> None:
    item = known(project, 1)
    client = client_of(wren)
    client.post(ROOM, {"act": "begin"})
    client.post(page_of(item), {"category": "1"})
    again = text_of(client.post(page_of(item), {"category": "4"}, follow=True))
    assert "your first answer stands" in again
    assert "That is the known answer." in again
    assert TrainingAnswer.objects.get().correct


def test_a_skip_is_told_apart_from_a_wrong_answer(project: Project, wren: Membership) -> None:
    item = known(project, 1)
    client = client_of(wren)
    client.post(ROOM, {"act": "begin"})
    text = text_of(client.post(page_of(item), {"skip": "1"}, follow=True))
    assert "Skipped. It does not count towards your mark." in text
    assert "at least half of the posts have to be answered" in text_of(client.get(ROOM))


def test_no_attempt_is_left_in_calm_words(project: Project, wren: Membership) -> None:
    Project.objects.update(training_attempts=1, training_required=True)
    item = known(project, 1)
    client = client_of(wren)
    client.post(ROOM, {"act": "begin"})
    client.post(page_of(item), {"category": "0"})
    assert "No attempt is left." in text_of(client.get(ROOM))
    client.post(ROOM, {"act": "begin"})
    assert TrainingAttempt.objects.count() == 1


def test_training_asks_for_consent_first(project: Project) -> None:
    member = make_member(project, consent_version=0)
    assert client_of(member).get(ROOM).headers["Location"] == "/p/garden/consent/"


def test_without_training_posts_the_room_leads_on(project: Project, wren: Membership) -> None:
    Project.objects.update(training_required=True)
    text = text_of(client_of(wren).get(ROOM))
    assert "There is nothing to train on" in text
    assert 'href="/p/garden/label/"' in text


def test_the_picture_is_given_to_who_reveals_it(project: Project, wren: Membership) -> None:
    item = known(project, 1, picture=make_picture(project))
    client = client_of(wren)
    picture = reverse("annotation:training-picture", args=["garden", item.public_id])
    assert client.get(picture).status_code == 404  # no attempt under way
    client.post(ROOM, {"act": "begin"})
    asked = client.post(page_of(item, "look"), {"show": "1"}, headers={"accept": "application/json"})
    assert asked.json() == {"picture": picture}
    assert client.get(picture)["Cache-Control"] == "no-store"
    without_script = text_of(client.post(page_of(item, "look"), {"show": "1", "category": "3"}))
    assert f'src="{picture}"' in without_script
    assert 'value="3" data-key="3" aria-keyshortcuts="3" data-definition="3 Homophobic" checked' in without_script
    client.post(page_of(item, "look"), {"grey": "0"})
    assert not User.objects.get(pk=wren.user_id).grey


def test_checks_and_ordinary_posts_have_no_page_in_the_room(project: Project, wren: Membership) -> None:
    check, work = known(project, 1, train=False), make_open_item(project, picture=make_picture(project))
    known(project, 0)
    client = client_of(wren)
    client.post(ROOM, {"act": "begin"})
    for item in (check, work):
        assert client.get(page_of(item)).status_code == 404
        assert client.post(page_of(item), {"category": "1"}).status_code == 404
        assert client.post(page_of(item, "look"), {"show": "1"}).status_code == 404
        assert client.get(page_of(item, "picture")).status_code == 404
        assert client.get(page_of(item, "blurred")).status_code == 404


def test_anothers_answers_are_in_nobody_elses_room(project: Project, wren: Membership) -> None:
    item = known(project, 1, text="Locals only.", explanation="Secret reason.")
    attempts.begin_attempt(wren)
    attempts.store_training_answer(wren, item.public_id, TrainingReply(category(project, 1)))
    robin = client_of(make_member(project))
    assert robin.get(page_of(item)).status_code == 404
    assert "Secret reason." not in text_of(robin.get(OWN))
    assert "Locals only." not in text_of(robin.get(OWN))


def test_priors_stand_beside_training_posts_as_in_the_work(project: Project, wren: Membership) -> None:
    item = known(project, 1)
    Prior.objects.create(
        item=item, modality="text", category=category(project, 0), explanation="A plain remark.", severity=2
    )
    client = client_of(wren)
    client.post(ROOM, {"act": "begin"})
    assert "A plain remark." in text_of(client.get(ROOM))
    Project.objects.update(prior_display=PriorDisplay.AFTER_FIRST_ANSWER)
    assert "A plain remark." not in text_of(client.get(ROOM))
    assert "A plain remark." in text_of(client.post(page_of(item), {"category": "1"}, follow=True))


def test_ones_own_results_name_training_posts_and_only_count_checks(project: Project, wren: Membership) -> None:
    item = known(project, 1, text="Locals only.")
    for _ in range(5):
        check = known(project, 2, text="A hidden check.", train=False)
        make_label(Seat.objects.create(item=check, number=1, seats=3), wren, 2, created_at="2026-01-01T00:00:00Z")
    attempts.begin_attempt(wren)
    attempts.store_training_answer(wren, item.public_id, TrainingReply(not_sure=True))
    text = text_of(client_of(wren).get(OWN))
    assert "Locals only." in text
    assert "5 right of 6" in text
    assert "5 of 5 checks are answered as known." in text
    assert "A hidden check." not in text
    assert str(check.public_id) not in text


# ── The Training tab ──────────────────────────────────────────────────────────

RULES = {"form": "rules", "training_pass_percent": "70", "training_attempts": "2", "check_percent": "5"}


def test_an_admin_sets_the_rules(project: Project, admin: Membership) -> None:
    known(project, 1)
    answer = client_of(admin).post(SETUP, {**RULES, "training_required": "on"})
    assert answer.status_code == 302
    project.refresh_from_db()
    assert (project.training_required, project.training_pass_percent) == (True, 70)
    assert (project.training_attempts, project.check_percent) == (2, 5)
    assert Event.objects.get(verb="training_rules").actor == admin


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"training_required": "on"}, "There is no training post in use yet"),
        ({"check_percent": "51"}, "At most 50 percent"),
        ({"training_pass_percent": "0"}, "Between 1 and 100 percent."),
        ({"training_pass_percent": "101"}, "Between 1 and 100 percent."),
        ({"training_attempts": "101"}, "Between 0 and 100 attempts"),
    ],
)
def test_rules_that_cannot_hold_are_refused_with_a_sentence(
    given: dict[str, str], sentence: str, project: Project, admin: Membership
) -> None:
    known(project, 1, train=False)
    answer = client_of(admin).post(SETUP, {**RULES, **given})
    assert answer.status_code == 422
    assert sentence in text_of(answer)
    assert f'value="{given.get("training_attempts", 2)}"' in text_of(answer)  # what was typed stays
    project.refresh_from_db()
    assert (project.training_pass_percent, project.check_percent) == (80, 0)


def test_an_admin_declares_many_answers_at_once(project: Project, admin: Membership) -> None:
    make_item(project, external_id="a")
    make_item(project, external_id="b")
    lines = 'a, Racist, "Sign, and text."\n\nb,0\n'
    answer = client_of(admin).post(SETUP, {"form": "lines", "lines": lines, "purpose": "check"}, follow=True)
    assert "2 posts have a known answer now." in text_of(answer)
    rows = KnownAnswer.objects.order_by("item__external_id").values_list("category__code", "explanation", "training")
    assert list(rows) == [(1, "Sign, and text.", False), (0, "", False)]


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ("a", "Line 1: write the id, the category"),
        ("a,1,x,y", "Line 1: write the id, the category"),
        ("b,1\nmissing,1", "Line 2: The project has no item missing"),
        ("a,9", "Line 1: &#x27;9&#x27; is no category of this project."),
        ('a,1,"open', "A quotation mark is opened and never closed"),
        ("   ", "This field is required."),
        ("a,1,\x00", "NUL character"),
    ],
)
def test_a_line_that_cannot_be_done_is_named_and_stays_in_the_field(
    lines: str, sentence: str, project: Project, admin: Membership
) -> None:
    make_item(project, external_id="a")
    make_item(project, external_id="b")
    answer = client_of(admin).post(SETUP, {"form": "lines", "lines": lines, "purpose": "training"})
    assert answer.status_code == 422
    assert sentence in text_of(answer)
    assert not KnownAnswer.objects.exists()


def test_the_tab_shows_how_people_and_posts_fare(project: Project, admin: Membership, wren: Membership) -> None:
    item = known(project, 1, external_id="sign-1")
    for member in (wren, make_member(project), make_member(project)):
        attempts.begin_attempt(member)
        attempts.store_training_answer(member, item.public_id, TrainingReply(category(project, 2)))
    text = text_of(client_of(admin).get(SETUP))
    assert "sign-1" in text
    assert "0 of 3" in text
    assert "check the key" in text
    assert "not passed" in text
    assert "1 for training, 0 checks, 0 set aside" in text


def test_results_are_downloaded_as_a_table_that_a_spreadsheet_cannot_run(project: Project, admin: Membership) -> None:
    make_member(project, pseudonym="=HYPERLINK(1)")
    answer = client_of(admin).get(f"{SETUP}results.csv")
    assert answer["Content-Disposition"] == 'attachment; filename="garden-training.csv"'
    rows = list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert rows[0][0] == "annotator"
    assert rows[1][0] == "'=HYPERLINK(1)"


def test_an_admin_grants_an_attempt_and_counts_somebody_as_trained(
    project: Project, admin: Membership, wren: Membership
) -> None:
    client, path = client_of(admin), f"{SETUP}{wren.public_id}/"
    assert "wren may begin once more." in text_of(client.post(path, {"act": "attempt"}, follow=True))
    assert "wren counts as trained now." in text_of(client.post(path, {"act": "trained"}, follow=True))
    assert "wren is trained already." in text_of(client.post(path, {"act": "trained"}, follow=True))
    wren.refresh_from_db()
    assert (wren.training_extra, wren.trained_at is not None) == (1, True)


# ── One item ──────────────────────────────────────────────────────────────────


def test_an_admin_declares_changes_rests_and_takes_back_one_answer(project: Project, admin: Membership) -> None:
    item = make_item(project)
    client, path = client_of(admin), f"/p/garden/items/{item.public_id}/known/"
    body = {"act": "mark", "category": "1", "explanation": "So.", "purpose": "training"}
    assert "Known answer saved." in text_of(client.post(path, body, follow=True))
    assert (KnownAnswer.objects.get().category.code, KnownAnswer.objects.get().training) == (1, True)
    client.post(path, {**body, "category": "2", "purpose": "check"})
    assert (KnownAnswer.objects.get().category.code, KnownAnswer.objects.get().training) == (2, False)
    assert "Use it again" in text_of(client.post(path, {"act": "rest"}, follow=True))
    client.post(path, {"act": "use"})
    assert KnownAnswer.objects.get().active
    assert "ready to be opened like any other" in text_of(client.post(path, {"act": "give_back"}, follow=True))
    item.refresh_from_db()
    assert item.stage == Stage.READY


def test_a_form_without_a_category_says_so_and_stores_nothing(project: Project, admin: Membership) -> None:
    item = make_item(project)
    answer = client_of(admin).post(f"/p/garden/items/{item.public_id}/known/", {"explanation": "Kept words."})
    assert answer.status_code == 422
    assert "Kept words." in text_of(answer)
    item.refresh_from_db()
    assert item.stage == Stage.IMPORTED


def test_a_known_item_that_was_taken_out_is_not_reopened(project: Project, admin: Membership) -> None:
    item = known(project, 1)
    Item.objects.filter(pk=item.pk).update(stage=Stage.EXCLUDED, excluded_for="withdrawn")
    client, path = client_of(admin), f"/p/garden/items/{item.public_id}/"
    assert f"{path}reopen/" not in text_of(client.get(path))
    answer = client.post(f"{path}reopen/", {"reason": "Because.", "version": item.version}, follow=True)
    assert "This post has a known answer, so it gets no votes any more." in text_of(answer)
    item.refresh_from_db()
    assert item.stage == Stage.EXCLUDED


def test_an_open_item_gets_no_known_answer(project: Project, admin: Membership) -> None:
    item = make_open_item(project)
    client, path = client_of(admin), f"/p/garden/items/{item.public_id}/known/"
    assert "Only posts that nobody was asked about yet" in text_of(client.get(path))
    body = {"category": "1", "purpose": "training"}
    assert "only items that nobody was asked about yet" in text_of(client.post(path, body, follow=True))
    assert not KnownAnswer.objects.exists()


# ── Queries ───────────────────────────────────────────────────────────────────


def queries(client: Client, path: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert client.get(path).status_code == 200
    return len(asked)


def test_the_pages_ask_a_fixed_number_of_things(project: Project, wren: Membership, admin: Membership) -> None:
    items = [known(project, 1, picture=make_picture(project)) for _ in range(2)]
    OptOut.objects.create(member=wren, severity=3)
    attempts.begin_attempt(wren)
    client, lead = client_of(wren), client_of(admin)
    few = [queries(client, ROOM), queries(client, OWN), queries(lead, SETUP), queries(lead, f"{SETUP}results.csv")]
    for number in range(12):
        items.append(known(project, number % 6, train=number % 2 == 0))
        member = make_member(project)
        attempts.begin_attempt(member)
        attempts.store_training_answer(member, items[0].public_id, TrainingReply(category(project, 2)))
    for item in items[:2]:
        attempts.store_training_answer(wren, item.public_id, TrainingReply(category(project, 1)))
    many = [queries(client, ROOM), queries(client, OWN), queries(lead, SETUP), queries(lead, f"{SETUP}results.csv")]
    assert many == few
    assert max(many) <= 14
    told = queries(client, page_of(items[0]))
    assert told <= 14
