"""Items with a known answer: marked, changed, rested, given back, imported; in no vote and no figure but their own."""

import json
from collections.abc import Callable, Iterator
from io import BytesIO

import pytest

from annotation.analytics.agreement.labels import agreement_and_labels
from annotation.batches.open_items import open_items
from annotation.consensus.exclude import withdraw_item
from annotation.domain.choices import Reason, Role, Stage
from annotation.imports.options import ImportOptions, Update
from annotation.imports.run import import_file
from annotation.items.export import as_csv, as_jsonl
from annotation.models import Event, Item, KnownAnswer, Membership, Project, Seat, TrainingAnswer, TrainingAttempt
from annotation.operations.audit import audit
from annotation.releases.build import CannotRelease, release
from annotation.review import adjudicate
from annotation.training import control_items
from annotation.training.control_items import KnownAnswerKey, KnownAnswerLine
from builders import category, make_item, make_label, make_member, make_open_item, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project("garden")


@pytest.fixture
def admin(project: Project) -> Membership:
    return make_member(project, Role.ADMIN)


def key(project: Project, code: int = 1, explanation: str = "", *, training: bool = False) -> KnownAnswerKey:
    return KnownAnswerKey(category(project, code), explanation, training)


@pytest.mark.parametrize("stage", [Stage.IMPORTED, Stage.READY])
def test_an_item_nobody_was_asked_about_gets_a_known_answer(stage: Stage, project: Project, admin: Membership) -> None:
    item = make_item(project, stage=stage)
    control_items.mark_control_item(item, admin, key(project, 2, "It says so.", training=True))
    item.refresh_from_db()
    known = control_items.known_answer_of(item)
    assert item.stage == Stage.KNOWN
    assert known is not None and (known.category.code, known.explanation, known.training) == (2, "It says so.", True)
    event = Event.objects.get(item=item)
    assert (event.verb, event.actor, event.facts) == ("known_marked", admin, {"category": 2, "training": True})
    assert audit(project) == []


@pytest.mark.parametrize("stage", [Stage.LABELLING, Stage.DISPUTED, Stage.GOLD, Stage.EXCLUDED])
def test_an_item_that_people_were_asked_about_does_not(stage: Stage, project: Project, admin: Membership) -> None:
    item = make_item(project, stage=stage)
    with pytest.raises(control_items.NotMarkable, match="nobody was asked about"):
        control_items.mark_control_item(item, admin, key(project))
    item.refresh_from_db()
    assert item.stage == stage
    assert not KnownAnswer.objects.exists()


def test_a_key_is_corrected_and_the_event_says_from_what_to_what(project: Project, admin: Membership) -> None:
    item = make_item(project)
    control_items.mark_control_item(item, admin, key(project, 1))
    control_items.mark_control_item(item, admin, key(project, 1))  # nothing new: no event
    control_items.mark_control_item(item, admin, key(project, 2, "Look at the sign.", training=True))
    known = control_items.known_answer_of(item)
    assert known is not None and (known.category.code, known.training) == (2, True)
    told = Event.objects.get(verb="known_changed")
    assert told.facts["before"]["category"] == 1
    assert told.facts["after"] == {"category": 2, "training": True, "active": True}


def test_a_known_answer_is_taken_back_while_nobody_answered_and_the_item_opens_like_any_other(
    project: Project, admin: Membership
) -> None:
    item = make_item(project)
    control_items.mark_control_item(item, admin, key(project))
    held = item.seat_rows.get(number=1)
    held.annotator = make_member(project)
    held.save()
    assert control_items.unmark_control_item(item, admin)
    item.refresh_from_db()
    assert (item.stage, item.round, item.taken, item.seats) == (Stage.READY, 1, 0, 3)
    assert not Seat.objects.filter(pk=held.pk).exists()
    assert audit(project) == []
    assert open_items(project, admin).opened == 1
    assert Seat.objects.filter(item=item, annotator=None).count() == 3
    assert audit(project) == []
    assert not control_items.unmark_control_item(item, admin)


def test_a_known_answer_stays_once_somebody_answered_unseen(project: Project, admin: Membership) -> None:
    item = make_item(project)
    control_items.mark_control_item(item, admin, key(project))
    seat = item.seat_rows.get(number=1)
    make_label(seat, make_member(project), 0)
    with pytest.raises(control_items.Answered):
        control_items.unmark_control_item(item, admin)
    item.refresh_from_db()
    assert item.stage == Stage.KNOWN
    assert KnownAnswer.objects.filter(item=item).exists()


def test_a_known_answer_stays_once_somebody_answered_in_training(project: Project, admin: Membership) -> None:
    item = make_item(project)
    control_items.mark_control_item(item, admin, key(project, training=True))
    attempt = TrainingAttempt.objects.create(member=make_member(project), number=1)
    TrainingAnswer.objects.create(attempt=attempt, item=item, skipped=True)
    with pytest.raises(control_items.Answered):
        control_items.unmark_control_item(item, admin)


def test_a_known_answer_is_rested_and_used_again(project: Project, admin: Membership) -> None:
    item = make_item(project)
    control_items.mark_control_item(item, admin, key(project, training=True))
    assert control_items.has_training_items(project)
    assert control_items.set_control_item_active(item, admin, active=False)
    assert not control_items.set_control_item_active(item, admin, active=False)
    assert not control_items.has_training_items(project)
    assert control_items.set_control_item_active(item, admin, active=True)
    assert control_items.has_training_items(project)
    assert list(Event.objects.order_by("pk").values_list("verb", flat=True))[1:] == ["known_rested", "known_used"]


def test_an_item_with_a_known_answer_that_was_taken_out_is_never_labelled(project: Project, admin: Membership) -> None:
    item = make_item(project)
    control_items.mark_control_item(item, admin, key(project))
    assert withdraw_item(item, admin, "Its author asked.")
    item.refresh_from_db()
    assert (item.stage, item.excluded_for) == (Stage.EXCLUDED, Reason.WITHDRAWN)
    with pytest.raises(adjudicate.NotAllowed):
        adjudicate.reopen_closed_item(item, admin, item.version, "Because.")
    item.refresh_from_db()
    assert item.stage == Stage.EXCLUDED
    assert audit(project) == []


def test_known_items_are_in_no_agreement_and_no_release(project: Project, admin: Membership) -> None:
    item = make_item(project)
    control_items.mark_control_item(item, admin, key(project, 1))
    for number in (1, 2, 3):
        seat, _made = item.seat_rows.get_or_create(number=number, defaults={"seats": 3})
        make_label(seat, make_member(project), 1)
    found, labels = agreement_and_labels(project)
    assert (found.raw.total, len(labels.together.times)) == (0, 0)
    assert open_items(project, admin).opened == 0
    with pytest.raises(CannotRelease, match="no gold item"):
        release(project, admin)


# ── Many at once ──────────────────────────────────────────────────────────────


def test_many_items_are_marked_by_lines(project: Project, admin: Membership) -> None:
    make_item(project, external_id="a")
    make_item(project, external_id="b")
    lines = [KnownAnswerLine(1, "a", "Racist", "Because."), KnownAnswerLine(2, "b", "0", "")]
    assert control_items.mark_control_items(admin, lines, training=True) == 2
    rows = KnownAnswer.objects.order_by("item__external_id").values_list("category__code", "explanation", "training")
    assert list(rows) == [(1, "Because.", True), (0, "", True)]


def test_one_bad_line_stores_none_and_all_bad_ones_are_named(project: Project, admin: Membership) -> None:
    make_item(project, external_id="a")
    make_open_item(project, external_id="open")
    lines = [
        KnownAnswerLine(1, "a", "1", ""),
        KnownAnswerLine(2, "missing", "1", ""),
        KnownAnswerLine(3, "a", "1", ""),
        KnownAnswerLine(4, "open", "1", ""),
        KnownAnswerLine(5, "a", "Racism", ""),
    ]
    with pytest.raises(control_items.BadRows) as refused:
        control_items.mark_control_items(admin, lines, training=False)
    assert [(error.line, error.code) for error in refused.value.errors] == [
        (2, "unknown_id"),
        (3, "duplicate_id"),
        (4, "not_markable"),
        (5, "unknown_label"),
    ]
    assert not KnownAnswer.objects.exists()


def lines_of(*rows: dict[str, object]) -> BytesIO:
    return BytesIO("".join(json.dumps(row) + "\n" for row in rows).encode())


def test_rows_with_a_known_answer_are_imported_aside(project: Project, admin: Membership) -> None:
    Project.objects.filter(pk=project.pk).update(priors_wanted=True)
    project.refresh_from_db()
    rows = (
        {"id": "a", "text": "Train.", "known_category": "Racist", "known_explanation": "So.", "known_training": True},
        {"id": "b", "text": "Check.", "known_category": 0, "batch": "two"},
        {"id": "c", "text": "Work."},
    )
    report = import_file(project, lines_of(*rows), ImportOptions(), actor=admin)
    assert (report.items, report.errors, report.passed_over) == (3, [], [])
    stages = dict(Item.objects.values_list("external_id", "stage"))
    assert stages == {"a": Stage.KNOWN, "b": Stage.KNOWN, "c": Stage.IMPORTED}
    known = KnownAnswer.objects.order_by("item__external_id")
    values = known.values_list("category__code", "explanation", "training", "active")
    assert list(values) == [(1, "So.", True, True), (0, "", False, True)]
    assert audit(project) == []


def test_a_table_brings_known_answers_too(project: Project) -> None:
    table = "id,text,known_category,known_explanation,known_training\na,One.,2,Why.,yes\nb,Two.,0,,no\nc,Three.,,,\n"
    report = import_file(project, BytesIO(table.encode()), ImportOptions())
    assert report.errors == []
    rows = KnownAnswer.objects.order_by("item__external_id").values_list("category__code", "training")
    assert list(rows) == [(2, True), (0, False)]


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ({"known_category": 1, "gold": 1}, "known_with_labels"),
        ({"known_category": 1, "labels": [{"annotator": "a1", "category": 1}]}, "known_with_labels"),
        ({"known_explanation": "Why."}, "known_without_category"),
        ({"known_training": True}, "known_without_category"),
        ({"known_category": "Racism"}, "unknown_label"),
        ({"known_category": 1, "known_training": "perhaps"}, "bad_flag"),
        ({"known_category": 1, "known_explanation": "x" * 4001}, "text_too_long"),
    ],
)
def test_a_row_that_contradicts_itself_about_its_known_answer_is_refused(
    row: dict[str, object], code: str, project: Project
) -> None:
    report = import_file(project, lines_of({"id": "a", "text": "One.", **row}), ImportOptions())
    assert [error.code for error in report.errors] == [code]
    assert not Item.objects.exists()


@pytest.mark.parametrize("write", [as_jsonl, as_csv])
def test_known_answers_survive_an_export_and_an_import(
    write: Callable[..., Iterator[bytes]], project: Project, admin: Membership
) -> None:
    items = [make_item(project, external_id=name) for name in ("a", "b", "c")]
    control_items.mark_control_item(items[0], admin, key(project, 0, "Plain, as it says.", training=True))
    control_items.mark_control_item(items[1], admin, key(project, 3))
    seat = items[1].seat_rows.get(number=1)
    make_label(seat, make_member(project), 3)
    other = make_project()
    report = import_file(other, BytesIO(b"".join(write(admin, {}))), ImportOptions())
    assert report.errors == []
    rows = KnownAnswer.objects.filter(item__project=other).order_by("item__external_id")
    assert list(rows.values_list("category__code", "explanation", "training")) == [
        (0, "Plain, as it says.", True),
        (3, "", False),
    ]
    stages = Item.objects.filter(project=other).order_by("external_id").values_list("stage", flat=True)
    assert list(stages) == [Stage.KNOWN, Stage.KNOWN, Stage.READY]
    reviewer = b"".join(write(make_member(project, Role.REVIEWER), {})).decode()
    assert "Plain, as it says." not in reviewer


def test_an_update_marks_items_that_are_here(project: Project, admin: Membership) -> None:
    make_item(project, external_id="a")
    make_item(project, external_id="b")
    rows = ({"id": "a", "known_category": 3, "known_training": True}, {"id": "b"})
    report = import_file(project, lines_of(*rows), ImportOptions(update=Update.FILL), actor=admin)
    assert (report.items, report.unchanged, report.errors) == (1, 1, [])
    assert KnownAnswer.objects.get().item.external_id == "a"
    again = import_file(project, lines_of(*rows), ImportOptions(update=Update.FILL), actor=admin)
    assert (again.items, again.unchanged) == (0, 2)
    assert (again.existing, again.changed) == (1, 0)
    other = import_file(
        project, lines_of({"id": "a", "known_category": 1}), ImportOptions(update=Update.FILL), actor=admin
    )
    assert (other.unchanged, other.changed_ids, KnownAnswer.objects.get().category.code) == (1, ["a"], 3)


def test_an_update_of_an_item_in_labelling_is_refused_as_a_whole(project: Project, admin: Membership) -> None:
    make_item(project, external_id="a")
    make_open_item(project, external_id="b")
    rows = ({"id": "a", "known_category": 3}, {"id": "b", "known_category": 1})
    report = import_file(project, lines_of(*rows), ImportOptions(update=Update.FILL), actor=admin)
    assert [(error.line, error.code) for error in report.errors] == [(2, "not_markable")]
    assert not KnownAnswer.objects.exists()
