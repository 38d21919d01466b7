"""A project's items divided for a release: planted twins never come apart, lists stay fixed."""

import json
import random
from io import BytesIO

import pytest
from django.core.management import call_command
from django.urls import reverse
from PIL import Image, ImageDraw

import builders
from annotation.core.release_paths import folder_of
from annotation.domain.choices import Role, Source, Stage
from annotation.domain.imports.negations import negations_of
from annotation.domain.releases.splits import Part, Shares
from annotation.models import Event, Item, Picture, Release, SplitList
from annotation.releases.build import CannotRelease, release
from annotation.releases.request import Selection, Splitting
from annotation.releases.split import BadSplitList, divide, find_topics, keep_list, look_at_pictures
from release_builders import keep_picture, make_gold, rows_of
from runs.execution import budget
from wire.site import models_at_a_server

pytestmark = pytest.mark.django_db

THIRDS = Splitting(shares=Shares(60, 20, 20), seed=11)


def drawing(seed):
    dice = random.Random(seed)
    picture = Image.new("RGB", (240, 180), tuple(dice.randrange(256) for _ in range(3)))
    pen = ImageDraw.Draw(picture)
    for _ in range(10):
        x, y = dice.randrange(240), dice.randrange(180)
        pen.rectangle((x - 40, y - 30, x + 40, y + 30), fill=tuple(dice.randrange(256) for _ in range(3)))
    return picture


def coded(picture, form="PNG", **options):
    out = BytesIO()
    picture.save(out, form, **options)
    return out.getvalue()


def plant(project, name, text, picture=None):
    Item.objects.create(
        project=project,
        external_id=name,
        text=text,
        picture=picture,
        stage=Stage.GOLD,
        category=builders.category(project, 0),
        category_source=Source.IMPORTED,
        hateful=False,
    )


@pytest.mark.shared_data
def test_nothing_leaks_from_the_real_records_and_planted_twins(shared_data):
    project = builders.make_project()
    call_command("import_items", project.slug, shared_data / "hvli_test_set.json")
    dice, twins = random.Random(5), []
    long = [item for item in Item.objects.filter(project=project).order_by("pk") if len(item.text.split()) >= 5]
    for number, item in enumerate(dice.sample(long, 60)):
        words = item.text.split()
        places = [
            place for place, word in enumerate(words) if not negations_of(word.lower())
        ]  # else it is another post
        words[dice.choice(places)] = "changed"
        plant(project, f"text-{number}", " ".join(words))
        twins.append((item.external_id, f"text-{number}"))
    for number, item in enumerate(dice.sample(long, 40)):
        first = keep_picture(project, coded(drawing(number)))
        again = keep_picture(project, coded(drawing(number).resize((200, 150)), "JPEG", quality=45))
        Item.objects.filter(pk=item.pk).update(picture=first)
        plant(project, f"picture-{number}", f"Quite another thing, number {number}{number}", again)
        twins.append((item.external_id, f"picture-{number}"))
    assert look_at_pictures(project) == 80
    division = divide(project, Selection(split=THIRDS))
    assert len(division.parts) == 1178 + 100
    assert [pair for pair in twins if division.parts[pair[0]] != division.parts[pair[1]]] == []
    report = division.report
    assert report["leakage"] == 0
    assert report["ties"]["near_text"]["ties"] >= 60
    assert report["ties"]["alike_picture"]["ties"] >= 40
    # The parts are as large as asked, in all and in each stratum that is large enough to tell.
    for part, share in (("train", 0.6), ("dev", 0.2), ("test", 0.2)):
        assert report["sizes"][part] == pytest.approx(share * 1278, abs=15)
        for sizes in report["strata"].values():
            if sum(sizes.values()) >= 50:
                assert sizes[part] == pytest.approx(share * sum(sizes.values()), abs=6)
    assert divide(project, Selection(split=THIRDS)).parts == division.parts


def test_items_with_the_same_picture_stay_together_and_the_release_says_so(db):
    project = builders.make_project()
    trio = [builders.make_member(project) for _ in range(3)]
    shared = keep_picture(project, coded(drawing(1)))
    for n in range(12):
        make_gold(project, trio, (0, 0, 0), f"{'abcdefghijkl'[n] * 12} only", picture=shared if n % 3 == 0 else None)
    made = release(project, None, Selection(split=Splitting(shares=Shares(1, 1, 1), seed=2)))
    rows = rows_of(made)
    assert len({row["split"] for row in rows[::3]}) == 1
    assert made.manifest["split"]["ties"]["same_picture"] == {"ties": 1, "items": 4, "cut": 0}
    assert Picture.objects.get(pk=shared.pk).likeness
    card = (made.manifest["split"]["used"], made.manifest["selection"]["split"])
    assert card[1] == {"shares": "1/1/1", "seed": 2, "topics": 0, "anew": False, "frozen": None}


def test_topics_are_never_parted():
    project = builders.make_project()
    for n in range(30):
        plant(
            project, f"i{n}", ("weeds roses garden soil " if n % 2 else "match goal keeper stadium ") + "xyz"[n % 3] * n
        )
    asked = Splitting(shares=Shares(1, 0, 1), seed=1, topics=2)
    selection = Selection(split=asked)
    division = divide(project, selection, find_topics(project, selection))
    assert division.report["ties"]["topic"]["ties"] == 2
    assert division.report["leakage"] == 0
    assert division.report["used"]["topic"] == "2 clusters of texts embedded by local:ngrams-1"


def test_a_text_that_came_in_after_the_topics_is_tied_by_none():
    project = builders.make_project()
    plant(project, "i0", "weeds and roses in the garden")
    selection = Selection(split=Splitting(shares=Shares(1, 0, 1), seed=1, topics=1))
    topics = find_topics(project, selection)
    plant(project, "i1", "the keeper of the other goal")
    told = divide(project, selection, topics).report["used"]["topic"]
    assert told.endswith("; 1 that came in meanwhile are in none")


@pytest.mark.django_db(transaction=True)
def test_topics_by_a_vendor_are_paid_by_the_project_and_where_it_cannot_nothing_is_released(settings):
    settings.MODEL_EMBEDDING, settings.MODEL_EMBEDDING_DIMENSIONS = "openai:near", 256
    project = builders.make_project()
    for n in range(4):
        plant(project, f"i{n}", f"{'abcd'[n] * 15} only")
    asked = Selection(split=Splitting(shares=Shares(1, 0, 1), seed=1, topics=2))
    with models_at_a_server(settings, ()) as wire:
        made = release(project, None, asked)
        assert "embedded by openai:near" in made.manifest["split"]["used"]["topic"]
        budget.set_project_limits(project.public_id, calls=1, tokens=None)
        with pytest.raises(CannotRelease, match="budget for model calls is used up") as refused:
            release(project, None, asked)
        assert (refused.value.code, len(wire.heard), project.releases.count()) == ("no_topics", 1, 1)
    assert release(project, None, Selection(split=THIRDS)).manifest["counts"]["items"] == 4


# ── Lists ─────────────────────────────────────────────────────────────────────


def test_a_list_is_kept_once_and_later_releases_keep_its_parts():
    project = builders.make_project()
    for n in range(20):
        plant(project, f"i{n}", f"{'abcdefghijklmnopqrst'[n] * 15} only")
    lines = "".join(f"i{n},{'test' if n < 5 else 'validation'}\n" for n in range(10))
    kept = keep_list(project, None, "published", BytesIO(lines.encode()))
    again = BytesIO(
        "".join(json.dumps({"id": f"i{n}", "split": "test" if n < 5 else "dev"}) + "\n" for n in range(10)).encode()
    )
    assert keep_list(project, None, "other name", again) == kept
    assert keep_list(project, None, "with a head", BytesIO(f"id,part\n{lines}".encode())) == kept
    assert Event.objects.filter(verb="split_list_kept").count() == 1
    asked = Splitting(shares=Shares(100, 0, 0), frozen=str(kept.public_id))
    for _ in range(2):
        rows = rows_of(release(project, None, Selection(split=asked)))
        assert [row["split"] for row in rows] == ["test"] * 5 + ["dev"] * 5 + ["train"] * 10


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"id,split\n", "empty"),
        (b"a,holdout\n", "Line 1"),
        (b"a,test\nb\n", "Line 2"),
        (b"a,test\na,train\n", "Line 2"),
        (b'{"id": "a"}\n', "Line 1"),
        (b"\xff\xfea\x00", "not UTF-8"),
        (b"x" * 9000, "longer"),
    ],
)
def test_a_list_that_cannot_be_read_says_where(content, said):
    project = builders.make_project()
    with pytest.raises(BadSplitList, match=said):
        keep_list(project, None, "list", BytesIO(content))
    assert not SplitList.objects.exists()


def test_another_projects_list_settles_nothing():
    project, other = builders.make_project(), builders.make_project()
    plant(project, "i1", "A text of some words")
    kept = keep_list(other, None, "theirs", BytesIO(b"i1,test\n"))
    asked = Splitting(shares=Shares(100, 0, 0), frozen=str(kept.public_id))
    assert divide(project, Selection(split=asked)).parts == {"i1": Part.TRAIN}


# ── The page ──────────────────────────────────────────────────────────────────


def test_the_page_takes_the_choices_and_the_list(client):
    project = builders.make_project()
    admin = builders.make_member(project, Role.ADMIN)
    for n in range(6):
        plant(project, f"i{n}", f"{'abcdef'[n] * 15} only")
    client.force_login(admin.user)
    address = reverse("annotation:releases", args=[project.slug])
    key = client.get(address).context["form"]["key"].initial
    uploaded = BytesIO(b"i0,test\n")
    uploaded.name = "published.csv"
    body = {"key": key, "splits": "50/50", "formats": ["hvli"], "no_media": "on", "split_file": uploaded}
    assert client.post(address, body).status_code == 302
    made = project.releases.get()
    assert made.manifest["selection"]["formats"] == ["hvli"]
    assert made.manifest["selection"]["media"] is False
    assert {row["id"]: row["split"] for row in rows_of(made)}["i0"] == "test"
    page = client.get(address).content.decode()
    assert "published.csv" in page  # to be chosen again


@pytest.mark.parametrize(
    ("field", "value", "at"),
    [
        ("splits", "a lot", "splits"),
        ("formats", "exe", "formats"),
    ],
)
def test_the_page_says_what_is_wrong(client, field, value, at):
    project = builders.make_project()
    plant(project, "i1", "A text of some words")
    client.force_login(builders.make_member(project, Role.ADMIN).user)
    answer = client.post(reverse("annotation:releases", args=[project.slug]), {field: value})
    assert answer.status_code == 422
    assert at in answer.context["form"].errors
    assert not project.releases.exists()


def divided(project, **asked):
    """Return the parts of a new release, by id, and what its report says."""
    made = release(project, None, Selection(split=Splitting(shares=Shares.read("50/0/50"), **asked)))
    return {row["id"]: row["split"] for row in rows_of(made)}, made.manifest["split"]


def test_posts_keep_their_part_of_the_latest_divided_release():
    project = builders.make_project("parts")
    trio = [builders.make_member(project) for _ in range(3)]
    texts = {
        "a": "The garden was quiet today.", "b": "My neighbour plays a flute.", "c": "Fish again for dinner?",
        "d": "Seven bridges cross our river.", "e": "Snow fell on the market square.", "f": "Who parked the blue van?",
        "g": "A bakery opened beside the school.", "h": "Trains stop running at ten.", "i": "Her library card expired.",
        "j": "They painted every harbour wall.",
    }  # fmt: skip
    words = tuple(texts)
    items = [make_gold(project, trio, text=texts[name], external_id=name) for name in words[:6]]
    first, report = divided(project, seed=1)
    assert "kept_from" not in report
    release(project, None, Selection())  # one that is not divided changes nothing
    for name in words[6:]:
        make_gold(project, trio, text=texts[name], external_id=name)
    Item.objects.filter(pk=items[0].pk).update(stage="disputed", category_source=None)
    second, report = divided(project, seed=99)
    assert {name: second[name] for name in words[1:6]} == {name: first[name] for name in words[1:6]}
    assert (report["kept_from"], report["frozen_items"]) == (1, 5) and set(second) == set(words[1:])
    anew = [divided(project, seed=seed, anew=True) for seed in range(8)]
    assert all("kept_from" not in report for _parts, report in anew)
    assert any(parts != second for parts, _report in anew)


def test_parts_of_a_release_whose_rows_are_lost_do_not_hold():
    project = builders.make_project("lost")
    make_gold(project, [builders.make_member(project) for _ in range(3)], external_id="a")
    divided(project, seed=1)
    (folder_of(Release.objects.get()) / "items.jsonl").unlink()
    assert "kept_from" not in divided(project, seed=1)[1]
