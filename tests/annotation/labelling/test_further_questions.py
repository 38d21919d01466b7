"""Further questions on the annotator's page and in the API: what is shown, stored, refused and kept."""

import html
import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.assignment.claim import claim
from annotation.domain.answer import Answer, BadAnswer
from annotation.domain.choices import Modality, PriorDisplay
from annotation.domain.design.file import read_design
from annotation.labelling import submit
from annotation.models import Item, Label, Prior, Question
from annotation.projects.design import change_design
from builders import make_member, make_open_item, make_picture, make_project
from markup import compact
from page_forms import send_label

pytestmark = pytest.mark.django_db

PAGE = "/p/garden/label/"
TEXT = "They all should leave, every one of them."
QUESTIONS = [
    {"code": "severity", "kind": "scale", "points": 5, "wording": "How bad?", "when": "hateful", "required": True},
    {"code": "targets", "kind": "many", "options": [{"code": "men"}, {"code": "women"}], "when": "hateful"},
    {"code": "tone", "kind": "one", "options": [{"code": "calm"}, {"code": "angry"}], "when": [1, 2]},
    {"code": "why", "kind": "text", "limit": 30},
    {"code": "words", "kind": "span", "when": "hateful"},
]


def ask(project, questions):
    rows = [
        {"code": row.code, "name": row.name, "hateful": row.hateful, "key": row.key}
        for row in project.offered_categories()
    ]
    return change_design(project, read_design({"categories": rows, "questions": questions}), admin=None)


@pytest.fixture
def project():
    project = make_project("garden")
    ask(project, QUESTIONS)
    project.refresh_from_db()
    return project


@pytest.fixture
def wren(project):
    return make_member(project, pseudonym="wren")


@pytest.fixture
def client(wren):
    client = Client()
    client.force_login(wren.user)
    return client


def text_of(page):
    return compact(page.content.decode())


def send(client, page, **answer):
    return send_label(client, page, PAGE, **answer)


def values(label):
    return {code: entry["value"] for code, entry in label.answers.items()}


class TestAnswers:
    def test_nothing_is_chosen_before_the_annotator_chooses(self, project, client):
        ask(project, [{"code": "who", "kind": "many", "options": [{"code": "None"}, {"code": "False"}]}, *QUESTIONS])
        make_open_item(project, TEXT)
        text = text_of(client.get(PAGE))
        assert 'value="None"' in text
        assert "checked" not in text

    def test_everything_that_was_asked_is_stored_with_its_version(self, project, client):
        make_open_item(project, TEXT)
        answer = {"category": "1", "answer_severity": "4", "answer_targets": ["women", "men"], "answer_tone": "angry"}
        more = {"answer_why": "  It tells them to go. ", "quoted_words": "leave\nevery one", "answer_words": ""}
        assert send(client, client.get(PAGE), **answer, **more).status_code == 302
        assert Label.objects.get().answers == {
            "severity": {"version": 1, "value": 4},
            "targets": {"version": 1, "value": ["men", "women"]},
            "tone": {"version": 1, "value": "angry"},
            "why": {"version": 1, "value": "It tells them to go."},
            "words": {"version": 1, "value": [[16, 21], [23, 32]]},
        }
        assert TEXT[16:21] == "leave"
        assert TEXT[23:32] == "every one"

    @pytest.mark.parametrize(("stage", "shown"), [("labelling", True), ("excluded", False)])
    def test_a_lost_seat_repeats_the_marked_words_unless_the_post_was_taken_out(
        self, project, wren, client, stage, shown
    ):
        item = make_open_item(project, TEXT, seats=1)
        page = client.get(PAGE)
        item.seat_rows.update(expires_at=timezone.now() - timedelta(minutes=1))
        other = Client()
        other.force_login(make_member(project).user)
        send(other, other.get(PAGE), category="0")
        Item.objects.filter(pk=item.pk).update(stage=stage)
        answer = send(client, page, category="1", answer_severity="2", answer_words="[[16, 21]]")
        assert answer.status_code == 409
        assert "Your answer was not stored" in text_of(answer)
        assert ('<q lang="en" hx-disable>leave</q>' in text_of(answer)) == shown

    def test_what_the_category_does_not_ask_for_is_not_stored(self, project, client):
        make_open_item(project, TEXT)
        answer = {"category": "0", "answer_severity": "4", "answer_targets": "men"}
        assert send(client, client.get(PAGE), **answer).status_code == 302
        assert Label.objects.get().answers == {"why": {"version": 1, "value": None}}

    @pytest.mark.parametrize("answer", [{"category": "not_sure"}, {"low_quality": "on"}])
    def test_who_chooses_no_category_has_only_the_questions_for_all(self, project, client, answer):
        make_open_item(project, TEXT)
        assert send(client, client.get(PAGE), **answer).status_code == 302
        assert list(Label.objects.get().answers) == ["why"]

    def test_a_required_one_stops_with_one_sentence_and_nothing_is_lost(self, project, client):
        make_open_item(project, TEXT)
        answer = {"category": "1", "answer_targets": "women", "answer_why": "Go away.", "quoted_words": "leave"}
        page = send(client, client.get(PAGE), **answer, note="A note.")
        assert page.status_code == 422
        text = text_of(page)
        assert html.unescape(text).count("How bad? This question needs an answer.") == 1
        assert 'value="women" checked' in text
        assert 'value="Go away."' in text
        assert ">leave</textarea>" in text
        assert "A note." in text
        assert not Label.objects.exists()
        assert send(client, page, **answer, answer_severity="2").status_code == 302

    @pytest.mark.parametrize(
        ("field", "value", "sentence"),
        [
            ("answer_severity", "6", "How bad? Choose a point from 1 to 5."),
            ("answer_severity", "x", "How bad? Choose a point from 1 to 5."),
            ("answer_tone", "loud", "tone: Choose one of calm, angry."),
            ("answer_targets", "cats", "targets: Choose one of men, women."),
            ("answer_why", "x" * 31, "why: The text has 31 characters; at most 30 are allowed."),
            ("quoted_words", "go home", "words: 'go home' does not stand in the text."),
            ("answer_words", "[[0, 99]]", "words: 0 to 99 is no part of the text, which has 41 characters."),
            ("answer_words", "[[0, 1.5]]", "words: A part of the text is [start, end], or its words."),
            ("answer_words", "{", "words: Mark at most 200 parts of the text."),
        ],
    )
    def test_what_is_no_answer_is_refused_at_its_question(self, project, client, field, value, sentence):
        make_open_item(project, TEXT)
        answer = {"category": "1", "answer_severity": "1"} | {field: value}
        page = send(client, client.get(PAGE), **answer)
        assert page.status_code == 422
        assert sentence in html.unescape(text_of(page))
        assert not Label.objects.exists()

    def test_the_sentence_is_in_the_language_of_the_page(self, project, client):
        make_open_item(project, TEXT)
        client.cookies["django_language"] = "ko"
        page = send(client, client.get(PAGE), category="1")
        assert page.status_code == 422
        assert "This question needs an answer" not in text_of(page)
        assert "How bad? 이 질문에는 답이 필요합니다." in html.unescape(text_of(page))


class TestChanges:
    def test_the_version_that_the_page_showed_is_answered_though_the_question_changed(self, project, client):
        make_open_item(project, TEXT)
        page = client.get(PAGE)
        ask(project, [{**QUESTIONS[0], "points": 3}, *QUESTIONS[1:]])
        assert send(client, page, category="1", answer_severity="5").status_code == 302
        assert Label.objects.get().answers["severity"] == {"version": 1, "value": 5}
        assert Question.objects.filter(code="severity").count() == 2

    def test_an_answer_to_a_question_that_was_retired_meanwhile_is_kept(self, project, client):
        make_open_item(project, TEXT)
        page = client.get(PAGE)
        ask(project, [])
        assert send(client, page, category="1", answer_severity="5", answer_why="So.").status_code == 302
        assert values(Label.objects.get())["severity"] == 5

    def test_a_question_that_is_new_since_the_page_is_asked_and_what_was_typed_stays(self, project, client):
        make_open_item(project, TEXT)
        page = client.get(PAGE)
        ask(project, [*QUESTIONS, {"code": "sure", "kind": "scale", "points": 3, "required": True}])
        again = send(client, page, category="1", answer_severity="5", answer_why="So.")
        assert again.status_code == 422
        assert 'name="answer_sure"' in text_of(again)
        assert 'value="So."' in text_of(again)
        assert send(client, again, category="1", answer_severity="5", answer_sure="3").status_code == 302

    def test_old_labels_keep_their_version_and_all_versions_stay(self, project, client):
        make_open_item(project, TEXT)
        send(client, client.get(PAGE), category="1", answer_severity="5")
        ask(project, [{**QUESTIONS[0], "wording": "How severe?"}, *QUESTIONS[1:]])
        make_open_item(project, TEXT)
        page = client.get(PAGE)
        assert "How severe?" in text_of(page)
        send(client, page, category="1", answer_severity="2")
        versions = [label.answers["severity"]["version"] for label in Label.objects.order_by("pk")]
        assert versions == [1, 2]
        assert Question.objects.get(code="severity", version=1).wording == {"": "How bad?"}


class TestAgain:
    def test_a_correction_begins_with_the_answers_and_stores_a_revision(self, project, client):
        make_open_item(project, TEXT)
        answer = {"category": "1", "answer_severity": "4", "answer_targets": "men", "answer_words": "[[0, 4]]"}
        send(client, client.get(PAGE), **answer, answer_tone="calm")
        page = client.post(f"{PAGE}undo/", follow=True)
        text = text_of(page)
        assert 'name="answer_severity" value="4" checked' in text
        assert 'value="men" checked' in text
        assert 'value="calm" checked' in text
        assert ">They</textarea>" in text
        assert 'value="[[0, 4]]" disabled' in text

    def test_a_point_stays_one_of_its_scale_when_the_scale_has_changed(self, project, client):
        make_open_item(project, TEXT)
        send(client, client.get(PAGE), category="1", answer_severity="4", answer_targets="men")
        ask(project, [{**QUESTIONS[0], "points": 9}, *QUESTIONS[1:]])
        page = client.post(f"{PAGE}undo/", follow=True)
        text = text_of(page)
        assert 'name="answer_severity" value="4" checked' in text
        assert 'name="answer_severity" value="9"' not in text
        assert 'value="men" checked' in text
        assert 'name="asked_severity" value="1"' in text
        sent = {"category": "1", "note": "A note.", "answer_severity": "4", "asked_severity": "1"}
        key = re.search(r'name="key" value="([0-9a-f-]{36})"', text)[1]
        assert client.post(page.redirect_chain[-1][0], {**sent, "key": key}).status_code == 302
        newest = Label.objects.latest("revision")
        assert (newest.note, newest.answers["severity"]) == ("A note.", {"version": 1, "value": 4})

    def test_a_scale_that_was_skipped_is_asked_as_it_is_now(self, project, client):
        make_open_item(project, TEXT)
        send(client, client.get(PAGE), category="1", answer_targets="men")
        ask(project, [{**QUESTIONS[0], "points": 9}, *QUESTIONS[1:]])
        assert 'name="answer_severity" value="9"' in text_of(client.post(f"{PAGE}undo/", follow=True))

    def test_looking_at_the_picture_without_a_script_keeps_the_answers(self, project, client):
        make_open_item(project, TEXT)
        page = client.get(PAGE)
        seat = re.search(r'data-seat="([0-9a-f-]{36})"', text_of(page))[1]
        typed = {"category": "1", "answer_severity": "3", "answer_targets": ["men", "women"], "asked_severity": "1"}
        text = text_of(client.post(f"{PAGE}{seat}/look/", {**typed, "show": "1"}))
        assert text.count("checked") == 4


class TestPostWithoutText:
    """Nobody can choose parts of a text that is not there."""

    @pytest.fixture(autouse=True)
    def picture_only(self, project):
        ask(project, [*QUESTIONS[3:4], {"code": "words", "kind": "span", "required": True}])
        return make_open_item(project, "", picture=make_picture(project))

    def test_it_is_labelled_without_the_question(self, project, client):
        page = client.get(PAGE)
        assert 'data-question="why"' in text_of(page)
        assert 'data-question="words"' not in text_of(page)
        assert send(client, page, category="1", answer_why="So.").status_code == 302
        assert Label.objects.get().answers == {"why": {"version": 1, "value": "So."}}
        assert 'data-question="words"' not in text_of(client.post(f"{PAGE}undo/", follow=True))

    def test_a_refused_form_does_not_ask_either(self, client):
        page = send(client, client.get(PAGE), category="1", answer_why="x" * 31)
        assert page.status_code == 422
        assert 'data-question="words"' not in text_of(page)

    def test_the_question_comes_again_with_the_next_text(self, project, client):
        make_open_item(project, TEXT)
        page = client.get(PAGE)
        key = re.search(r'name="key" value="([0-9a-f-]{36})"', text_of(page))[1]
        seat = re.search(r'data-seat="([0-9a-f-]{36})"', text_of(page))[1]
        swapped = {"HX-Request": "true", "HX-Target": "bench"}
        following = client.post(f"{PAGE}{seat}/", {"key": key, "category": "0"}, headers=swapped)
        assert TEXT in html.unescape(text_of(following)).replace("&#x27;", "'")
        assert 'data-question="words"' in text_of(following)

    def test_programs_are_not_asked_and_an_answer_is_refused(self, wren, client):
        held = client.post("/api/v1/projects/garden/next/").json()
        assert [question["code"] for question in held["questions"]] == ["why"]
        seat = claim(wren).seat.public_id
        with pytest.raises(BadAnswer, match="is not asked here"):
            submit.submit_label(wren, seat, uuid4(), Answer(category=1, answers={"words": [[0, 1]]}))
        stored = submit.submit_label(wren, seat, uuid4(), Answer(category=1, answers={"words": None}))
        assert list(stored.label.answers) == ["why"]


def test_a_first_answer_before_hidden_priors_is_about_the_category_alone(project, wren, client):
    type(project).objects.update(prior_display=PriorDisplay.AFTER_FIRST_ANSWER)
    item = make_open_item(project, TEXT)
    Prior.objects.create(item=item, modality=Modality.TEXT, category=project.categories.get(code=0), model="a:b")
    page = client.get(PAGE)
    assert 'name="answer_why"' not in text_of(page)
    seat = re.search(r'data-seat="([0-9a-f-]{36})"', text_of(page))[1]
    key = re.search(r'name="key" value="([0-9a-f-]{36})"', text_of(page))[1]
    assert client.post(f"{PAGE}{seat}/first/", {"key": key, "category": "1"}).status_code == 302
    page = client.get(PAGE)
    assert 'name="answer_why"' in text_of(page)
    assert send(client, page, category="1", answer_severity="1").status_code == 302
    assert Label.objects.get().first_answer["category"] == 1


class TestProgram:
    def test_the_same_answers_with_the_same_key_are_replayed_and_others_refused(self, project, wren):
        make_open_item(project, TEXT)
        seat, key = claim(wren).seat.public_id, uuid4()
        first = submit.submit_label(wren, seat, key, Answer(category=1, answers={"severity": 4}))
        again = submit.submit_label(wren, seat, key, Answer(category=1, answers={"severity": 4}))
        other = submit.submit_label(wren, seat, key, Answer(category=1, answers={"severity": 5}))
        assert [type(outcome).__name__ for outcome in (first, again, other)] == ["Stored", "Replayed", "KeyReused"]

    def test_a_refused_answer_leaves_the_seat_as_it_was(self, project, wren):
        make_open_item(project, TEXT)
        seat = claim(wren).seat
        with pytest.raises(BadAnswer, match="is not asked here"):
            submit.submit_label(wren, seat.public_id, uuid4(), Answer(category=0, answers={"severity": 4}))
        seat.refresh_from_db()
        assert seat.label is None
        assert seat.expires_at is not None


class TestCost:
    @staticmethod
    def queries(client, send_it):
        with CaptureQueriesContext(connection) as captured:
            send_it()
        return len([one for one in captured.captured_queries if "SAVEPOINT" not in one["sql"]])

    def test_questions_cost_the_page_one_query_and_none_where_there_are_none(self, project, wren, client):
        make_open_item(project, TEXT)
        client.get(PAGE)
        asking = self.queries(client, lambda: client.get(PAGE))
        ask(project, [])
        assert self.queries(client, lambda: client.get(PAGE)) == asking - 1

    def test_questions_cost_an_answer_and_the_next_page_one_query(self, project, wren, client):
        for _ in range(4):
            make_open_item(project, TEXT)
        swapped = {"HX-Request": "true", "HX-Target": "bench"}

        def answer():
            page = client.get(PAGE)
            key = re.search(r'name="key" value="([0-9a-f-]{36})"', text_of(page))[1]
            seat = re.search(r'data-seat="([0-9a-f-]{36})"', text_of(page))[1]
            data = {"key": key, "category": "0"}
            return lambda: client.post(f"{PAGE}{seat}/", data, headers=swapped)

        self.queries(client, answer())
        asking = self.queries(client, answer())
        ask(project, [])
        assert self.queries(client, answer()) == asking - 1
