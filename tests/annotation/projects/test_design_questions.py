"""Further questions in the design of a running project: page, file, command, copy, history, and where they show."""

import json
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from hypothesis import given
from hypothesis import strategies as st

from annotation.assignment.claim import claim
from annotation.domain.answer import Answer
from annotation.domain.choices import Role
from annotation.domain.design.file import as_json, read_design
from annotation.guidelines.versions import guideline_versions, write_guidelines
from annotation.labelling import submit
from annotation.members.personal_data import data_of
from annotation.models import Project, Question
from annotation.projects import templates
from annotation.projects.clone import clone_project
from annotation.projects.design import change_design, design_of, history_of
from annotation.projects.question_fields import read, written
from builders import make_member, make_open_item, make_project
from markup import compact
from page_forms import design_fields

pytestmark = pytest.mark.django_db

SCALE = {"code": "severity", "kind": "scale", "points": 5, "wording": "How bad?", "low": {"": "mild", "ko": "약함"}}
LIST = {"code": "targets", "kind": "many", "options": [{"code": "men"}, {"code": "women", "name": "Women"}]}
DESIGN = "/p/garden/design/"


@pytest.fixture
def project():
    project = make_project("garden")
    ask(project, [SCALE, LIST])
    return Project.objects.get(pk=project.pk)


@pytest.fixture
def admin(project):
    return make_member(project, Role.ADMIN)


@pytest.fixture
def browser(admin, client):
    client.force_login(admin.user)
    return client


def ask(project, questions):
    rows = as_json(design_of(project))["categories"]
    return change_design(project, read_design({"categories": rows, "questions": questions}), admin=None)


def asked(project):
    return [(question.code, question.version) for question in Project.objects.get(pk=project.pk).asked_questions()]


class TestChanges:
    def test_a_change_is_a_new_row_and_the_history_tells_it(self, project):
        ask(project, [{**SCALE, "points": 7}, LIST])
        assert asked(project) == [("severity", 2), ("targets", 1)]
        assert list(Question.objects.filter(code="severity").order_by("version").values_list("points", "newest")) == [
            (5, False),
            (7, True),
        ]
        (change,) = history_of(project)[0].difference.questions
        assert (change.kind, change.code, change.version, change.parts) == ("reasked", "severity", 2, ("points",))

    def test_the_same_design_changes_nothing(self, project):
        number = project.design_number
        assert not change_design(project, read_design(as_json(design_of(project))), admin=None)
        project.refresh_from_db()
        assert project.design_number == number

    def test_a_design_that_says_nothing_of_questions_leaves_them(self, project):
        rows = as_json(design_of(project))["categories"]
        rows[0]["name"] = "Fine"
        change_design(project, read_design(rows), admin=None)
        assert asked(project) == [("severity", 1), ("targets", 1)]

    def test_retired_questions_come_back(self, project):
        ask(project, [])
        project.refresh_from_db()
        assert (asked(project), project.question_count) == ([], 0)
        ask(project, [LIST, SCALE])
        assert asked(project) == [("targets", 1), ("severity", 1)]
        assert Question.objects.count() == 2

    def test_a_category_that_takes_the_key_of_a_question_is_refused(self, project):
        rows = as_json(design_of(project))["categories"]
        rows[0]["key"] = "a"
        with pytest.raises(ValueError, match=r"Question severity and category 0 \(NotHate\) share the key a"):
            change_design(project, read_design(rows), admin=None)


class TestPage:
    def test_what_is_sent_unchanged_changes_nothing(self, project, browser):
        assert browser.post(DESIGN, design_fields(browser.get(DESIGN))).status_code == 302
        assert len(history_of(project)) == 1

    def test_questions_are_added_reworded_reordered_and_retired(self, project, browser):
        fields = design_fields(browser.get(DESIGN))
        fields |= {
            "question-0-retired": "on",
            "question-1-options": "women = Women | ko: 여성\nold = Old people",
            "question-2-code": "why",
            "question-2-kind": "text",
            "question-2-wording": "Why? | ko: 왜요?",
            "question-2-limit": "200",
            "question-2-place": "1",
            "question-2-when": "categories",
            "question-2-categories": "1, 2",
            "question-2-required": "on",
        }
        page = browser.post(DESIGN, fields)
        assert page.status_code == 302
        assert asked(project) == [("why", 1), ("targets", 2)]
        why, targets = Project.objects.get(pk=project.pk).asked_questions()
        assert (why.wording, why.limit, why.required) == ({"": "Why?", "ko": "왜요?"}, 200, True)
        assert why.when.categories == (1, 2)
        assert [(option.code, dict(option.name), option.retired) for option in targets.options] == [
            ("women", {"": "Women", "ko": "여성"}, False),
            ("old", {"": "Old people"}, False),
            ("men", {}, True),
        ]
        text = compact(browser.get(DESIGN).content.decode())
        assert "targets 2: asked otherwise <small>(options)</small>" in text
        assert "severity 1: retired" in text

    def test_what_is_wrong_is_said_and_what_was_typed_stays(self, project, browser):
        fields = design_fields(browser.get(DESIGN))
        fields |= {"question-2-code": "why", "question-2-kind": "one", "question-2-wording": "Which one?"}
        page = browser.post(DESIGN, fields)
        assert page.status_code == 422
        assert "Question why needs 2 to 40 options; this list has 0." in page.content.decode()
        assert "Which one?" in page.content.decode()
        assert asked(project) == [("severity", 1), ("targets", 1)]
        fields |= {"question-2-code": ""}
        assert "Give the question a code." in browser.post(DESIGN, fields).content.decode()

    def test_a_file_is_shown_first_and_one_that_changes_a_kind_is_refused(self, project, browser):
        design = as_json(design_of(project))
        design["questions"] = [{**LIST, "options": [{"code": "a"}, {"code": "b"}]}, {"code": "words", "kind": "span"}]
        file = SimpleUploadedFile("design.json", json.dumps(design).encode())
        page = browser.post(f"{DESIGN}file/", {"file": file})
        assert page.status_code == 200
        assert browser.post(DESIGN, design_fields(page)).status_code == 302
        assert asked(project) == [("targets", 2), ("words", 1)]
        design["questions"] = [{"code": "words", "kind": "text"}]
        file = SimpleUploadedFile("design.json", json.dumps(design).encode())
        page = browser.post(f"{DESIGN}file/", {"file": file})
        assert page.status_code == 422
        assert "Question words cannot change from span to text" in page.content.decode()

    def test_the_page_says_which_questions_have_no_key(self, project, browser):
        rows = as_json(design_of(project))["categories"]
        rows += [{"code": code, "name": f"Kind {code}", "hateful": True} for code in range(6, 21)]
        asked_ones = [{**LIST, "code": f"list{number}"} for number in range(5)]
        change_design(project, read_design({"categories": rows, "questions": asked_ones}), admin=None)
        assert [question.key for question in Project.objects.get().asked_questions()] == ["j", "k", "x", "", ""]
        assert compact(browser.get(DESIGN).content.decode()).count("no key: none is free") == 2

    @pytest.mark.parametrize(("place", "codes"), [("0", ["targets", "severity"]), ("", ["severity", "targets"])])
    def test_place_0_is_first_and_none_is_last(self, project, browser, place, codes):
        fields = design_fields(browser.get(DESIGN)) | {"question-1-place": place}
        assert browser.post(DESIGN, fields).status_code == 302
        assert [code for code, _version in asked(project)] == codes

    @given(
        st.dictionaries(
            st.sampled_from(["", "ko", "zh-hans", "de"]),
            st.text("ab:|= 가", min_size=1, max_size=12).map(str.strip).filter(lambda text: text and "|" not in text),
        )
    )
    def test_words_of_several_languages_in_one_field_are_read_as_written(self, words):
        assert read(written(words)) == words


class TestElsewhere:
    def test_a_copy_of_the_project_asks_the_same(self, project, admin):
        ask(project, [{**SCALE, "points": 7}, LIST])
        made = clone_project(admin, "winter", "Winter")
        assert as_json(design_of(made)) == as_json(design_of(project))
        assert asked(made) == [("severity", 1), ("targets", 1)]
        assert made.question_count == 2

    def test_a_design_goes_from_one_project_to_another_by_command(self, project, capsys, tmp_path):
        call_command("design", "garden", "--json")
        (tmp_path / "design.json").write_text(capsys.readouterr().out)
        call_command("create_project", "winter", "--design", str(tmp_path / "design.json"))
        assert asked(Project.objects.get(slug="winter")) == [("severity", 1), ("targets", 1)]
        capsys.readouterr()
        (tmp_path / "design.json").write_text(
            json.dumps({**as_json(design_of(project)), "questions": [{**SCALE, "points": 3}]})
        )
        call_command("design", "garden", str(tmp_path / "design.json"), "--json")
        assert [(one["kind"], one["code"]) for one in json.loads(capsys.readouterr().out)["questions"]] == [
            ("reasked", "severity"),
            ("retired", "targets"),
        ]

    @pytest.mark.parametrize(("name", "codes"), [("severity", 4), ("hatexplain", 2)])
    def test_templates_ask_in_three_languages(self, name, codes):
        design = templates.template(name)
        assert len(design.questions) == codes
        for question in design.questions:
            assert set(question.wording) == {"", "ko", "zh-hans"}
            assert all(set(option.name) == {"", "ko", "zh-hans"} for option in question.options)

    def test_the_item_the_guidelines_and_ones_own_data_say_what_was_asked(self, project, admin, browser):
        wren = make_member(project, pseudonym="wren")
        for answers in ({"severity": 1, "targets": ["women"]}, {"severity": 2}):
            item = make_open_item(project, "They should leave.")
            submit.submit_label(wren, claim(wren).seat.public_id, uuid4(), Answer(category=1, answers=answers))
            ask(project, [{**SCALE, "wording": "How severe?"}, LIST])
        text = compact(browser.get(f"/p/garden/items/{project.items.order_by('pk')[0].public_id}/").content.decode())
        assert '<bdi lang="en">How bad?</bdi>' in text
        assert '<bdi lang="en">1 / 5 (mild)</bdi>' in text
        assert '<bdi lang="en">Women</bdi>' in text
        text = compact(browser.get(f"/p/garden/items/{item.public_id}/").content.decode())
        assert '<bdi lang="en">How severe?</bdi>' in text
        assert "skipped" in text
        write_guidelines(admin, "Judge them together, please.", [], begun_at=1)
        newest, first = guideline_versions(project)
        assert [str(question) for question in first.questions] == ["severity 1", "severity 2", "targets 1"]
        assert [str(question) for question in newest.questions] == ["severity 2", "targets 1"]
        assert "severity 2" in compact(browser.get("/p/garden/guidelines/versions/").content.decode())
        assert "How severe?" in browser.get("/p/garden/guidelines/versions/2/").content.decode()
        own = data_of(wren.user)["labels"]
        assert sorted(label["answers"]["severity"]["version"] for label in own) == [1, 2]
