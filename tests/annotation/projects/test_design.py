"""The design of a running project: changed by page, API and command; labels and codes keep their meaning."""

import json
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from annotation.assignment.claim import claim
from annotation.assignment.outcomes import HeldSeat
from annotation.domain.answer import Answer, BadAnswer
from annotation.domain.choices import Role
from annotation.domain.design.file import BadDesign, as_json, read_design
from annotation.labelling import submit
from annotation.models import Event, Label, Project
from annotation.projects import templates
from annotation.projects.create import create_project
from annotation.projects.design import DesignChangedMeanwhile, change_design, design_of, history_of
from annotation.training.control_items import KnownAnswerKey, mark_control_item
from builders import category, make_item, make_labelled_item, make_member, make_open_item, make_project
from concurrency import at_once
from page_forms import design_fields

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return make_project("garden")


@pytest.fixture
def admin(project):
    return make_member(project, Role.ADMIN)


def rows_of(project):
    return as_json(design_of(project))["categories"]


def change(project, rows, **more):
    return change_design(project, read_design({"categories": rows, **more}), admin=None)


def without(project, code):
    return [row for row in rows_of(project) if row["code"] != code]


class TestChanges:
    def test_names_keys_order_and_colour_change_and_the_history_tells_it(self, project, admin):
        rows = rows_of(project)
        rows[0] |= {"name": "Fine", "key": "1"}
        rows[1] |= {"key": "0", "colour": "violet"}
        rows[0], rows[1] = rows[1], rows[0]
        change_design(project, read_design(rows), admin=admin)
        assert [category.name for category in project.offered_categories()][:2] == ["Racist", "Fine"]
        assert dict(project.categories.values_list("code", "key")) == {0: "1", 1: "0", 2: "2", 3: "3", 4: "4", 5: "5"}
        (entry,) = history_of(project)
        assert entry.by == admin
        assert {(one.kind, one.code) for one in entry.difference.categories} == {
            ("renamed", 0),
            ("aliases", 0),
            ("key", 0),
            ("moved", 0),
            ("key", 1),
            ("colour", 1),
            ("moved", 1),
        }

    def test_the_same_design_changes_nothing_and_leaves_no_entry(self, project):
        assert not change(project, rows_of(project))
        assert not Event.objects.filter(verb="design_changed").exists()

    def test_labels_of_a_retired_category_stay_in_force(self, project):
        item = make_labelled_item(project, [make_member(project) for _ in range(3)], [5, 5, 5])
        change(project, without(project, 5))
        assert item.seat_rows.filter(label__category__code=5).count() == 3
        assert project.category_values()[5].retired
        assert [row["code"] for row in rows_of(project) if row.get("retired")] == [5]

    def test_what_nobody_could_answer_any_more_is_not_retired(self, project):
        mark_control_item(make_item(project), None, KnownAnswerKey(category(project, 5), "", True))
        with pytest.raises(BadDesign, match=r"5 OtherHate.* is the known answer of 1 training or check posts"):
            change(project, without(project, 5))
        assert len(project.offered_categories()) == 6

    def test_a_refused_design_changes_no_row(self, project):
        rows = rows_of(project)
        rows[0]["name"] = "Fine"
        rows[1]["hateful"] = False
        with pytest.raises(BadDesign, match="cannot change between hateful and not hateful"):
            change(project, rows)
        assert project.categories.get(code=0).name == "NotHate"

    def test_who_began_with_an_older_design_is_told(self, project):
        change(project, without(project, 5))
        with pytest.raises(DesignChangedMeanwhile):
            change_design(project, read_design(rows_of(project)), admin=None, begun_at=1)


class TestAnnotators:
    @pytest.fixture
    def annotator(self, project):
        make_open_item(project)
        return make_member(project)

    def test_they_see_the_order_and_the_question_of_the_project(self, project, annotator, client):
        rows = rows_of(project)
        change(project, [rows[3], *rows[:3], rows[4]], question={"": "This post says", "ko": "이 글은"})
        client.force_login(annotator.user)
        page = client.get("/p/garden/label/")
        assert [row.code for row in page.context["bench"].categories] == [3, 0, 1, 2, 4]
        assert "This post says" in page.content.decode()
        client.cookies["django_language"] = "ko"
        assert "이 글은" in client.get("/p/garden/label/").content.decode()

    def test_a_category_retired_while_the_post_is_open_is_refused_and_the_note_stays(self, project, annotator, client):
        client.force_login(annotator.user)
        seat = client.get("/p/garden/label/").context["bench"].seat
        change(project, without(project, 5))
        answer = {"category": "5", "note": "I am sure of it.", "key": str(uuid4())}
        page = client.post(f"/p/garden/label/{seat.public_id}/", answer)
        assert page.status_code == 422
        assert "I am sure of it." in page.content.decode()
        assert "“OtherHate” (5) is no longer in use: choose another category." in page.content.decode()
        challenge = client.post(f"/p/garden/label/{seat.public_id}/", answer | {"category": "1", "challenge_text": "5"})
        assert "“OtherHate” (5) is no longer in use" in challenge.content.decode()
        assert not Label.objects.exists()

    def test_a_program_cannot_choose_it_either(self, project, annotator):
        held = claim(annotator)
        assert isinstance(held, HeldSeat)
        change(project, without(project, 5))
        with pytest.raises(BadAnswer, match="Category 5 .OtherHate. is no longer in use"):
            submit.submit_label(annotator, held.seat.public_id, uuid4(), Answer(category=5))

    def test_a_restored_category_can_be_chosen_again(self, project, annotator):
        before = rows_of(project)
        change(project, without(project, 5))
        change(project, before)
        held = claim(annotator)
        submit.submit_label(annotator, held.seat.public_id, uuid4(), Answer(category=5))
        assert Label.objects.get().category.code == 5


def test_files_may_still_name_a_retired_category_and_an_old_name(project):
    rows = without(project, 5)
    rows[1]["name"] = "Ethnicity"
    change(project, rows)
    names = {name for row in project.category_values() for name in (row.name, *row.aliases)}
    assert {"OtherHate", "Racist", "Ethnicity"} <= names


class TestPage:
    @pytest.fixture
    def browser(self, admin, client):
        client.force_login(admin.user)
        return client

    def test_a_category_is_renamed_and_another_added(self, project, browser):
        fields = design_fields(browser.get("/p/garden/design/"))
        fields |= {"category-1-name": "Ethnicity", "category-6-name": "Threat", "question_ko": "이 글은"}
        assert browser.post("/p/garden/design/", fields).status_code == 302
        project.refresh_from_db()
        assert {(row.code, row.name, row.key) for row in project.categories.all()} >= {
            (1, "Ethnicity", "1"),
            (6, "Threat", "6"),
        }
        assert project.question == {"ko": "이 글은"}
        assert "Ethnicity" in browser.get("/p/garden/design/").content.decode()

    def test_an_old_name_with_a_comma_stays_one_name(self, project, browser):
        rows = rows_of(project)
        rows[1] |= {"name": "혐오, 표현", "aliases": ["Harassment, threats › Threat of violence, x", "Second"]}
        change(project, rows)
        fields = design_fields(browser.get("/p/garden/design/"))
        fields |= {"category-1-name": "혐오", "category-6-name": "표현"}
        assert browser.post("/p/garden/design/", fields).status_code == 302
        again = design_fields(browser.get("/p/garden/design/")) | {"question_": "This post is"}
        assert browser.post("/p/garden/design/", again).status_code == 302
        aliases = project.categories.get(code=1).aliases
        assert aliases == ["Harassment, threats › Threat of violence, x", "Second", "Racist", "혐오, 표현"]

    @pytest.mark.parametrize(("place", "codes"), [("0", [3, 0, 1, 2, 4, 5]), ("", [0, 1, 2, 4, 5, 3])])
    def test_place_0_is_first_and_none_is_last(self, project, browser, place, codes):
        fields = design_fields(browser.get("/p/garden/design/")) | {"category-3-place": place}
        assert browser.post("/p/garden/design/", fields).status_code == 302
        assert [category.code for category in project.offered_categories()] == codes

    def test_a_retired_category_that_is_restored_comes_last(self, project, browser):
        change(project, without(project, 0))
        fields = design_fields(browser.get("/p/garden/design/"))
        del fields["category-5-retired"]
        assert browser.post("/p/garden/design/", fields).status_code == 302
        assert [category.code for category in project.offered_categories()] == [1, 2, 3, 4, 5, 0]

    @pytest.mark.parametrize(
        ("typed", "sentence"),
        [
            ({}, "Nothing was changed."),
            ({"question_": "This post is"}, "Question saved."),
            ({"category-1-name": "Ethnicity"}, "Design saved."),
            ({"category-1-place": "6"}, "Design saved."),
        ],
    )
    def test_what_is_said_is_what_was_saved(self, project, browser, typed, sentence):
        fields = design_fields(browser.get("/p/garden/design/")) | typed
        answer = browser.post("/p/garden/design/", fields, follow=True)
        assert [str(message) for message in answer.context["messages"]] == [sentence]

    def test_what_is_wrong_stands_at_its_field_and_what_was_typed_stays(self, project, browser):
        fields = design_fields(browser.get("/p/garden/design/"))
        fields |= {"category-1-name": "Sexist", "category-2-key": "1", "category-3-definition": "A new definition."}
        page = browser.post("/p/garden/design/", fields)
        assert page.status_code == 422
        text = page.content.decode()
        assert "Another category has this name." in text
        assert "Another category has this key." in text
        assert "A new definition." in text
        assert project.categories.get(code=1).name == "Racist"

    def test_the_meaning_of_a_stored_category_cannot_be_sent(self, project, browser):
        fields = design_fields(browser.get("/p/garden/design/"))
        fields |= {"category-1-hateful": "0"}
        assert browser.post("/p/garden/design/", fields).status_code == 302
        assert project.categories.get(code=1).hateful

    def test_two_admins_do_not_overwrite_each_other(self, project, browser):
        fields = design_fields(browser.get("/p/garden/design/"))
        change(project, without(project, 5))
        page = browser.post("/p/garden/design/", fields)
        assert page.status_code == 422
        assert "Somebody else changed the design in the meantime" in page.content.decode()
        assert len(project.offered_categories()) == 5

    def test_a_file_is_shown_and_stored_only_then(self, project, browser):
        rows = [{"code": 0, "name": "Fine", "hateful": False}, {"code": 9, "name": "Hate", "hateful": True}]
        file = SimpleUploadedFile("design.json", json.dumps(rows).encode())
        page = browser.post("/p/garden/design/file/", {"file": file})
        assert page.status_code == 200
        assert len(project.offered_categories()) == 6
        assert browser.post("/p/garden/design/", design_fields(page)).status_code == 302
        assert [row.name for row in project.offered_categories()] == ["Fine", "Hate"]
        assert project.categories.count() == 7

    @pytest.mark.parametrize(
        ("content", "sentence"),
        [(b"{", "not JSON"), (b"\xff", "not UTF-8"), (b"{}", "needs categories"), (b"", "empty")],
    )
    def test_a_file_that_is_no_design_is_refused(self, browser, content, sentence):
        page = browser.post("/p/garden/design/file/", {"file": SimpleUploadedFile("design.json", content)})
        assert page.status_code == 422
        assert sentence in page.content.decode()

    @pytest.mark.parametrize(
        ("language", "sentence"),
        [("en", "Two categories share the name or alias"), ("ko", "다른 이름이"), ("zh-hans", "共用名称或别名")],
    )
    def test_a_refusal_of_the_form_is_in_the_language_of_the_page(self, browser, language, sentence):
        browser.cookies["django_language"] = language
        fields = design_fields(browser.get("/p/garden/design/")) | {"category-1-aliases": "sexist"}
        page = browser.post("/p/garden/design/", fields)
        assert page.status_code == 422
        assert sentence in page.content.decode()
        assert ("Two categories" in page.content.decode()) == (language == "en")

    @pytest.mark.parametrize("address", ["/p/garden/design/file/", "/projects/new/"])
    def test_a_refusal_of_a_file_is_too(self, admin, browser, address):
        admin.user.is_staff = True
        admin.user.save()
        browser.cookies["django_language"] = "ko"
        values = {"name": "Two", "slug": "two", "seats": "3", "policy": "review", "template": "binary"}
        file = SimpleUploadedFile("design.json", b'{"categories": [], "foo": 1}')
        text = browser.post(address, values | {"file": file}).content.decode()
        assert "설계에 필드 &#x27;foo&#x27;이(가) 없습니다." in text
        assert "A design has no field" not in text

    def test_a_long_name_is_refused_with_the_code_of_its_category(self, browser):
        fields = design_fields(browser.get("/p/garden/design/")) | {"category-1-aliases": "x" * 67}
        assert "Category 1, alias: The text has 67 characters" in browser.post("/p/garden/design/", fields).text
        browser.cookies["django_language"] = "ko"
        page = browser.post("/p/garden/design/", fields).text
        assert "범주 1, alias: " in page
        assert "The text has" not in page

    def test_the_downloaded_file_is_the_design(self, project, browser):
        file = browser.get("/p/garden/design/design.json")
        assert as_json(read_design(file.json())) == as_json(design_of(project))

    def test_a_new_project_begins_with_a_template_or_a_file(self, admin, browser):
        admin.user.is_staff = True
        admin.user.save()
        values = {"name": "Two", "slug": "two", "seats": "3", "policy": "review", "template": "binary"}
        assert browser.post("/projects/new/", values).status_code == 302
        assert Project.objects.get(slug="two").categories.count() == 2
        rows = [{"code": 0, "name": "Fine", "hateful": False}, {"code": 9, "name": "Hate", "hateful": True}]
        file = SimpleUploadedFile("design.json", json.dumps(rows).encode())
        assert browser.post("/projects/new/", {**values, "slug": "own", "file": file}).status_code == 302
        assert list(Project.objects.get(slug="own").categories.values_list("code", flat=True)) == [0, 9]
        bad = SimpleUploadedFile("design.json", b"[]")
        assert browser.post("/projects/new/", {**values, "slug": "bad", "file": bad}).status_code == 422


class TestCommands:
    @pytest.mark.parametrize("name", templates.TITLES)
    def test_every_template_makes_a_project(self, name, capsys):
        call_command("create_project", "winter", "--template", name)
        project = Project.objects.get(slug="winter")
        assert any(row.hateful for row in project.category_values())
        assert any(not row.hateful for row in project.category_values())
        assert all(row.definition for row in project.category_values())

    def test_a_design_goes_from_one_project_to_another(self, project, capsys, tmp_path):
        change(project, without(project, 5), question="It says")
        call_command("design", "garden", "--json")
        written = json.loads(capsys.readouterr().out)
        call_command("design", "garden")  # what people read is a file that can be used too
        (tmp_path / "design.json").write_text(capsys.readouterr().out)
        assert json.loads((tmp_path / "design.json").read_text()) == written
        call_command("create_project", "winter", "--design", str(tmp_path / "design.json"))
        here, there = (as_json(design_of(Project.objects.get(slug=slug))) for slug in ("garden", "winter"))
        assert here == there
        assert there["question"] == "It says"

    def test_a_file_is_put_in_force(self, project, capsys, tmp_path):
        (tmp_path / "design.json").write_text(json.dumps(without(project, 5)))
        call_command("design", "garden", str(tmp_path / "design.json"), "--json")
        assert [one["kind"] for one in json.loads(capsys.readouterr().out)["changes"]] == ["retired"]
        (tmp_path / "design.json").write_text("[]")
        with pytest.raises(CommandError, match="2 to 21 categories"):
            call_command("design", "garden", str(tmp_path / "design.json"))


@pytest.mark.django_db(transaction=True)
def test_two_who_change_the_design_at_once_leave_one_whole_design():
    project = create_project("winter")
    rows = rows_of(project)
    outcomes = at_once(
        [lambda code=code: change(project, [row for row in rows if row["code"] != code]) for code in (4, 5)]
    )
    assert len(outcomes) == 2
    left = [row.code for row in project.offered_categories()]
    assert left in ([0, 1, 2, 3, 4], [0, 1, 2, 3, 5])
    assert Event.objects.filter(verb="design_changed").count() == 2
