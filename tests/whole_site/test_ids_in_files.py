"""An id of another project inside a file is what a made-up one is (threat T40).

Each file is sent three times, or given to a command, and undone: with what names an object of the own project, with
what names one of the other project, and with what names nothing. The last two have the same result, byte for byte, on
the page that follows too; no row points to the other project, and nothing of it changes. What names an object in a
query, a form or a body is in `tests/support/named_objects.py`.
"""

import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import unified_diff
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from string import ascii_lowercase, digits
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command, get_commands, load_command_class
from django.db import transaction
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.urls import reverse
from PIL import Image

import builders
from annotation.domain.choices import Stage
from annotation.domain.glossary.entry import key_of
from annotation.imports.options import Update
from annotation.models import GlossaryEntry, Import, Item, Membership, Picture
from generation.models import Exemplar
from injection_models import entry as plan_entry
from named_objects import annotator, candidate, gold_id, pool, posts_batch, pseudonym, run
from site_objects import D, World, the_group_list, the_perspective
from two_projects import FOREIGN, UUIDS, Answer, Both, both, by_page, changes, crossing, module_both, rows_of
from upload_ways import WAYS

pytestmark = [pytest.mark.django_db, pytest.mark.once]

__all__ = ["both", "module_both"]

Value = Callable[[World], str]
Content = Callable[[World, Sequence[str]], bytes]
IMPORT, PLAN = "annotation/imports/views.py:imports", "generation/injection/views_plan.py:read_file"
GLOSSARY, SPLIT = "annotation/glossary/views.py:import_file", "annotation/releases/views.py:releases"
STUDY = "moderation/studies/views.py:start_study"


@dataclass(frozen=True)
class InFile:
    """Places of a file that can name objects: the view that takes the file, the objects' names, and the content.

    `is_new`: such a name is that of something new, or of nothing, whatever it is in another project.
    """

    way: str
    place: str
    values: Sequence[Value]
    content: Content
    name: str = "a.jsonl"
    fields: Mapping[str, Any] = field(default_factory=dict)
    is_new: bool = False

    def __str__(self) -> str:
        return f"{self.way.partition(':')[2]} {self.place}"


# ── What can be named ─────────────────────────────────────────────────────────


def plain_item(world: World) -> str:
    """Return the id of a post that lacks what an update fills in."""
    name = f"plain-{world.number}"
    if not Item.objects.filter(project=world.project, external_id=name).exists():
        fields = {"picture_name": "a.png", "picture_missing": True}
        builders.make_item(world.project, stage=Stage.READY, external_id=name, **fields)
    return name


def canary_item(world: World) -> str:
    return str(Item.objects.get(pk=world.item.pk).external_id)


def picture_file(world: World) -> str:
    return str(Picture.objects.get(pk=world.picture.pk).file.name)


def picture_sha(world: World) -> str:
    return str(Picture.objects.get(pk=world.picture.pk).sha256)


def picture_id(world: World) -> str:
    return str(world.picture.public_id)


def imported(world: World) -> str:
    """Return the name that a data set gave one of its annotators."""
    name = f"labeller-{world.number}"
    fields = {"pseudonym": f"imported-{world.number}00", "active": False}
    Membership.objects.get_or_create(project=world.project, imported_name=name, defaults=fields)
    return name


def user_name(world: World) -> str:
    user = world.other.user
    assert user is not None
    user.refresh_from_db()
    return str(user.username)


def slug(world: World) -> str:
    return str(world.project.slug)


def group_list(world: World) -> str:
    return str(the_group_list(world)["name"])


def perspective(world: World) -> str:
    return str(the_perspective(world)["code"])


def the_term(world: World) -> str:
    """Return a term of the glossary."""
    term = f"weed-{world.number}"
    GlossaryEntry.objects.get_or_create(project=world.project, term=term, key=key_of(term), meaning="A plant.")
    return term


def picture() -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (64, 48), "teal").save(out, "PNG")
    return out.getvalue()


# ── Files ─────────────────────────────────────────────────────────────────────


def row(**columns: Any) -> bytes:
    return (json.dumps(columns) + "\n").encode()


def row_of(name: str, **others: Any) -> Content:
    """Return a function that gives a row with the value in the column of this name."""
    return lambda _world, values: row(**{name: values[0]}, **others)


def a_new_row(_world: World, values: Sequence[str]) -> bytes:
    """Return a row that names something in every column that holds a name."""
    named = dict(zip(NEW, values, strict=True))
    return row(text="A weed.", **named, provenance={"run": values[0], "item": values[1]})


def labels(_world: World, values: Sequence[str]) -> bytes:
    """Return a row for each annotator, with their label."""
    return b"".join(
        row(id=f"new-row-{number}", text=f"Weed {number}.", labels=[{"annotator": name, "category": 1}])
        for number, name in enumerate(values)
    )


def zipped(_world: World, values: Sequence[str]) -> bytes:
    """Return an archive with the picture of a post."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("rows.jsonl", row(id=values[0], image="a.png"))
        archive.writestr("a.png", picture())
    return out.getvalue()


def a_plan(_world: World, values: Sequence[str]) -> bytes:
    return json.dumps([plan_entry(pool=values[0])]).encode()


def a_split_list(_world: World, values: Sequence[str]) -> bytes:
    return f"{values[0]},test\n".encode()


def a_study(place: str) -> Content:
    """Return a function that gives a study of the own project, with the value in one place."""

    def content(world: World, values: Sequence[str]) -> bytes:
        own = {"project": slug(world), "without": perspective(world), "list": group_list(world), place: values[0]}
        text = f"""title = "A study"
            [data]
            project = "{own["project"]}"
            [[arms]]
            methods = ["predict"]
            without = ["{own["without"]}"]
            [scores]
            estimator = "keyword"
            list = "{own["list"]}"
            """
        return text.encode()

    return content


FILLS: Mapping[str, Content] = {
    "images": zipped,
    "priors": row_of("id", text_label=1, text_explanation="It insults."),
    "intended": row_of("id", intended=1),
    "known": row_of("id", known_category=1, known_explanation="It insults."),
    "picture_text": row_of("id", picture_text="Weeds"),
}
NEW: Mapping[str, Value] = {
    "id": canary_item,
    "image": picture_file,
    "batch": posts_batch,
    "target_group": group_list,
    "source": slug,
    "licence": run,
    **dict.fromkeys(("image_sha256", "image_sha256_original", "image_sha256_released"), picture_sha),
    "image_path": picture_file,
}
SPLITS = {"key": "b7a3b1d4-4a53-4a43-9d4c-3d7c2f6f1a11", "formats": "csv", "splits": "80/10/10"}
IN_FILES = (
    *(
        InFile(
            IMPORT,
            f"id of an update of {gap}",
            (plain_item,),
            content,
            "a.zip" if gap == "images" else "a.jsonl",
            {"update": Update.FILL.value},
        )
        for gap, content in FILLS.items()
    ),
    InFile(IMPORT, "columns of a new row", tuple(NEW.values()), a_new_row, is_new=True),
    InFile(IMPORT, "annotators", (imported, pseudonym, user_name, annotator), labels, is_new=True),
    *(
        InFile(IMPORT, f"{kind} as a picture", (name,), row_of("image", id="new-row", text="A weed."), is_new=True)
        for kind, name in (("a SHA-256", picture_sha), ("a public id", picture_id))
    ),
    InFile(GLOSSARY, "term", (the_term,), row_of("term", meaning="A plant.")),
    InFile(GLOSSARY, "source", (run,), row_of("source", term="sprout", meaning="A plant."), is_new=True),
    InFile(SPLIT, "id", (gold_id,), a_split_list, "a.csv", SPLITS, is_new=True),
    InFile(STUDY, "data.project", (slug,), a_study("project"), "a.toml"),
    InFile(STUDY, "arms.without", (perspective,), a_study("without"), "a.toml"),
    InFile(STUDY, "scores.list", (group_list,), a_study("list"), "a.toml"),
    InFile(PLAN, "pool", (pool,), a_plan, "a.json"),
)
NO_IDS = {
    "annotation/projects/views_design.py:read_file",  # categories and questions: codes of the file itself
    "annotation/projects/views_lifecycle.py:new",
    "generation/injection/views_material.py:add_files",  # pictures
    "moderation/desk/views_actions.py:values",  # words
    "moderation/evidence/views_documents.py:documents",
    "moderation/hatexscore/views.py:add_list",
    "moderation/perspectives/views.py:import_file",  # texts and their labels, for the perspective of the address
}
"""Views that take files in which nothing names an object."""


def test_every_view_that_takes_files_is_tried_or_takes_no_ids():
    assert {case.way for case in IN_FILES} | NO_IDS == WAYS.keys()
    assert not {case.way for case in IN_FILES} & NO_IDS


FORM = "application/x-www-form-urlencoded"


_OTHERS = str.maketrans(ascii_lowercase + digits, ascii_lowercase[13:] + ascii_lowercase[:13] + digits[5:] + digits[:5])
"""For each letter and each digit another one: what differs still differs."""


def made_up(value: str) -> str:
    """Return a value of the same form and length that names nothing: another one for each value.

    It begins with the same letter, so that a list in order of the alphabet has it at much the same place.
    """
    if UUIDS.fullmatch(value):
        return str(uuid4())
    if re.fullmatch("[0-9a-f]{64}", value):
        return sha256(value.encode()).hexdigest()
    folder, slash, name = value.rpartition("/")
    stem, dot, ending = name.partition(".")
    return f"{folder}{slash}{stem[:1]}{stem[1:].translate(_OTHERS)}{dot}{ending}"


# ── Sending ───────────────────────────────────────────────────────────────────


_NEW_EACH_TIME = re.compile(r"\d\.\d s|[0-9a-f]{64}|[0-9a-f]{2,12}…[0-9a-f]*")
"""How long a check took, and digests of a file."""


def send(case: InFile, both: Both, values: Sequence[str]) -> tuple[list[str], list[str]]:
    """Send the file, store what a check of it would store, and undo it.

    Return the lines of all answers, without the values, and what points to the other project.
    """
    way = WAYS[case.way]
    upload = SimpleUploadedFile(case.name, case.content(both.here, values))
    body = encode_multipart(BOUNDARY, {**way.fields, **case.fields, way.field: upload})
    visitor = by_page(FOREIGN[D], both)
    with transaction.atomic():
        answers = [visitor.ask("post", both.address(way.page, "here"), body, MULTIPART_CONTENT)]
        if case.way == IMPORT:
            row = Import.objects.filter(project=both.here.project).latest("pk")
            answers.append(visitor.ask("post", reverse("annotation:import-act", args=["here", row.public_id]), *STORE))
        if answers[-1].to:
            answers.append(visitor.ask("get", answers[-1].to.partition("#")[0]))
        # A name of something new is stored as it is written.
        pointing = sorted({*crossing(both)} - {*values})
        leaks = [leak for answer in answers for leak in both.leaks(bare(answer, values), "")]
        transaction.set_rollback(True)
    return [line for answer in answers for line in lines_of(bare(answer, values))], pointing + leaks


STORE = ("do=store", "application/x-www-form-urlencoded")


def bare(answer: Answer, values: Sequence[str]) -> Answer:
    """Return the answer without the values, whole or cut."""
    for value in sorted(values, key=len, reverse=True):
        answer = answer.without(value).without(f"{value[:39]}…")
    return answer


def lines_of(answer: Answer) -> list[str]:
    text = _NEW_EACH_TIME.sub("", answer.content.decode())
    return [str(answer.status), answer.to, *text.splitlines()]


@pytest.mark.parametrize("case", IN_FILES, ids=str)
def test_an_id_of_another_project_in_a_file_is_a_made_up_one(case: InFile, both: Both):
    own, foreign = ([value(world) for value in case.values] for world in (both.here, both.elsewhere))
    assert not {*own} & {*foreign}
    nothing, before = [made_up(value) for value in foreign], rows_of(both.elsewhere.project)
    accepted, _pointing = send(case, both, own)
    with_foreign, pointing = send(case, both, foreign)
    with_nothing, _pointing = send(case, both, nothing)
    assert list(unified_diff(with_nothing, with_foreign, n=0)) == []
    assert case.is_new or accepted != with_nothing
    assert pointing == []
    assert changes(before, rows_of(both.elsewhere.project)) == []


# ── Commands ──────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class InCommand:
    """Places of a file that can name objects: the command, the objects' names, the content, and what follows the slug.

    In `arguments` stand FILE for the file, and OUT for a new folder. `is_new` as above.
    """

    command: str
    place: str
    values: Sequence[Value]
    content: Content
    name: str = "a.jsonl"
    arguments: Sequence[str] = ("FILE",)
    is_new: bool = False

    def __str__(self) -> str:
        return f"{self.command} {self.place}"


def exemplar(world: World) -> str:
    """Return the id of a human reply."""
    name = f"exemplar-{world.number}"
    fields = {"hate": "Weeds.", "text": "Let them grow.", "intent": "positive", "source": "a book"}
    Exemplar.objects.get_or_create(project=world.project, external_id=name, defaults=fields)
    return name


def answered_item(world: World) -> str:
    """Return the id of a post that has a reply of a model."""
    candidate(1)(world)
    return canary_item(world)


REPLY = {"hatespeech": "Weeds.", "counterspeech": "Let them grow.", "csType": "Positive"}
COMMAND_OF = {IMPORT: "import_items", GLOSSARY: "import_glossary", SPLIT: "release", PLAN: "inject"}
"""Commands that read what a page takes, by the same functions: one kind of place of each is tried, of posts two."""
ARGUMENTS: Mapping[str, Sequence[str]] = {
    "release": ("--out", "OUT", "--splits", "80/10/10", "--split-list", "FILE"),
    "inject": ("--plan", "FILE"),
}
IN_COMMANDS = (
    *(
        InCommand(
            command := COMMAND_OF[case.way],
            case.place,
            case.values,
            case.content,
            case.name,
            (*ARGUMENTS.get(command, ("FILE",)), *(("--update", "fill") if "update" in case.fields else ())),
            case.is_new,
        )
        for case in IN_FILES
        if case.way in COMMAND_OF and case.place in ("id of an update of images", "annotators", "term", "id", "pool")
    ),
    InCommand("import_counterspeech", "id", (exemplar,), row_of("id", **REPLY)),
    InCommand("evaluate_counterspeech", "id", (answered_item,), row_of("id", **REPLY)),
)
NO_IDS_FOR_COMMANDS = {
    "check_release",  # the folder of a release, without the database
    "create_project", "design",  # categories and questions: codes of the file itself
    "evaluate", "import_examples", "hatexscore",  # texts and their labels
    "glossary_find", "mask_check",  # texts, and ids that are repeated
    "picture_pool",  # pictures
    "backup", "export_training",  # write files
    "migrate", "restore",  # the whole database
    "read_page",  # what a page of the web says
    "study",  # names the project itself: who gives commands has all of them
}  # fmt: skip
"""Commands whose help speaks of files, and in which nothing names an object of one project."""


def test_every_command_that_reads_a_file_is_tried_or_reads_no_ids():
    reading = set()
    for name, app in get_commands().items():
        if app in ("annotation", "config", "generation", "moderation"):
            words = load_command_class(app, name).create_parser("manage.py", name).format_help()
            reading |= {name} if re.search(r"FILE|\b(file|folder|plan)\b", words) else set()
    assert {case.command for case in IN_COMMANDS} | NO_IDS_FOR_COMMANDS == reading


def give(case: InCommand, both: Both, values: Sequence[str], folder: Path) -> tuple[list[str], list[str]]:
    """Give the command the file, and undo it. Return the lines of its answer, and what points to the other project."""
    (folder / case.name).write_bytes(case.content(both.here, values))
    places = {"FILE": str(folder / case.name), "OUT": str(folder / "out")}
    out = io.StringIO()
    with transaction.atomic():
        try:
            call_command(case.command, "here", *(places.get(word, word) for word in case.arguments), stdout=out)
        except (CommandError, SystemExit) as fault:
            out.write(str(fault))
        pointing = sorted({*crossing(both)} - {*values})
        transaction.set_rollback(True)
    rmtree(folder / "out", ignore_errors=True)
    text = out.getvalue()
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, "").replace(f"{value[:39]}…", "")
    return _NEW_EACH_TIME.sub("", UUIDS.sub("", text)).splitlines(), pointing


@pytest.mark.parametrize("case", IN_COMMANDS, ids=str)
def test_an_id_of_another_project_in_a_file_of_a_command_is_a_made_up_one(case: InCommand, both: Both, tmp_path: Path):
    own, foreign = ([value(world) for value in case.values] for world in (both.here, both.elsewhere))
    nothing, before = [made_up(value) for value in foreign], rows_of(both.elsewhere.project)
    accepted, _pointing = give(case, both, own, tmp_path)
    with_foreign, pointing = give(case, both, foreign, tmp_path)
    with_nothing, _pointing = give(case, both, nothing, tmp_path)
    assert with_foreign == with_nothing != []
    assert case.is_new or accepted != with_nothing
    assert pointing == []
    assert changes(before, rows_of(both.elsewhere.project)) == []
