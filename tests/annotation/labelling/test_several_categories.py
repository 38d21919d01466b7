"""Projects whose answers may name several categories: the page, the API, the desk, checks, and the design's setting."""

import re
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.test import Client

from annotation.assignment.claim import claim
from annotation.assignment.outcomes import HeldSeat
from annotation.consensus.close import close_item
from annotation.domain.answer import Answer, BadAnswer
from annotation.domain.choices import Choose, Level, Modality, PriorDisplay, PriorState, Role, Stage
from annotation.domain.design.file import BadDesign, as_json, read_design
from annotation.labelling import submit
from annotation.models import Event, Item, KnownAnswer, Label, Membership, Prior, Project, TrainingAnswer
from annotation.operations.audit import audit
from annotation.projects.clone import clone_project
from annotation.projects.create import create_project
from annotation.projects.design import change_design, design_of, history_of
from annotation.projects.templates import template
from annotation.training import attempts, results
from annotation.training.attempts import TrainingReply
from annotation.training.control_items import KnownAnswerKey, KnownAnswerLine, mark_control_item, mark_control_items
from builders import category, make_item, make_label, make_labelled_item, make_member, make_open_item, make_project
from markup import compact
from moderation.desk.triage import people_say
from moderation.hatexscore.explanations import explanations

pytestmark = pytest.mark.django_db

PAGE = "/p/garden/label/"
API = "/api/v1/projects/garden/"


@pytest.fixture
def project() -> Project:
    return make_project("garden", choose=Choose.SEVERAL, seats=2)


@pytest.fixture
def wren(project: Project) -> Membership:
    return make_member(project, pseudonym="wren")


def client_of(member: Membership) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def send(client: Client, page: Any, step: str = "", **answer: Any) -> Any:
    shown = page.content.decode()
    key, seat = (re.search(rf'{name}="([0-9a-f-]{{36}})"', shown)[1] for name in ('name="key" value', "data-seat"))
    return client.post(f"{PAGE}{seat}/{step}", {"key": key, **answer})


def boxes(page: Any) -> list[str]:
    """The codes whose boxes are ticked."""
    found = re.findall(r'name="categories"[^>]*?value="(\d+)"[^>]*?(checked)?\s*>', page.content.decode())
    return [code for code, ticked in found if ticked]


def answered(member: Membership, *codes: int) -> Label:
    held = claim(member)
    assert isinstance(held, HeldSeat)
    lead, stored = codes[0], tuple(sorted(codes)) if len(codes) > 1 else ()
    return submit.submit_label(member, held.seat.public_id, uuid4(), Answer(lead, categories=stored)).label


class TestPage:
    def test_it_offers_boxes_and_stores_what_is_ticked(self, project, wren):
        make_open_item(project)
        page = client_of(wren).get(PAGE)
        assert "Choose one or more." in compact(page.content.decode())
        assert send(client_of(wren), page, categories=["3", "1"]).status_code == 302
        label = Label.objects.get()
        assert (label.category.code, label.categories, label.codes) == (1, [1, 3], (1, 3))

    def test_one_ticked_box_is_a_label_as_ever(self, project, wren):
        make_open_item(project)
        send(client_of(wren), client_of(wren).get(PAGE), categories=["2"])
        label = Label.objects.get()
        assert (label.category.code, label.categories, label.codes) == (2, [], (2,))

    @pytest.mark.parametrize(
        ("answer", "sentence"),
        [
            ({"categories": ["0", "1"]}, "A post is hateful or not: NotHate, Racist cannot be chosen together."),
            ({"categories": ["1"], "category": "not_sure"}, "Choose a category or “not sure”, not both."),
            ({}, "Choose a category, “not sure” or “low quality”."),
            ({"categories": ["77"]}, "“77” is no category of this project."),
        ],
    )
    def test_what_cannot_be_chosen_comes_back_with_one_sentence_as_it_was_ticked(self, project, wren, answer, sentence):
        make_open_item(project)
        page = send(client_of(wren), client_of(wren).get(PAGE), note="as typed", **answer)
        assert page.status_code == 422
        assert sentence in compact(page.content.decode())
        assert "as typed" in page.content.decode()
        assert boxes(page) == [code for code in answer.get("categories", []) if code != "77"]
        assert not Label.objects.exists()

    def test_a_project_with_one_category_a_post_shows_no_boxes_and_takes_no_set(self, wren):
        other = make_project("orchard")
        member = make_member(other)
        make_open_item(other)
        page = client_of(member).get("/p/orchard/label/")
        assert 'type="checkbox" name="categories"' not in compact(page.content.decode())
        held = claim(member)
        with pytest.raises(BadAnswer, match="one category for a post, not several"):
            submit.submit_label(member, held.seat.public_id, uuid4(), Answer(1, categories=(1, 2)))

    def test_a_correction_begins_with_the_stored_set_and_an_undo_brings_it_back(self, project, wren):
        make_open_item(project)
        label = answered(wren, 1, 2)
        page = client_of(wren).get(f"{PAGE}own/{label.public_id}/")
        assert boxes(page) == ["1", "2"]
        key = re.search(r'name="key" value="([0-9a-f-]{36})"', page.content.decode())[1]
        client_of(wren).post(f"{PAGE}own/{label.public_id}/", {"key": key, "categories": ["2", "4"]})
        assert Label.objects.get(revision=2).codes == (2, 4)
        submit.take_back_label(wren, label.public_id)
        assert boxes(client_of(wren).get(f"{PAGE}?again=1")) == ["2", "4"]

    def test_a_first_answer_keeps_its_set_beside_the_final_one(self, project, wren):
        Project.objects.update(prior_display=PriorDisplay.AFTER_FIRST_ANSWER)
        item = make_open_item(project)
        Prior.objects.create(item=item, modality=Modality.TEXT, category=category(project, 0), state=PriorState.OK)
        client = client_of(wren)
        send(client, client.get(PAGE), "first/", categories=["1", "5"])
        page = client.get(PAGE)
        assert boxes(page) == ["1", "5"]
        said = compact(page.content.decode()).split("You said:")[1][:600]
        assert "Racist" in said and "OtherHate" in said
        send(client, page, categories=["1", "2"])
        label = Label.objects.get()
        assert label.first_answer["categories"] == [1, 5]
        assert label.codes == (1, 2)

    def test_a_first_answer_still_names_a_category_that_was_retired_since(self, project, wren):
        Project.objects.update(prior_display=PriorDisplay.AFTER_FIRST_ANSWER)
        Prior.objects.create(
            item=make_open_item(project), modality=Modality.TEXT, category=category(project, 0), state=PriorState.OK
        )
        client = client_of(wren)
        send(client, client.get(PAGE), "first/", categories=["1", "5"])
        rows = [row for row in as_json(design_of(project))["categories"] if row["code"] != 5]
        change_design(project, read_design({"categories": rows, "choose": "several"}), admin=None)
        page = client.get(PAGE)
        said = compact(page.content.decode()).split("You said:")[1][:600]
        assert boxes(page) == ["1"] and "Racist" in said and "OtherHate" in said

    def test_looking_at_the_picture_keeps_every_ticked_box(self, project, wren):
        make_open_item(project)
        client = client_of(wren)
        page = client.get(PAGE)
        seat = re.search(r'data-seat="([0-9a-f-]{36})"', page.content.decode())[1]
        again = client.post(f"{PAGE}{seat}/look/", {"show": "1", "categories": ["1", "3"]})
        assert boxes(again) == ["1", "3"]

    def test_the_same_form_twice_is_one_label_and_another_set_under_its_key_is_refused(self, project, wren):
        make_open_item(project)
        held, key = claim(wren), uuid4()
        first = submit.submit_label(wren, held.seat.public_id, key, Answer(1, categories=(1, 2)))
        again = submit.submit_label(wren, held.seat.public_id, key, Answer(1, categories=(1, 2)))
        assert again.label == first.label
        assert type(submit.submit_label(wren, held.seat.public_id, key, Answer(1))).__name__ == "KeyReused"


class TestApi:
    def test_categories_stand_beside_category(self, project, wren):
        make_open_item(project)
        client = client_of(wren)
        seat = client.post(f"{API}next/").json()["seat"]
        body = {"categories": [4, 1], "key": str(uuid4())}
        stored = client.post(f"{API}seats/{seat}/label/", body, content_type="application/json").json()
        assert (stored["category"], stored["categories"]) == (1, [1, 4])

    def test_a_mixed_set_is_refused(self, project, wren):
        make_open_item(project)
        client = client_of(wren)
        seat = client.post(f"{API}next/").json()["seat"]
        body = {"categories": [0, 1], "key": str(uuid4())}
        answer = client.post(f"{API}seats/{seat}/label/", body, content_type="application/json")
        assert (answer.status_code, answer.json()["code"]) == (400, "mixed_categories")


class TestConsensus:
    def test_the_last_label_makes_gold_of_the_categories_that_more_than_half_chose(self, project, wren):
        item = make_open_item(project)
        answered(wren, 1, 2, 3)
        answered(make_member(project), 2, 3, 4)
        item.refresh_from_db()
        assert (item.stage, item.level, item.hateful) == (Stage.GOLD, Level.STRONG, True)
        assert (item.category.code, item.categories) == (2, [2, 3])
        assert audit(project) == []

    def test_the_item_page_shows_the_whole_set(self, project, wren):
        item = make_open_item(project)
        answered(wren, 1, 2)
        answered(make_member(project), 1, 2)
        page = compact(
            client_of(make_member(project, Role.ADMIN)).get(f"/p/garden/items/{item.public_id}/").content.decode()
        )
        assert page.count("Racist") >= 3 and page.count("Sexist") >= 3  # gold and two labels

    def test_the_first_category_need_not_be_that_of_any_vote(self, project):
        Project.objects.update(seats=3)
        item = make_open_item(project, seats=3)
        for codes in ((1, 5), (2, 5), (3, 5)):
            answered(make_member(project), *codes)
        item.refresh_from_db()
        assert (item.category.code, item.categories) == (5, [])

    def test_a_reviewer_decides_for_a_set(self, project):
        people = [make_member(project) for _ in range(2)]
        item = make_labelled_item(project, people, [1, 2])
        close_item(item)
        item.refresh_from_db()
        reviewer = client_of(make_member(project, Role.REVIEWER))
        body = {
            "ruling": "decide", "categories": ["1", "2"], "rationale": "Both.", "version": item.version,
            "key": str(uuid4()),
        }  # fmt: skip
        assert reviewer.post(f"/p/garden/desk/{item.public_id}/", body).status_code == 302
        item.refresh_from_db()
        assert (item.stage, item.codes, item.hateful) == (Stage.GOLD, (1, 2), True)
        assert item.adjudications.get().codes == (1, 2)
        assert not [problem for problem in audit(project) if "category" in problem]

    def test_a_reviewer_gives_a_set_in_place_of_not_sure(self, project):
        people = [make_member(project) for _ in range(2)]
        item = make_labelled_item(project, people, [1, None])
        close_item(item)
        reviewer = client_of(make_member(project, Role.REVIEWER))
        reviewer.post(f"/p/garden/desk/{item.public_id}/missing/", {"categories": ["1", "4"]})
        item.refresh_from_db()
        assert (item.stage, item.codes, item.replacements.get().codes) == (Stage.GOLD, (1,), (1, 4))
        told = Event.objects.get(verb="replace").facts
        assert (told["category"], told["categories"]) == (1, [1, 4])

    def test_a_note_is_named_by_all_categories_of_its_label(self, project):
        seat = make_open_item(project).seat_rows.first()
        make_label(seat, make_member(project), 1, categories=[1, 2], note="Both.")
        assert [found.about for found in explanations(seat.item)] == ["Racist, Sexist"]

    def test_hints_at_the_desk_read_whole_sets(self, project):
        item = make_open_item(project)
        for seat, codes in zip(item.seat_rows.order_by("number"), ([1, 2], [2, 3]), strict=True):
            make_label(seat, make_member(project), codes[0], categories=codes)
        assert people_say(item).category == 2


class TestKnownAnswers:
    def test_an_answer_is_right_if_it_names_just_the_known_categories(self, project, wren):
        sets = {"a": (1, 2), "b": (1, 2), "c": (1, 2)}
        for name, codes in sets.items():
            key = KnownAnswerKey(category(project, 1), training=True, categories=codes)
            mark_control_item(make_item(project, external_id=name), None, key)
        attempts.begin_attempt(wren)
        said = {
            "a": TrainingReply(category(project, 1), categories=(1, 2)),
            "b": TrainingReply(category(project, 1)),
            "c": TrainingReply(category(project, 1), categories=(1, 3)),
        }
        for name, reply in said.items():
            attempts.store_training_answer(wren, Item.objects.get(external_id=name).public_id, reply)
        right = dict(TrainingAnswer.objects.values_list("item__external_id", "correct"))
        assert right == {"a": True, "b": False, "c": False}
        figures = results.control_item_figures(list(results.known_items(project)))
        assert sorted((figure.right, figure.often) for figure in figures.values()) == [
            (0, (1,)),
            (0, (1, 3)),
            (1, None),
        ]  # fmt: skip

    def test_lines_name_sets_and_a_mixed_one_is_refused_by_its_line(self, project):
        admin = make_member(project, Role.ADMIN)
        for name in "ab":
            make_item(project, external_id=name)
        assert mark_control_items(admin, [KnownAnswerLine(1, "a", "Racist;Sexist", "")], training=False) == 1
        assert KnownAnswer.objects.get().codes == (1, 2)
        page = client_of(admin).post(
            "/p/garden/training/setup/", {"form": "lines", "lines": 'b,"0,1"', "purpose": "check"}
        )
        assert KnownAnswer.objects.count() == 1
        assert page.status_code == 422
        assert "Line 1: A post is hateful or not" in compact(page.content.decode())


class TestDesign:
    def test_a_template_and_its_file_say_that_several_may_be_chosen(self):
        design = template("k-mhas")
        assert design.choose is Choose.SEVERAL
        assert read_design(as_json(design)) == design
        call_command("create_project", "petals", template="k-mhas")
        assert Project.objects.get(slug="petals").choose == Choose.SEVERAL

    def test_a_copy_of_a_project_asks_the_same(self, project):
        admin = make_member(project, Role.ADMIN)
        assert clone_project(admin, "meadow", "Meadow").choose == Choose.SEVERAL

    def test_it_changes_on_the_page_until_something_names_a_category(self, project):
        admin = make_member(project, Role.ADMIN)
        change_design(project, read_design({**as_json(design_of(project)), "choose": "one"}), admin=admin)
        project.refresh_from_db()
        assert project.choose == Choose.ONE
        assert history_of(project)[0].difference.choose is Choose.ONE
        make_label(make_open_item(project).seat_rows.first(), make_member(project), 1)
        with pytest.raises(BadDesign, match="cannot change any more"):
            change_design(project, read_design({**as_json(design_of(project)), "choose": "several"}), admin=admin)
        page = client_of(admin).get("/p/garden/design/")
        assert "settled: posts have labels" in compact(page.content.decode())

    def test_a_design_that_says_nothing_about_it_leaves_it(self, project):
        rows = as_json(design_of(project))["categories"]
        rows[0]["definition"] = "Attacks nobody."
        change_design(project, read_design(rows), admin=None)
        project.refresh_from_db()
        assert project.choose == Choose.SEVERAL
        assert create_project("field", design=read_design(rows)).choose == Choose.ONE

    def test_another_word_is_refused(self):
        rows = as_json(template("binary"))["categories"]
        with pytest.raises(BadDesign, match='"one" or "several"'):
            read_design({"categories": rows, "choose": "many"})
