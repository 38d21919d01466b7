"""Versions of the guidelines: written, compared, read; labels keep theirs."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.choices import Role
from annotation.domain.markdown import Piece, TextChange, changes
from annotation.guidelines import versions
from annotation.guidelines.versions import ChangedMeanwhile, Example, news_for, write_guidelines
from annotation.models import CompetenceEstimate, Event, Guideline, GuidelineExample, Label, Membership, Project
from annotation.projects import purge
from builders import category, make_label, make_member, make_open_item, make_project

# ── What changed ──────────────────────────────────────────────────────────────


def same(text: str) -> Piece:
    return Piece(TextChange.SAME, text)


def gone(text: str) -> Piece:
    return Piece(TextChange.GONE, text)


def new(text: str) -> Piece:
    return Piece(TextChange.NEW, text)


def test_a_changed_word_is_marked_within_its_line():
    assert changes("Ask twice, then skip.\nEnd.", "Ask once, then skip.\nEnd.") == (
        (same("Ask "), gone("twice"), new("once"), same(", then skip.")),
        (same("End."),),
    )


def test_lines_that_came_and_went_stand_whole():
    assert changes("one\ntwo", "one\ntwo\nthree") == ((same("one"),), (same("two"),), (new("three"),))
    assert changes("one\ntwo", "two") == ((gone("one"),), (same("two"),))


def test_a_line_written_anew_stands_after_the_old_one():
    assert changes("Quotes are not hateful.", "想一想再选。") == (
        (gone("Quotes are not hateful."),),
        (new("想一想再选。"),),
    )


def test_signs_are_compared_one_by_one_where_there_are_no_spaces():
    assert changes("想一想再选择类别。", "想三想再选择类别。") == (
        (same("想"), gone("一"), new("三"), same("想再选择类别。")),
    )


def test_long_stretches_without_a_change_are_left_out():
    old = [f"line {number}" for number in range(20)]
    found = changes("\n".join(old), "\n".join([*old, "end"]))
    assert found[0] == (Piece(TextChange.SKIPPED, "18"),)
    assert found[1:] == ((same("line 18"),), (same("line 19"),), (new("end"),))


def test_nothing_changed_is_nothing():
    assert changes("a\nb", "a\nb\n") == ()


def test_texts_too_long_to_compare_stand_one_after_the_other():
    old, late = "x\n" * 3000, "y\n" * 3000
    assert len(changes(old, late)) == 6000


lines_of_text = st.lists(st.sampled_from(["", "a b", "a c", "d", "想 一"]), max_size=12)


@given(lines_of_text, lines_of_text)
def test_both_versions_can_be_read_from_the_changes(old: list[str], late: list[str]):
    before, after = "\n".join(old), "\n".join(late)
    found = changes(before, after)
    if any(piece.kind is TextChange.SKIPPED for line in found for piece in line) or not found:
        return

    def read(left_out: TextChange) -> list[str]:
        kept = [[piece.text for piece in line if piece.kind is not left_out] for line in found]
        return ["".join(pieces) for pieces in kept if pieces]

    assert read(TextChange.NEW) == before.splitlines()
    assert read(TextChange.GONE) == after.splitlines()


# ── Writing ───────────────────────────────────────────────────────────────────


@pytest.fixture
def project(db: None) -> Project:
    return make_project("here")


@pytest.fixture
def admin(project: Project) -> Membership:
    return make_member(project, Role.ADMIN, pseudonym="ada")


@pytest.fixture
def annotator(project: Project) -> Membership:
    member = make_member(project, pseudonym="ann")
    make_label(make_open_item(project).seat_rows.first(), member, 0, guideline=project.guidelines.get())
    return member


def example(project: Project) -> Example:
    return Example("They said it *again*.", category(project, 0), "A quotation.")


def test_a_new_version_keeps_its_examples_and_says_who_wrote_it(project, admin):
    made = write_guidelines(admin, "New text.", [example(project)], begun_at=1, summary="An example.")
    assert (made.number, made.author, made.summary, made.asks_reading) == (2, admin, "An example.", True)
    assert versions.examples_of(made) == [example(project)]
    assert Event.objects.filter(verb="guidelines_written", actor=admin).count() == 1


def test_storing_without_a_change_makes_no_version(project, admin):
    write_guidelines(admin, "Text.", [example(project)], begun_at=1)
    assert write_guidelines(admin, "Text.", [example(project)], begun_at=2, summary="Nothing.") is None
    assert write_guidelines(admin, "Text.", [], begun_at=2).number == 3


def test_two_writers_do_not_overwrite_each_other(project, admin):
    write_guidelines(admin, "First.", [], begun_at=1)
    with pytest.raises(ChangedMeanwhile) as caught:
        write_guidelines(admin, "Second.", [], begun_at=1)
    assert caught.value.number == 2
    assert project.guidelines.count() == 2


def test_labels_keep_the_version_they_were_made_under(project, admin, annotator):
    write_guidelines(admin, "New.", [], begun_at=1)
    assert Label.objects.get().guideline.number == 1


# ── Reading ───────────────────────────────────────────────────────────────────


def test_a_change_asks_those_who_were_there_and_shows_what_is_new(project, admin, annotator):
    assert news_for(annotator) is None
    write_guidelines(admin, "Label what text and picture mean together, and ask.", [], begun_at=1, summary="Ask.")
    write_guidelines(
        admin, "Label what text and picture mean together, and ask twice.", [], begun_at=2, summary="Twice."
    )
    news = news_for(annotator)
    assert (news.guideline.number, news.since.number) == (3, 1)
    assert [each.summary for each in news.summaries] == ["Ask.", "Twice."]
    assert any(piece.kind is TextChange.NEW and "twice" in piece.text for line in news.changes for piece in line)
    versions.mark_guidelines_read(annotator, 3)
    annotator.refresh_from_db()
    assert (annotator.guideline_read, news_for(annotator)) == (3, None)


def test_whoever_joins_later_and_a_corrected_spelling_ask_nobody(project, admin, annotator):
    write_guidelines(admin, "Spelling.", [], begun_at=1, asks_reading=False)
    assert news_for(annotator) is None
    write_guidelines(admin, "Meaning.", [], begun_at=2)
    assert news_for(annotator) is not None
    assert news_for(make_member(project)) is None


def test_only_a_version_that_is_there_and_newer_is_read(project, admin, annotator):
    write_guidelines(admin, "New.", [], begun_at=1)
    versions.mark_guidelines_read(annotator, 99)
    annotator.refresh_from_db()
    assert annotator.guideline_read == 0
    versions.mark_guidelines_read(annotator, 2)
    versions.mark_guidelines_read(annotator, 1)
    annotator.refresh_from_db()
    assert annotator.guideline_read == 2


def test_admins_see_how_many_of_those_asked_have_read(project, admin, annotator):
    second = make_member(project)
    make_label(make_open_item(project).seat_rows.first(), second, 0)
    make_member(project)  # has labelled nothing
    write_guidelines(admin, "New.", [], begun_at=1)
    make_member(project)  # joined later
    versions.mark_guidelines_read(annotator, 2)
    newest, first = versions.guideline_versions(project)
    assert (newest.guideline.number, newest.annotators_asked, newest.read) == (2, 2, 1)
    assert first.annotators_asked == 0


# ── Pages ─────────────────────────────────────────────────────────────────────


def client_of(member: Membership) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def form(**fields: Any) -> dict[str, Any]:
    rows = {"example-TOTAL_FORMS": 2, "example-INITIAL_FORMS": 0}
    return {"text": "# New\n\ntext", "summary": "All new.", "asks_reading": "on", "begun_at": 1, **rows, **fields}


def edit(project: Project) -> str:
    return reverse("annotation:guidelines-edit", args=[project.slug])


def test_an_admin_looks_at_the_text_before_storing_it(project, admin):
    client = client_of(admin)
    typed = form(preview=1, text="**bold** <script>alert(1)</script>")
    typed |= {
        "example-0-text": "A garden.",
        "example-0-category": category(project, 0).pk,
        "example-0-why": "No group.",
    }
    page = client.post(edit(project), typed)
    content = page.content.decode()
    assert page.status_code == 200
    assert "<strong>bold</strong>" in content
    assert "<script>alert" not in content
    assert "A garden." in content
    assert project.guidelines.count() == 1
    typed.pop("preview")
    assert client.post(edit(project), typed).status_code == 302
    assert [each.text for each in versions.examples_of(project.guidelines.first())] == ["A garden."]
    again = client.get(edit(project)).content.decode()
    assert "A garden." in again
    assert "No group." in again


def test_a_preview_needs_no_word_about_what_changed(project, admin):
    page = client_of(admin).post(edit(project), form(preview=1, text="**bold**", summary=""))
    assert page.status_code == 200
    assert "<strong>bold</strong>" in page.content.decode()


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"text": "  "}, "Write at least one visible character."),
        ({"text": "a\x00b"}, "NUL"),
        ({"summary": ""}, "Say in one sentence what changed"),
        ({"begun_at": 0}, "Somebody saved version 1 while you were writing"),
        ({"example-0-text": "A garden."}, "Choose the category of this example."),
        ({"example-1-why": "No group."}, "Write the example, or empty its row."),
        ({"example-0-text": "x" * 2001, "example-0-category": 1}, "2,000"),
    ],
)
def test_a_form_that_cannot_be_stored_says_why_and_keeps_what_was_typed(project, admin, fields, sentence):
    page = client_of(admin).post(edit(project), form(**fields))
    assert page.status_code == 422
    assert sentence in page.content.decode()
    assert "All new." in page.content.decode() or "summary" in fields
    assert project.guidelines.count() == 1


def test_line_ends_of_a_browser_are_no_change(project, admin):
    Guideline.objects.filter(project=project).update(text="one\ntwo")
    client_of(admin).post(edit(project), form(text="one\r\ntwo"))
    assert project.guidelines.count() == 1


def test_versions_are_listed_and_compared(project, admin):
    write_guidelines(
        admin, "Label what text and picture mean apart.", [example(project)], begun_at=1, summary="Apart now."
    )
    client = client_of(admin)
    address = reverse("annotation:guideline-versions", args=[project.slug])
    page = client.get(address).content.decode()
    assert "Apart now." in page
    assert "ada" in page
    assert "<del>" in page
    assert "<ins>" in page
    assert client.get(address, {"from": 2, "to": 1}).status_code == 200
    for wrong in ({"from": 1, "to": 99}, {"from": "x"}, {"to": "-1"}):
        assert client.get(address, wrong).status_code == 404
    assert client.get(reverse("annotation:guideline-version", args=[project.slug, 1])).status_code == 200
    assert client.get(reverse("annotation:guideline-version", args=[project.slug, 9])).status_code == 404


def test_annotators_read_and_go_on(project, admin, annotator):
    write_guidelines(admin, "New.", [], begun_at=1)
    client = client_of(annotator)
    address = reverse("annotation:guidelines-read", args=[project.slug])
    for wrong in ("", "x", "²", "9" * 30):
        assert client.post(address, {"number": wrong}).status_code == 302
    annotator.refresh_from_db()
    assert annotator.guideline_read == 0
    answer = client.post(address, {"number": "2"})
    assert (answer.status_code, answer["Location"]) == (302, reverse("annotation:label", args=[project.slug]))
    annotator.refresh_from_db()
    assert annotator.guideline_read == 2


def test_examples_stand_beside_the_guidelines_for_everybody(project, admin, annotator):
    write_guidelines(admin, "New.", [example(project)], begun_at=1, summary="An example.")
    page = client_of(annotator).get(reverse("annotation:guidelines", args=[project.slug])).content.decode()
    assert "They said it *again*." in page
    assert "A quotation." in page
    assert "An example." in page


def test_the_list_of_versions_takes_a_fixed_number_of_queries(project, admin, django_assert_num_queries):
    address, client = reverse("annotation:guideline-versions", args=[project.slug]), client_of(admin)

    def ask() -> None:
        with django_assert_num_queries(7):
            assert client.get(address).status_code == 200

    write_guidelines(admin, "Second.", [example(project)], begun_at=1)
    ask()
    write_guidelines(admin, "Third.", [example(project), example(project)], begun_at=2)
    Guideline.objects.filter(number=3).update(created_at=timezone.now() + timedelta(days=1))
    for _ in range(3):
        make_label(make_open_item(project).seat_rows.first(), make_member(project), 0)
    ask()


def test_the_page_of_an_item_tells_under_which_version_a_label_was_made(project, admin, annotator):
    item = Label.objects.get().item
    page = client_of(admin).get(reverse("annotation:item", args=[project.slug, item.public_id])).content.decode()
    assert "guidelines 1" in page


def test_a_purged_project_takes_its_guidelines_and_estimates_along(project, admin, annotator):
    write_guidelines(admin, "New.", [example(project)], begun_at=1)
    CompetenceEstimate.objects.create(project=project, method="dawid-skene", ordered_by=admin)
    Project.objects.filter(pk=project.pk).update(delete_after=timezone.now() - timedelta(days=1), is_open=False)
    assert purge.purge(Project.objects.get(pk=project.pk))
    for model in (Project, Guideline, GuidelineExample, CompetenceEstimate):
        assert not model.objects.exists()
