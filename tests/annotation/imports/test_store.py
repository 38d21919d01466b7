"""What an import stores: items, labels that close them, gold, priors, intents, pictures; and what it refuses."""

import io
import json
import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase
from PIL import Image

import builders
from annotation.consensus.close import close_item
from annotation.domain.choices import Policy, Reason, SourceLabels, Stage
from annotation.domain.formats.base import Format, LabelUse, Mapped
from annotation.domain.masking.mask import Mask
from annotation.imports.options import BadUpdate, ImportOptions, Update, read_update
from annotation.imports.report import ImportReport
from annotation.imports.run import import_file
from annotation.models import Adjudication, Event, Item, Label, Membership, Picture, Prior, Project, Seat

SEATS = ImportOptions()


def imported(project: Project, rows: Sequence[dict[str, Any]] | str | bytes, **options: Any) -> ImportReport:
    """Import rows of our own names, or a file's content."""
    how = {name: options.pop(name) for name in ("images", "dry_run", "watch") if name in options}
    if isinstance(rows, str):
        content = rows.encode()
    elif isinstance(rows, bytes):
        content = rows
    else:
        content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    return import_file(project, io.BytesIO(content), ImportOptions(**options), **how)


def codes(report: ImportReport) -> list[tuple[int, str]]:
    return [(error.line, error.code) for error in report.errors]


def labels(*said: int | str | None, **more: Any) -> list[dict[str, Any]]:
    """Labels by a1, a2 …; None is not sure."""
    return [
        {"annotator": f"a{number}", **({"not_sure": True} if each is None else {"category": each}), **more}
        for number, each in enumerate(said, start=1)
    ]


def picture(colour: str = "green") -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (40, 30), colour).save(out, "PNG")
    return out.getvalue()


@pytest.fixture
def project(db: None) -> Project:
    return builders.make_project("garden")


# ── Labels, gold, intents ─────────────────────────────────────────────────────


def test_k_labels_close_the_item_and_fewer_fill_seats(project: Project) -> None:
    report = imported(
        project, [{"id": "a", "text": "x", "labels": labels(1, 1, 0)}, {"id": "b", "text": "y", "labels": labels(1)}]
    )
    closed, begun = Item.objects.order_by("external_id")
    assert (report.items, report.labels, report.annotators) == (2, 4, 3)
    assert (closed.stage, closed.level, closed.category.code) == ("gold", "weak", 1)
    assert closed.category_source == "consensus"
    assert (begun.stage, begun.level, begun.taken) == ("labelling", None, 1)
    assert [seat.annotator_id is None for seat in begun.seat_rows.order_by("number")] == [False, True, True]
    assert set(Membership.objects.filter(user=None).values_list("imported_name", flat=True)) == {"a1", "a2", "a3"}


def test_more_labels_than_seats_are_an_error_unless_the_data_says(project: Project) -> None:
    rows = [{"id": "a", "text": "x", "labels": labels(1, 1, 0, 0, 1)}]
    assert codes(imported(project, rows)) == [(1, "too_many_labels")]
    assert imported(project, rows, seats_from_data=True).stored
    item = Item.objects.get()
    assert (item.seats, item.stage, item.level) == (5, "gold", "weak")


def test_a_label_keeps_what_was_said_with_it(project: Project) -> None:
    said = labels(1, 1, note="hm", seconds=8.5, at="2026-01-01T00:00:00Z", target_group="gardeners")
    said.append({"annotator": "a3", "low_quality": True, "challenges": [{"modality": "text", "category": "Racist"}]})
    imported(project, [{"id": "a", "text": "x", "text_label": 0, "labels": said}])
    first, _, third = Label.objects.order_by("pk")
    assert (first.note, first.seconds, first.created_at, first.target_group, first.imported) == (
        "hm",
        8.5,
        datetime(2026, 1, 1, tzinfo=UTC),
        "gardeners",
        True,
    )
    assert (third.category, third.low_quality) == (None, True)
    assert third.challenges == [{"modality": "text", "category": 1, "hateful": True}]


def test_gold_without_labels_is_imported_gold_without_a_level(project: Project) -> None:
    imported(project, [{"id": "a", "text": "x", "gold": "Sexist", "text_label": 0, "image_label": 0, "intended": 1}])
    item = Item.objects.get()
    assert (item.stage, item.category_source, item.level, item.category.code) == ("gold", "imported", None, 2)
    assert (item.pattern, item.difficulty, item.hateful, item.aligned) == ("001", "hard", True, False)
    assert item.seat_rows.count() == 0


def test_gold_that_the_labels_do_not_say_needs_a_person_and_a_reason(project: Project) -> None:
    row = {"id": "a", "text": "x", "labels": labels(1, 1, 0), "gold": 0}
    assert codes(imported(project, [row])) == [(1, "gold_contradicts_labels")]
    assert codes(imported(project, [row | {"source": "adjudicated"}])) == [(1, "missing_rationale")]
    assert imported(project, [row | {"source": "adjudicated", "rationale": "It quotes a sign."}]).stored
    item = Item.objects.get()
    assert (item.stage, item.category.code, item.category_source, item.level) == ("gold", 0, "adjudicated", "weak")
    assert Adjudication.objects.get().rationale == "It quotes a sign."


def test_gold_that_the_labels_say_is_their_consensus(project: Project) -> None:
    assert imported(project, [{"id": "a", "text": "x", "labels": labels(1, 1, 0), "gold": "Racist"}]).stored
    assert Item.objects.get().category_source == "consensus"


def test_gold_beside_some_labels_is_an_error(project: Project) -> None:
    row = {"id": "a", "text": "x", "labels": labels(1), "gold": 1}
    assert codes(imported(project, [row])) == [(1, "gold_with_open_seats")]


def test_source_labels_as_intents_keep_unanimous_items_and_count_the_others(project: Project) -> None:
    rows = [
        {"id": "a", "text": "x", "labels": labels(1, 1, 1)},
        {"id": "b", "text": "y", "labels": labels(1, 1, 0)},
        {"id": "c", "text": "z", "labels": labels(0, None, 0)},
        {"id": "d", "text": "w", "labels": labels(0, 0)},
    ]
    report = imported(project, rows, source_labels=SourceLabels.INTENDED)
    assert (report.items, report.dropped, report.labels, report.annotators) == (2, 2, 0, 0)
    item = Item.objects.get(external_id="a")
    assert (item.intended.code, item.stage, item.seat_rows.count()) == (1, "ready", 0)
    assert item.provenance["source_votes"][0] == {"annotator": "a1", "category": 1}


def test_a_file_that_only_knows_hateful_or_not_sets_the_binary_intent(project: Project) -> None:
    rows = [{"id": n, "img": f"img/{n}.png", "label": label, "text": "x"} for n, label in ((1, 1), (2, 0))]
    assert imported(project, rows).format == Format.HATEFUL_MEMES
    intents = Item.objects.order_by("pk").values_list("intended", "intended_hateful")
    assert list(intents) == [(None, True), (None, False)]
    as_gold = ImportOptions(mapped=Mapped(label_is=LabelUse.GOLD))
    report = import_file(project, io.BytesIO(json.dumps(rows[0] | {"id": 3}).encode()), as_gold)
    assert codes(report) == [(1, "binary_label")]


def test_a_binary_project_takes_hateful_or_not_as_gold(db: None) -> None:
    project = builders.make_project("two", categories=((0, "fine", False), (1, "mean", True)))
    row = {"id": 1, "img": "img/1.png", "label": 1, "text": "x"}
    assert imported(project, [row], mapped=Mapped(label_is=LabelUse.GOLD)).stored
    assert Item.objects.get().category.name == "mean"


def test_a_table_of_any_shape_comes_in_by_its_columns(project: Project) -> None:
    mapped = Mapped(text="remark", label="verdict", values={"bad": "Racist", "fine": "not_hateful"})
    report = imported(project, "remark,verdict,shade\nWeeds,bad,1\nRoses,fine,2\n", mapped=mapped)
    first, second = Item.objects.order_by("pk")
    assert (report.passed_over, report.kept, first.extra) == ([], ["shade"], {"shade": "1"})
    assert (first.intended.code, second.intended, second.intended_hateful) == (1, None, False)
    assert first.external_id.endswith("-2")
    again = imported(project, "remark,verdict,shade\nWeeds,bad,1\nRoses,fine,2\n", mapped=mapped)
    assert codes(again) == [(2, "id_exists"), (3, "id_exists")]


def test_items_wait_for_priors_only_where_the_project_wants_them(db: None) -> None:
    project = builders.make_project("waits", priors_wanted=True)
    imported(project, [{"id": "a", "text": "x"}, {"id": "b", "text": "y", "text_label": 0}])
    assert list(Item.objects.order_by("external_id").values_list("stage", flat=True)) == ["imported", "ready"]


def test_a_homophobe_is_homophobic_also_where_the_alias_was_not_written_down(project: Project) -> None:
    record = {"final_label": 3, "final_label_str": "Homophobe", "tweet_text": "x", "text_label": 0, "image_label": 0}
    imported(project, json.dumps({"00001": record | {"image_path": "imgs/1.png", "type": "001", "difficulty": "hard"}}))
    assert Item.objects.get().category.name == "Homophobic"


def test_a_pattern_that_the_labels_do_not_give_is_an_error_with_its_id(project: Project) -> None:
    record = {"final_label": 1, "tweet_text": "x", "text_label": 0, "image_label": 0, "image_path": "a.png"}
    report = imported(project, json.dumps({"00007": record | {"type": "000", "difficulty": "easy"}}))
    assert codes(report) == [(1, "contradiction")]
    assert "00007" in report.errors[0].reason


def test_mmhs_labels_come_by_position_and_addresses_are_kept_and_not_fetched(project: Project) -> None:
    record = {"tweet_text": "x", "labels": [1, 1, 0], "img_url": "http://example.org/a.jpg", "tweet_url": "http://t"}
    report = imported(project, json.dumps({"1114679353714016256": record}))
    item = Item.objects.get()
    assert (report.format, item.picture_name, item.picture_missing) == (
        Format.MMHS150K,
        "img_resized/1114679353714016256.jpg",
        True,
    )
    assert item.extra == {"img_url": "http://example.org/a.jpg", "tweet_url": "http://t"}
    assert item.level == "weak"


# ── Bulk is one by one ────────────────────────────────────────────────────────

CATEGORY = st.sampled_from([0, 1, 2, 3])
CHALLENGE = st.fixed_dictionaries({"modality": st.sampled_from(["text", "image"]), "hateful": st.booleans()})
SAID = st.one_of(
    st.fixed_dictionaries({"category": CATEGORY, "challenges": st.lists(CHALLENGE, max_size=1)}),
    st.fixed_dictionaries({"category": CATEGORY, "low_quality": st.just(True)}),
    st.just({"not_sure": True}),
    st.just({"low_quality": True}),
)
ROW = st.fixed_dictionaries(
    {"labels": st.lists(SAID, min_size=3, max_size=3)},
    optional={
        "intended": CATEGORY,
        "text_label": CATEGORY,
        "image_label": CATEGORY,
    },
)
OUTCOME = (
    *("stage", "seats", "taken", "level", "category__code", "hateful", "category_source", "aligned", "pattern"),
    *("difficulty", "excluded_for", "version"),
)


class BulkIsOneByOne(TestCase):
    @settings(max_examples=20)  # on two databases
    @given(
        rows=st.lists(ROW, min_size=1, max_size=6),
        policy=st.sampled_from(list(Policy)),
        threshold=st.sampled_from([1, 2]),
        extra=st.sampled_from([0, 2]),
    )
    def test_labels_in_a_file_end_where_the_same_labels_given_one_by_one_end(
        self, rows: list[dict[str, Any]], policy: Policy, threshold: int, extra: int
    ) -> None:
        rules = {"policy": policy, "low_quality_threshold": threshold, "extra_seats": extra}
        bulk, single = builders.make_project(**rules), builders.make_project(**rules)
        file = [
            row | {"id": f"r{n}", "text": f"Post {n}", "labels": named(row["labels"])} for n, row in enumerate(rows)
        ]
        assert imported(bulk, file).stored
        for row in file:
            one_by_one(single, row)
        assert found(bulk) == found(single)


def named(said: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [each | {"annotator": f"a{number}"} for number, each in enumerate(said)]


def one_by_one(project: Project, row: dict[str, Any]) -> None:
    """The same item by single rows and `close_item`, as the last label given in a browser closes it."""
    by_code = {category.code: category for category in project.categories.all()}
    item = builders.make_open_item(
        project, row["text"], external_id=row["id"], intended=by_code.get(row.get("intended", -1)), taken=3
    )
    for modality in ("text", "image"):
        if (code := row.get(f"{modality}_label")) is not None:
            Prior.objects.create(item=item, modality=modality, category=by_code[code], hateful=by_code[code].hateful)
    people = [
        Membership.objects.get_or_create(
            project=project, imported_name=each["annotator"], defaults={"pseudonym": each["annotator"]}
        )[0]
        for each in row["labels"]
    ]
    for seat, person, said in zip(item.seat_rows.order_by("number"), people, row["labels"], strict=True):
        label = Label.objects.create(
            seat=seat,
            item=item,
            annotator=person,
            category=by_code.get(said.get("category", -1)),
            not_sure=said.get("not_sure", False),
            low_quality=said.get("low_quality", False),
            challenges=[each | {"category": None} for each in said.get("challenges", [])],
        )
        Seat.objects.filter(pk=seat.pk).update(annotator=person, label=label)
    close_item(item)


def found(project: Project) -> list[Any]:
    """Everything that closing leaves behind, item by item."""
    items = Item.objects.filter(project=project).order_by("external_id")
    return [
        (
            items.filter(pk=item.pk).values_list(*OUTCOME)[0],
            item.closed_at is not None,
            item.gold_at is not None,
            sorted(item.disputes.values_list("reason", "settled_at")),
            list(item.seat_rows.order_by("number").values_list("number", "seats", "round", "label__category__code")),
            list(item.labels.order_by("pk").values_list("category__code", "not_sure", "low_quality", "challenges")),
            list(item.priors.order_by("-modality").values_list("modality", "state", "category__code", "hateful")),
            [(event.verb, event.facts) for event in Event.objects.filter(item=item)],
        )
        for item in items
    ]


# ── Masks ─────────────────────────────────────────────────────────────────────


def test_masks_are_counted_in_the_dry_run_and_stored(project: Project) -> None:
    text = "@rose_1 wrote to a.b@example.org, see https://example.org/x?y=1 or call +1 (555) 010-0199 in 2026"
    rows = [{"id": "a", "text": text}]
    everything = frozenset(Mask)
    report = imported(project, rows, masks=everything, dry_run=True)
    found = {"handles": 1, "urls": 1, "emails": 1, "phones": 1}
    assert report.answer()["masked"] == {str(kind): found.get(kind, 0) for kind in Mask}
    examples = report.answer()["mask_examples"]
    assert examples["phones"] == [{"was": "+1 (•••) •••-••••", "became": ", see <url> or call <phone> in 2026"}]
    assert report.as_json()["mask_examples"] == examples and "555" not in str(examples)
    many = imported(
        project, [{"id": str(n), "text": f"ask @ada{n}"} for n in range(12)], masks=everything, dry_run=True
    )
    assert len(many.mask_examples["handles"]) == 10
    assert not Item.objects.exists()
    imported(project, rows, masks=everything)
    assert Item.objects.get().text == "<user> wrote to <email>, see <url> or call <phone> in 2026"


def test_only_the_masks_asked_for_are_put_on(project: Project) -> None:
    report = imported(project, [{"id": "a", "text": "@a see http://b.example"}], masks=frozenset({Mask.HANDLES}))
    assert (Item.objects.get().text, report.masked) == ("<user> see http://b.example", {"handles": 1})


# ── Pictures ──────────────────────────────────────────────────────────────────


def test_pictures_come_from_a_folder_and_none_from_outside_it(project: Project, tmp_path: Path) -> None:
    folder = tmp_path / "pictures"
    folder.mkdir()
    (folder / "1.png").write_bytes(picture())
    (tmp_path / "secret.png").write_bytes(picture("red"))
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    rows = [{"id": name, "text": name, "image": name} for name in ("1.png", "2.png", "link.png")]
    report = imported(project, rows, images=folder)
    assert (report.pictures, report.missing_images) == (1, 2)
    stored = Item.objects.get(external_id="1.png").picture
    assert stored is not None
    assert stored.file.name.startswith(f"pictures/{project.public_id}/")
    assert Path(stored.file.name).name != "1.png"
    assert Item.objects.filter(picture_missing=True).count() == 2


def test_a_refused_import_leaves_no_files(project: Project, tmp_path: Path, settings: Any) -> None:
    (tmp_path / "1.png").write_bytes(picture())
    rows = [{"id": "a", "text": "x", "image": "1.png"}, {"id": "b", "text": "y", "intended": "nonsense"}]
    assert not imported(project, rows, images=tmp_path).stored
    assert not [path for path in Path(settings.MEDIA_ROOT).rglob("*") if path.is_file()]


def test_bad_rows_can_be_left_out(project: Project, tmp_path: Path) -> None:
    (tmp_path / "1.png").write_bytes(b"not a picture")
    rows = [
        {"id": "a", "text": "x", "labels": labels(1, 1, 1)},
        {"id": "b", "text": "y", "intended": "nonsense"},
        {"id": "c", "text": "z", "image": "1.png", "labels": labels(0)},
    ]
    report = imported(project, rows, images=tmp_path, leave_out=True)
    assert (report.stored, report.items, report.labels, len(report.errors)) == (True, 1, 3, 2)
    assert Item.objects.get().external_id == "a"


def test_a_file_that_breaks_off_is_refused_also_when_bad_rows_are_left_out(project: Project) -> None:
    report = imported(project, 'id,text\n1,a\n2,"b\n3,c\n', leave_out=True)
    assert (report.stored, codes(report), Item.objects.count()) == (False, [(3, "unterminated_quote")], 0)


# ── Filling gaps later ────────────────────────────────────────────────────────


def test_pictures_that_were_missing_come_later_by_row_or_by_name_alone(project: Project, tmp_path: Path) -> None:
    rows = [{"id": name, "text": name, "image": f"p/{name}.png", "labels": labels(1, 1, 1)} for name in "ab"]
    imported(project, rows)
    before = list(Label.objects.order_by("pk").values())
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "a.png").write_bytes(picture())
    report = imported(project, rows, images=tmp_path, update=Update.FILL)
    assert (report.items, report.missing_images) == (1, 1)
    only_pictures = io.BytesIO()
    with zipfile.ZipFile(only_pictures, "w") as archive:
        archive.writestr("p/b.png", picture("blue"))
    assert imported(project, only_pictures.getvalue(), update=Update.FILL).items == 1
    assert not Item.objects.filter(picture_missing=True).exists()
    assert Picture.objects.count() == 2
    assert list(Label.objects.order_by("pk").values()) == before


def test_priors_that_were_missing_come_later_and_complete_the_pattern(project: Project) -> None:
    imported(project, [{"id": "a", "text": "x", "labels": labels(1, 1, 1), "text_label": 0}])
    assert Item.objects.get().pattern is None
    report = imported(project, [{"id": "a", "text_label": 1, "image_label": "NotHate"}], update=Update.FILL)
    item = Item.objects.get()
    assert (report.priors, item.pattern, item.difficulty) == (1, "001", "hard")
    assert item.priors.get(modality="text").category.code == 0
    assert (report.existing, report.changed, report.changed_ids) == (1, 1, ["a"])


@pytest.mark.parametrize(
    ("given", "changed"),
    [
        ({"text_label": 1}, 0),
        ({"text_label": 1, "text_explanation": "As it was."}, 0),
        ({"text_label": 1, "text_explanation": "Another reason."}, 1),
        ({"text_label": 2}, 1),
        ({"text_label": 1, "text_severity": 2}, 0),
        ({"text_label": 1, "text_severity": 3}, 1),
    ],
)
def test_an_update_of_priors_names_those_that_say_otherwise(
    project: Project, given: dict[str, Any], changed: int
) -> None:
    imported(project, [{"id": "a", "text": "x", "text_label": 1, "text_explanation": "As it was.", "text_severity": 2}])
    before = list(Prior.objects.values())
    report = imported(project, [{"id": "a", **given}], update=Update.FILL)
    assert (report.items, report.existing, report.changed) == (0, 1, changed)
    assert list(Prior.objects.values()) == before


def test_an_intent_that_was_missing_comes_later_and_one_that_is_there_stays(project: Project) -> None:
    imported(project, [{"id": "a", "text": "x"}, {"id": "b", "text": "y", "intended": 1}])
    rows = [{"id": "a", "intended": 2}, {"id": "b", "intended": 2}]
    report = imported(project, rows, update=Update.FILL)
    assert (report.items, report.unchanged) == (1, 1)
    assert (report.existing, report.changed, report.changed_ids) == (1, 1, ["b"])
    assert list(Item.objects.order_by("external_id").values_list("intended__code", flat=True)) == [2, 1]


@pytest.mark.parametrize("intent", [{"intended": 1}, {"intended": "Racist"}, {"intended_hateful": True}])
def test_an_intent_that_is_there_and_the_same_differs_in_nothing(project: Project, intent: dict[str, Any]) -> None:
    imported(project, [{"id": "a", "text": "x", **intent}])
    report = imported(project, [{"id": "a", **intent}], update=Update.FILL)
    assert (report.unchanged, report.existing, report.changed) == (1, 1, 0)


def test_an_update_of_an_item_that_is_not_here_is_refused_as_a_whole(project: Project) -> None:
    imported(project, [{"id": "a", "text": "x"}])
    report = imported(project, [{"id": "a", "intended": 2}, {"id": "z", "intended": 2}], update=Update.FILL)
    assert codes(report) == [(2, "unknown_id")]
    assert Item.objects.get().intended is None


def test_a_dry_run_of_an_update_changes_nothing(project: Project) -> None:
    imported(project, [{"id": "a", "text": "x"}])
    report = imported(project, [{"id": "a", "intended": 2}], update=Update.FILL, dry_run=True)
    assert (report.items, Item.objects.get().intended) == (1, None)


def test_one_file_fills_all_that_its_items_lack(project: Project, tmp_path: Path) -> None:
    imported(project, [{"id": "a", "text": "x", "image": "a.png"}, {"id": "b", "text": "y", "intended": 1}])
    (tmp_path / "a.png").write_bytes(picture())
    rows = [{"id": "a", "text_label": 1, "intended": 2, "picture_text": "Weeds"}, {"id": "b", "intended": 1}]
    report = imported(project, rows, images=tmp_path, update=Update.FILL)
    item = Item.objects.get(external_id="a")
    assert (report.items, report.unchanged, report.existing) == (1, 1, 1)
    assert (report.pictures, report.priors) == (1, 1)
    assert (item.picture_missing, item.intended and item.intended.code) == (False, 2)
    assert item.picture is not None and item.picture_texts.get(current=True).text == "Weeds"


def test_a_bad_row_that_is_left_out_fills_nothing(project: Project) -> None:
    imported(project, [{"id": "a", "text": "x"}, {"id": "b", "text": "y"}])
    rows = [{"id": "a", "text_label": 1, "intended": 99}, {"id": "b", "text_label": 1}]
    report = imported(project, rows, update=Update.FILL, leave_out=True)
    assert (len(report.errors), report.items, report.priors) == (1, 1, 1)
    assert list(Prior.objects.values_list("item__external_id", flat=True)) == ["b"]


@pytest.mark.parametrize("former", ["images", "priors", "intended", "known", "picture_text"])
def test_a_former_mode_is_refused_in_a_sentence_and_a_stored_import_with_it_fills(former: str) -> None:
    with pytest.raises(BadUpdate, match=f"The mode '{former}' is gone. Use 'fill'"):
        read_update(former)
    assert ImportOptions.model_validate({"update": former}).update is Update.FILL
    with pytest.raises(BadUpdate, match="no mode of an update. Use 'fill'"):
        read_update("all")
    assert (read_update("fill"), read_update("")) == (Update.FILL, None)


# ── The rest ──────────────────────────────────────────────────────────────────


def test_an_import_that_is_stopped_stores_nothing(project: Project, tmp_path: Path) -> None:
    class Stop(Exception):
        pass

    def stop(report: ImportReport) -> None:
        raise Stop

    with pytest.raises(Stop):
        import_file(project, io.BytesIO(b'{"id":"a","text":"x"}\n'), SEATS, on_stored=stop)
    assert not Item.objects.exists()


def test_an_item_that_appears_while_the_file_is_read_is_a_conflict_and_nothing_is_stored(project: Project) -> None:
    class Slow(io.BytesIO):
        """A file at whose end somebody else has imported one of its rows."""

        def readline(self, size: int | None = -1, /) -> bytes:
            read = super().readline(size)
            if not read and not Item.objects.exists():
                builders.make_item(project, "Somebody else's", external_id="b")
            return read

    report = import_file(project, Slow(b'{"id":"a","text":"x"}\n{"id":"b","text":"y"}\n'), SEATS)
    assert [(error.code, error.status) for error in report.errors] == [("changed_meanwhile", 409)]
    assert list(Item.objects.values_list("external_id", "text")) == [("b", "Somebody else's")]
    assert report.answer()["items"] == 0


def test_severity_is_the_rows_own_or_the_graver_prior(project: Project) -> None:
    rows = [
        {"id": "a", "text": "x", "severity": 1, "text_label": 1, "text_severity": 3},
        {"id": "b", "text": "y", "text_label": 1, "text_severity": 2, "image_label": 0, "image_severity": 0},
    ]
    imported(project, rows)
    assert list(Item.objects.order_by("external_id").values_list("severity", flat=True)) == [1, 2]


@pytest.mark.shared_data
def test_hvli_gives_1178_gold_items_with_the_pattern_and_difficulty_it_names(
    project: Project, shared_data: Path
) -> None:
    path = shared_data / "hvli_test_set.json"
    with path.open("rb") as file:
        report = import_file(project, file, SEATS)
    assert (report.errors, report.format, report.items, report.priors) == ([], Format.HVLI, 1178, 2356)
    records = json.loads(path.read_text())
    for item in Item.objects.all():
        record = records[item.external_id]
        assert (item.pattern, item.difficulty) == (record["type"], record["difficulty"])
        assert (item.stage, item.category_source, item.level) == (Stage.GOLD, "imported", None)
    assert Item.objects.filter(pattern="001").count() == 103


@pytest.mark.shared_data
def test_hatexplain_fills_seats_by_212_people(db: None, shared_data: Path) -> None:
    kinds = ((0, "normal", False), (1, "offensive", True), (2, "hatespeech", True))
    project = builders.make_project("hx", categories=kinds)
    with (shared_data / "hatexplain_val.jsonl").open("rb") as file:
        report = import_file(project, file, SEATS)
    assert (report.items, report.labels, report.annotators) == (1922, 5766, 212)
    levels = {level: Item.objects.filter(level=level).count() for level in ("perfect", "strong", "weak", "none")}
    assert levels == {"perfect": 983, "strong": 387, "weak": 552, "none": 0}
    assert not Item.objects.filter(disputes__reason=Reason.NO_MAJORITY).exists()


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("name", "mapped", "rows"),
    [
        ("hatecheck_cases.csv", Mapped(text="test_case"), 3728),
        ("kmhas_valid.txt", Mapped(text="document"), 8776),
        ("kodoli.csv", Mapped(text="sentences"), 38525),
    ],
)
def test_published_tables_come_in_by_naming_the_text(
    project: Project, shared_data: Path, name: str, mapped: Mapped, rows: int
) -> None:
    with (shared_data / name).open("rb") as file:
        options = ImportOptions(mapped=mapped, ignore=frozenset({"label"}), keep=frozenset("*"))
        report = import_file(project, file, options, dry_run=True)
    assert (report.errors, report.items) == ([], rows)
