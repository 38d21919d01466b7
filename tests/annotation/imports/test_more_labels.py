"""`--update labels`: labels of more people fill free seats of posts that are here, and nothing else changes."""

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.domain.choices import Role, Stage
from annotation.domain.formats.base import LabelUse, Mapped
from annotation.imports.options import ImportOptions, Update
from annotation.imports.report import ImportReport
from annotation.imports.run import import_file
from annotation.models import Event, Import, Item, Label, Membership, Project, Seat
from annotation.operations.audit import audit
from builders import make_item, make_member, make_open_item, make_project

LONG = Mapped(label="label", annotator="who", label_is=LabelUse.SEAT)


@pytest.fixture
def project(db: None) -> Project:
    return make_project("garden", seats=3)


def read(
    project: Project, content: str, mapped: Mapped = LONG, *, dry_run: bool = False, **options: Any
) -> ImportReport:
    given = ImportOptions(mapped=mapped, update=Update.LABELS, **options)
    return import_file(project, io.BytesIO(content.encode()), given, dry_run=dry_run)


def first(project: Project, content: str = "id,text,who,label\na,One.,p1,1\n") -> Item:
    assert import_file(project, io.BytesIO(content.encode()), ImportOptions(mapped=LONG)).stored
    return Item.objects.get(project=project, external_id="a")


def labels(item: Item) -> dict[str, int | None]:
    rows = Label.objects.filter(item=item).order_by("pk")
    return dict(rows.values_list("annotator__imported_name", "category__code"))


def test_labels_of_more_people_are_added_and_nothing_else_changes(project: Project) -> None:
    item = first(project)
    content = "id,text,batch,severity,who,label\na,One.,later,3,p2,0\na,One.,later,3,p3,1\n"
    report = read(project, content)
    assert (report.errors, report.items, report.labels, report.rows, report.annotators) == ([], 1, 2, 2, 2)
    assert labels(item) == {"p1": 1, "p2": 0, "p3": 1}
    before = (item.batch, item.severity, item.text, item.seats, item.extra)
    item.refresh_from_db()
    assert (item.batch, item.severity, item.text, item.seats, item.extra) == before
    assert (item.stage, item.taken, item.category and item.category.code) == (Stage.GOLD, 3, 1)
    assert Event.objects.filter(verb="filled").latest("id").facts == {"what": "labels", "items": 1, "labels": 2}


def test_the_outcome_is_that_of_one_import(project: Project) -> None:
    content = "id,text,who,label\na,One.,p1,1\na,One.,p2,0\na,One.,p3,2\n"
    together = first(make_project("together", seats=3), content)
    apart = first(project)
    read(project, content)
    apart.refresh_from_db()
    facts = ("stage", "level", "hateful", "aligned", "taken", "seats", "pattern")
    assert {name: getattr(apart, name) for name in facts} == {name: getattr(together, name) for name in facts}
    for name in ("number", "seats"):
        numbers = [
            list(Seat.objects.filter(item=one).order_by("number").values_list(name, flat=True))
            for one in (apart, together)
        ]
        assert numbers[0] == numbers[1]


def test_whoever_labelled_the_post_is_told_and_not_overwritten(project: Project) -> None:
    item = first(project)
    report = read(project, "id,who,label\na,p1,2\na,p2,0\n")
    assert report.errors == [] and report.not_counted == {"labelled already": 1}
    assert labels(item) == {"p1": 1, "p2": 0}
    again = read(project, "id,who,label\na,p1,2\na,p2,0\n")
    assert (again.labels, again.items, again.unchanged, again.not_counted) == (0, 0, 1, {"labelled already": 2})


def test_labels_without_a_seat_are_told(project: Project) -> None:
    item = first(project)
    report = read(project, "id,who,label\n" + "".join(f"a,q{n},1\n" for n in range(4)))
    assert (report.labels, report.not_counted) == (2, {"no free seat": 2})
    assert read(project, "id,who,label\na,q9,1\n").not_counted == {"no free seat": 1}
    assert labels(item) == {"p1": 1, "q0": 1, "q1": 1}


def test_a_held_seat_stays_with_whoever_holds_it(project: Project) -> None:
    item, member = make_open_item(project, "One.", external_id="a"), make_member(project)
    Seat.objects.filter(item=item, number=1).update(annotator=member)
    Item.objects.filter(pk=item.pk).update(taken=1)
    report = read(project, "id,who,label\na,p1,1\na,p2,1\na,p3,1\n")
    assert (report.labels, report.not_counted) == (2, {"no free seat": 1})
    assert Seat.objects.get(item=item, number=1).annotator == member
    item.refresh_from_db()
    assert (item.taken, item.stage) == (3, Stage.LABELLING)


@pytest.mark.parametrize("stage", [Stage.IMPORTED, Stage.READY])
def test_a_post_that_waits_is_opened_as_by_an_import_with_labels(project: Project, stage: Stage) -> None:
    item = make_item(project, "One.", external_id="a", stage=stage)
    assert read(project, "id,who,label\na,p1,1\n").labels == 1
    item.refresh_from_db()
    assert (item.stage, item.taken) == (Stage.LABELLING, 1) and Seat.objects.filter(item=item).count() == 3


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        ("id,who,label\nb,p1,1\n", "unknown_id", "The project has no item b; import it first."),
        ("id,text,who,label\na,Two.,p2,1\n", "contradiction", "The item a has another text."),
        ("id,who,label\na,p2,99\n", "unknown_label", "'99' is no category"),
        ("id,who,label\na,p2,1\na,p2,0\n", "duplicate_annotator", "Say which label counts"),
        ("id,who,mark\na,p2,Racist\n", "missing_column", "There is no column 'label'"),
    ],
)
def test_what_does_not_fit_is_an_error_and_nothing_is_stored(
    project: Project, content: str, code: str, words: str
) -> None:
    item = first(project)
    report = read(project, content)
    assert [error.code for error in report.errors] == [code] and words in report.errors[0].reason
    assert labels(item) == {"p1": 1} and not Membership.objects.filter(imported_name="p2").exists()


def test_columns_that_look_like_labels_stop_it_too(project: Project) -> None:
    item = first(project)
    report = read(project, "id,hate,x\na,Racist,2\n", Mapped())
    assert [error.code for error in report.errors] == ["unused_labels"] and labels(item) == {"p1": 1}


def test_a_dry_run_stores_nothing(project: Project) -> None:
    item = first(project)
    report = read(project, "id,who,label\na,p2,0\na,p3,1\n", dry_run=True)
    assert (report.labels, report.items, report.stored) == (2, 1, False)
    item.refresh_from_db()
    assert labels(item) == {"p1": 1} and item.stage == Stage.LABELLING
    assert not Membership.objects.filter(imported_name="p2").exists()


def test_bad_rows_may_be_left_out(project: Project) -> None:
    item = first(project)
    assert read(project, "id,who,label\na,p2,0\nb,p2,1\n", leave_out=True).stored
    assert labels(item) == {"p1": 1, "p2": 0}


OTHER_SHAPES: dict[str, tuple[str, Mapped]] = {
    "a column an annotator": ("id,p2,p3\na,0,1\n", Mapped(raters=("p2", "p3"))),
    "a list": (
        json.dumps({"id": "a", "labels": [{"annotator": "p2", "category": 0}, {"annotator": "p3", "category": 1}]}),
        Mapped(),
    ),
    "a column a category": (
        "id,who,racist,clean\na,p2,0,1\na,p3,1,0\n",
        replace(LONG, label="", category_columns={"racist": "", "clean": "0"}),
    ),
    "nested": (
        json.dumps({"id": "a", "votes": [0, 1], "people": ["p2", "p3"]}), Mapped(label="votes[]", annotator="people[]")
    ),
    "Argilla": (
        json.dumps([{"id": "a", "fields": {"text": "One."}, "responses": [
            {"user_id": who, "status": "submitted", "values": {"label": {"value": code}}}
            for who, code in (("p2", 0), ("p3", 1))]}]),
        Mapped(),
    ),
    "MTurk": (
        "HITId,WorkerId,AssignmentStatus,Input.text,Answer.label\na,p2,Approved,One.,0\na,p3,Approved,One.,1\n"
        "a,p4,Rejected,One.,1\n", Mapped(),
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", OTHER_SHAPES)
def test_all_shapes_of_labels_may_be_added(project: Project, shape: str) -> None:
    item = first(project)
    report = read(project, *OTHER_SHAPES[shape])
    assert report.errors == [] and labels(item) == {"p1": 1, "p2": 0, "p3": 1}


def test_the_audit_finds_nothing_wrong_with_posts_that_got_labels(project: Project) -> None:
    first(project, "id,text,who,label\na,a.,p1,1\nb,b.,p1,0\nc,c.,p1,1\nd,d.,p1,2\n")
    make_item(project, "e.", external_id="e")
    more = {"a": (1, 1), "b": (1, 2), "c": (0,), "d": (2, 2), "e": (0, 0, 0)}
    rows = [f"{item},q{n},{code}\n" for item, codes in more.items() for n, code in enumerate(codes)]
    assert read(project, "id,who,label\n" + "".join(rows)).labels == 10
    assert audit(project) == []
    stages = dict(Item.objects.values_list("external_id", "stage"))
    assert stages == {"a": "gold", "b": "disputed", "c": "labelling", "d": "gold", "e": "gold"}


def by_command(path: Path, client: Client) -> None:
    call_command(
        "import_items", "garden", str(path), "--update", "labels", "--label-column", "label",
        "--annotator-column", "who", stdout=io.StringIO(),
    )  # fmt: skip


def by_page(path: Path, client: Client) -> None:
    client.force_login(make_member(Project.objects.get(), Role.ADMIN).user)
    fields = {"update": "labels", "label_column": "label", "annotator_column": "who"}
    file = SimpleUploadedFile("x.csv", path.read_bytes())
    client.post(reverse("annotation:import", args=["garden"]), {"file": file, **fields})
    args = ["garden", Import.objects.get().public_id]
    page = client.get(reverse("annotation:import-show", args=args)).content.decode()
    assert "Add the labels to 1 item" in page and "of people who labelled the post already" in page
    client.post(reverse("annotation:import-act", args=args), {"do": "store"})
    assert "1 item has new labels" in client.get(reverse("annotation:import-show", args=args)).content.decode()


def by_api(path: Path, client: Client) -> None:
    client.force_login(make_member(Project.objects.get(), Role.ADMIN).user)
    rows = [
        {"id": "a", "labels": [{"annotator": who, "category": code} for who, code in (("p1", 1), ("p2", 1), ("p2", 0))]}
    ]
    address = "/api/v1/projects/garden/import/"
    refused = client.post(address, {"rows": rows, "update": "labels"}, "application/json")
    assert refused.status_code == 400 and refused.json()["code"] == "duplicate_annotator"
    answer = client.post(address, {"rows": rows, "update": "labels", "twice": "last"}, "application/json")
    assert answer.status_code == 201, answer.content
    assert answer.json()["not_counted"] == {"twice": 1, "labelled already": 1}


@pytest.mark.parametrize("add", [by_command, by_page, by_api])
def test_the_command_the_page_and_the_api_add_labels(
    project: Project, tmp_path: Path, client: Client, add: Callable[[Path, Client], None]
) -> None:
    item = first(project)
    path = tmp_path / "more.csv"
    path.write_text("id,who,label\na,p1,1\na,p2,0\n")
    add(path, client)
    assert labels(item) == {"p1": 1, "p2": 0}
