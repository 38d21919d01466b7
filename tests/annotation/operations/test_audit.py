"""The audit: silent on a sound project, and naming what somebody lost, doubled or changed behind its back."""

import json
import os
from io import BytesIO, StringIO
from uuid import uuid4

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from PIL import Image

import builders
from annotation.assignment.claim import claim
from annotation.assignment.outcomes import Stored, TakenBack
from annotation.core.append_only import lifted
from annotation.core.release_paths import folder_of, releases_root
from annotation.domain.answer import Answer
from annotation.domain.choices import Reason, Role, Stage
from annotation.imports.store import store_pictures
from annotation.labelling import submit
from annotation.media.decoder_process import DrawingProcess
from annotation.media.pictures import picture_limits, stage_picture
from annotation.models import Dispute, Event, Item, Label, Picture, Prior, Project, Replacement, Seat
from annotation.operations.audit import EXAMPLES, audit
from annotation.releases.build import release
from annotation.review import adjudicate, expert_replacement
from runs.domain.states import RunState
from runs.models import Run, Turn

pytestmark = pytest.mark.django_db


def label(member, item, code=None, **fields):
    """Label this item as the annotator's page does: claim its seat, then submit."""
    seat = Seat.objects.filter(item=item, round=item.round, annotator__isnull=True).first()
    now = timezone.now()
    Seat.objects.filter(pk=seat.pk).update(
        annotator=member, held_at=now, shown_at=now, expires_at=now + timezone.timedelta(minutes=20)
    )
    answer = Answer(category=code, not_sure=code is None, **fields)
    stored = submit.submit_label(member, seat.public_id, uuid4(), answer)
    assert isinstance(stored, Stored)
    return stored.label


@pytest.fixture
def project():
    return builders.make_project()


@pytest.fixture
def trio(project):
    return [builders.make_member(project) for _ in range(3)]


@pytest.fixture
def reviewer(project):
    return builders.make_member(project, Role.REVIEWER)


def worked(project, trio, codes):
    item = builders.make_open_item(project)
    for member, code in zip(trio, codes, strict=False):
        label(member, item, code)
    item.refresh_from_db()
    return item


@pytest.fixture
def gold(project, trio):
    return worked(project, trio, (0, 0, 1))


def test_a_project_whose_people_did_everything_there_is_to_do_is_sound(project, trio, reviewer):
    admin = builders.make_member(project, Role.ADMIN)
    worked(project, trio, (1, 1, 1))
    worked(project, trio, (0, 0))
    taken_back = worked(project, trio, (0, 0, 1))
    newest = Label.objects.filter(item=taken_back).latest("pk")
    assert isinstance(submit.take_back_label(trio[2], newest.public_id), TakenBack)
    unsure = worked(project, trio, (0, None, 0))
    expert_replacement.replace_not_sure(unsure, reviewer, builders.category(project, 0))
    decided = worked(project, trio, (0, 1, 2))
    adjudicate.decide_item(decided, reviewer, decided.version, "Reads as irony.", builders.category(project, 0))
    again = worked(project, trio, (0, 1, 2))
    adjudicate.request_new_round(again, reviewer, again.version, "Ask others.")
    excluded = worked(project, trio, (1, 2, 3))
    adjudicate.exclude_item(excluded, reviewer, excluded.version, "Not a post.")
    corrected = worked(project, trio, (0,))
    submit.correct_label(trio[0], corrected.labels.get().public_id, uuid4(), Answer(category=1))
    reported = builders.make_open_item(project)
    held = claim(trio[0])
    assert held is not None
    submit.report_seat(trio[1], Seat.objects.filter(item=reported, annotator=trio[1]).first() or uuid4())
    seat = Seat.objects.filter(annotator=trio[0], label__isnull=True, expires_at__isnull=False).first()
    if seat:
        submit.skip_seat(trio[0], seat.public_id, "tired")
    release(project, admin)
    assert audit(project) == []


def test_a_label_that_is_older_than_its_seat_is_named(project, trio):
    worked(project, trio, (0, 0, 1))
    first, *_others = Label.objects.filter(item__project=project).order_by("pk")
    seats = Seat.objects.filter(pk=first.seat_id)
    seats.update(held_at=first.created_at + timezone.timedelta(milliseconds=900))  # rounding and old rows
    assert audit(project) == []
    seats.update(held_at=first.created_at + timezone.timedelta(seconds=2))
    assert audit(project) == [f"Label {first.public_id}: it is older than its seat; the clock of a machine was wrong."]


def behind(*statements):
    """Change rows as somebody with the database's password would."""
    with lifted(connection), connection.cursor() as cursor:
        for statement, values in statements:
            cursor.execute(statement, values)


def named(project, *parts):
    found = audit(project)
    assert any(all(part in problem for part in parts) for problem in found), found


@pytest.mark.django_db(transaction=True)
def test_a_label_that_was_removed_is_named(project, trio, gold):
    lost = gold.labels.first()
    behind(
        ("UPDATE annotation_seat SET label_id = NULL WHERE label_id = %s", [lost.pk]),
        ("DELETE FROM annotation_label WHERE id = %s", [lost.pk]),
    )
    named(project, str(lost.public_id), "lost")
    named(project, gold.external_id, "closed with 2 labels instead of 3")


@pytest.mark.django_db(transaction=True)
def test_a_label_without_its_event_is_named(project, trio, gold):
    stray = gold.labels.first()
    behind(("DELETE FROM annotation_event WHERE verb = 'labelled' AND row = %s", [_id(stray.public_id)]))
    named(project, str(stray.public_id), "no event tells of it")


@pytest.mark.django_db(transaction=True)
def test_a_label_that_was_changed_is_named_by_what_follows_from_it(project, trio, gold):
    other = builders.category(project, 2)
    behind(("UPDATE annotation_label SET category_id = %s WHERE item_id = %s", [other.pk, gold.pk]))
    named(project, gold.external_id, "not the consensus of its votes")


def test_a_doubled_event_is_named(project, trio, gold):
    event = Event.objects.filter(verb="labelled").first()
    Event.objects.create(project=project, actor=event.actor, verb="labelled", item=gold, row=event.row)
    named(project, str(event.row), "2 events tell of it")


@pytest.mark.django_db(transaction=True)
def test_a_seat_that_points_to_another_seats_label_is_named(project, trio, gold):
    other = worked(project, trio, (1, 1, 1))
    mine, theirs = gold.seat_rows.first(), other.seat_rows.first()
    behind(
        ("UPDATE annotation_seat SET label_id = NULL WHERE id IN (%s, %s)", [mine.pk, theirs.pk]),
        ("UPDATE annotation_seat SET label_id = %s WHERE id = %s", [theirs.label_id, mine.pk]),
        ("UPDATE annotation_seat SET label_id = %s WHERE id = %s", [mine.label_id, theirs.pk]),
    )
    named(project, str(mine.public_id), "belongs to another seat")


def test_a_label_that_is_not_in_force_without_being_taken_back_is_named(project, trio):
    item = worked(project, trio, (0, 0))
    gone = item.labels.first()
    Seat.objects.filter(label=gone).update(label=None)
    named(project, str(gone.public_id), "no event says that it was taken back")


@pytest.mark.django_db(transaction=True)
def test_a_missing_revision_is_named(project, trio):
    item = worked(project, trio, (0,))
    first = item.labels.get()
    submit.correct_label(trio[0], first.public_id, uuid4(), Answer(category=1))
    behind(("DELETE FROM annotation_label WHERE id = %s", [first.pk]))
    named(project, "1 of 2 revisions")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"stage": Stage.EXCLUDED, "excluded_for": Reason.WITHDRAWN}, "its last event left it at gold"),
        ({"level": "perfect"}, "its level is perfect, its votes say weak"),
        ({"hateful": True}, "without a category, a binary outcome of it"),
        ({"pattern": "001", "difficulty": "easy"}, "its difficulty is not that of the pattern"),
        ({"pattern": "001", "difficulty": "hard"}, "contradicts its outcome"),
        ({"aligned": False}, "its alignment is not that of"),
        ({"closed_at": None}, "was never closed"),
        ({"seats": 4}, "closed with 3 labels instead of 4"),
        ({"excluded_for": Reason.REPORTED}, "contradict each other"),
    ],
)
def test_an_item_changed_behind_its_back_is_named(project, trio, gold, fields, said):
    Item.objects.filter(pk=gold.pk).update(**fields)
    named(project, str(gold.public_id), said)


def test_gold_that_nobody_decided_is_named(project):
    item = builders.make_open_item(project)
    Item.objects.filter(pk=item.pk).update(stage=Stage.GOLD, category=builders.category(project, 0), hateful=False)
    named(project, str(item.public_id), "no event tells how it got there")


def test_a_seat_too_many_or_too_few_is_named(project, trio, gold):
    Seat.objects.create(item=gold, number=4, seats=4)
    named(project, gold.external_id, "first round is not complete")
    other = worked(project, trio, (0, 0))
    Seat.objects.filter(item=other, number=3).delete()
    named(project, other.external_id, "lacks a seat")


def test_an_item_that_was_left_unclosed_is_named_with_what_to_do(project, trio):
    named_item = builders.make_labelled_item(project, trio, (0, 0, 0))
    named(project, named_item.external_id, "`sweep` closes it")


def test_a_dispute_without_a_reason_and_a_reason_without_a_dispute_are_named(project, trio, gold):
    disputed = worked(project, trio, (0, 1, 2))
    Dispute.objects.filter(item=disputed).delete()
    Dispute.objects.create(item=gold, reason=Reason.LOW_QUALITY)
    named(project, str(disputed.public_id), "for no reason that is open")
    named(project, str(gold.public_id), "but a reason is open")


@pytest.mark.django_db(transaction=True)
def test_a_lost_ruling_and_a_lost_replacement_are_named(project, trio, reviewer):
    decided = worked(project, trio, (0, 1, 2))
    ruling = adjudicate.decide_item(decided, reviewer, decided.version, "Irony.", builders.category(project, 0))
    unsure = worked(project, trio, (0, None, 0))
    replaced = expert_replacement.replace_not_sure(unsure, reviewer, builders.category(project, 0))
    assert audit(project) == []
    behind(("DELETE FROM annotation_adjudication WHERE id = %s", [ruling.pk]))
    Replacement.objects.filter(pk=replaced.pk).delete()
    named(project, "Ruling", str(ruling.public_id), "lost")
    named(project, str(decided.public_id), "newest decision")
    named(project, "Replacement", str(replaced.label.public_id), "lost")
    named(project, str(unsure.public_id), "votes say nothing yet")


def test_imported_labels_are_counted_against_their_imports(project, trio):
    builders.make_label(builders.make_open_item(project).seat_rows.first(), trio[0], 0, imported=True)
    named(project, "1 imported labels are there, imports brought 0")


def picture_of(project):
    out = BytesIO()
    Image.new("RGB", (40, 30), "green").save(out, "PNG")
    with DrawingProcess(picture_limits()) as process:
        staged = stage_picture(process.draw(out.getvalue()), project)
    return Picture.objects.get(pk=store_pictures(project, [staged])[staged.sha256])


def test_pictures_are_compared_with_their_files(project):
    picture = picture_of(project)
    builders.make_item(project, picture=picture)
    assert audit(project) == []
    default_storage.delete(picture.blurred.name)
    with open(default_storage.path(picture.file.name), "r+b") as file:
        file.write(b"x")
    named(project, str(picture.public_id), "has changed")
    named(project, str(picture.public_id), "blurred", "lost")
    default_storage.delete(picture.file.name)
    named(project, str(picture.public_id), "is lost")


def test_a_file_that_no_picture_refers_to_is_named_once_no_import_can_be_at_it(project):
    name = default_storage.save(f"pictures/{project.public_id}/a/stray.png", ContentFile(b"x"))
    assert audit(project) == []
    os.utime(default_storage.path(name), (0, 0))
    named(project, "stray.png", "no picture refers to it")


def test_releases_are_compared_with_their_files(project, gold):
    made = release(project, None)
    items = folder_of(made) / "items.jsonl"
    items.write_bytes(items.read_bytes().replace(b"garden", b"meadow"))
    (releases_root() / str(project.public_id) / "9-stray").mkdir()
    named(project, "Release 1", "items.jsonl", "SHA-256")
    named(project, "9-stray", "no release refers to it")


@pytest.mark.django_db(transaction=True)
def test_a_lost_release_is_named(project, gold):
    made = release(project, None)
    behind(("DELETE FROM annotation_release WHERE id = %s", [made.pk]))
    named(project, str(made.public_id), "lost")


def make_run(project, item, **fields):
    limits = {"call_limit": 3, "token_limit": 1000, "seconds_limit": 60}
    return Run.objects.create(
        method="prior",
        project=project.public_id,
        subject=item.public_id,
        variant="text",
        finished_at=timezone.now(),
        **limits,
        **fields,
    )


def test_runs_turns_and_priors_belong_together(project):
    item = builders.make_item(project)
    run = make_run(project, item, state=RunState.SUCCEEDED, calls=1)
    Turn.objects.create(run=run, key="ask", kind="ask", role="prior_text")
    prior = Prior.objects.create(
        item=item, modality="text", category=builders.category(project, 0), run_id=run.public_id
    )
    assert audit(project) == []
    Turn.objects.filter(run=run).update(calls=2)
    named(project, str(run.public_id), "more calls than it made")
    run.turns.all().delete()
    named(project, str(run.public_id), "succeeded without a turn")
    prior.delete()
    named(project, str(run.public_id), "left 0 priors instead of one")
    Prior.objects.create(item=item, modality="image", run_id=run.public_id)
    named(project, str(run.public_id), "about something else")
    Run.objects.filter(pk=run.pk).delete()
    named(project, str(run.public_id), "is lost")


def test_a_missing_guard_is_named(project):
    with connection.cursor() as cursor:
        on_table = "" if connection.vendor == "sqlite" else " ON annotation_event"
        name = "annotation_event_no_" + ("update" if connection.vendor == "sqlite" else "change")
        cursor.execute(f'DROP TRIGGER "{name}"{on_table}')
    named(project, name, "missing")


def test_many_problems_of_one_kind_are_counted(project, trio):
    for _ in range(EXAMPLES + 5):
        builders.make_labelled_item(project, trio, (0, 0, 0))
    found = audit(project)
    assert "… and 5 more of this kind." in found


def test_items_that_are_equal_in_all_that_is_checked_are_loaded_once(project, trio):
    def audited():
        with CaptureQueriesContext(connection) as queries:
            assert audit(project) == []
        return len(queries)

    worked(project, trio, (0, 0, 1))
    before = audited()
    for _ in range(3):
        worked(project, trio, (0, 0, 1))
    assert audited() == before


def test_the_command_says_ok_or_what_is_wrong(project, gold):
    answer = command(project.slug)
    site = answer.pop("site")
    told = {"slug": project.slug, "name": project.name, "items": 1, "labels": 3, "problems": []}
    assert answer == {"ok": True, "projects": [told]}
    assert list(site) == ["database", "projects", "items", "labels", "people"] and site["projects"] == 1
    Item.objects.filter(pk=gold.pk).update(level="perfect")
    value = command(project.slug, fails=True)
    assert value["ok"] is False and len(value["projects"][0]["problems"]) == 1


def test_without_a_slug_every_project_is_audited_and_one_that_is_not_sound_fails_all(project, gold):
    assert command() == command(project.slug)
    other = builders.make_project(slug="another")
    assert [told["slug"] for told in command()["projects"]] == ["another", project.slug]
    builders.make_item(other, stage=Stage.GOLD)  # by no label and no event
    value = command(fails=True)
    assert [(told["items"], len(told["problems"]) > 0) for told in value["projects"]] == [(1, True), (1, False)]
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("audit", stdout=out)
    assert f"another ({other.name}), 1 items, 0 labels: NOT sound:" in out.getvalue()
    assert f"{project.slug} ({project.name}), 1 items, 3 labels: nothing is lost" in out.getvalue()


def test_a_project_whose_removal_is_due_is_half_there_and_not_audited_with_all(project):
    builders.make_item(project, stage=Stage.GOLD)
    Project.objects.update(delete_after=timezone.now() + timezone.timedelta(days=1))
    assert len(command(fails=True)["projects"]) == 1
    Project.objects.update(delete_after=timezone.now() - timezone.timedelta(days=1))
    assert command()["projects"] == []
    assert len(command(project.slug, fails=True)["projects"]) == 1


def command(*slug: str, fails: bool = False):
    out, code = StringIO(), 0
    try:
        call_command("audit", *slug, "--json", stdout=out)
    except SystemExit as end:
        code = end.code
    assert code == fails
    return json.loads(out.getvalue())


def _id(public_id):
    return public_id.hex if connection.vendor == "sqlite" else public_id
