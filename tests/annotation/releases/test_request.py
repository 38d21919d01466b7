"""A release is asked for on a page, over the API and by a command: one declaration, one meaning, one refusal."""

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser
from django.utils.datastructures import MultiValueDict

import builders
from annotation.api.releases import SelectionShape
from annotation.domain.choices import Level
from annotation.domain.releases.columns import ReleaseFormat, Scope
from annotation.domain.releases.splits import Shares
from annotation.management.request_options import add_options, answers_of, request_of
from annotation.models import SplitList
from annotation.releases.forms import ReleaseForm
from annotation.releases.request import Selection, Splitting
from vocabulary.requests import places

pytestmark = pytest.mark.django_db
KEY = "b7a3b1d4-4a53-4a43-9d4c-3d7c2f6f1a11"


def on_the_page(project, values):
    """Return the form that somebody filled in: what is true at first is a tick box for its opposite."""
    filled = MultiValueDict({"key": [KEY]})
    for place in places(Selection):
        if place.name in values:
            value = values[place.name]
            if place.kind is bool:
                filled.setlist(place.switch, ["on"] if value is not place.default else [])
            else:
                filled.setlist(place.switch, list(value) if place.several else [value])
    return ReleaseForm(project, filled)


def page(project, values):
    form = on_the_page(project, values)
    if not form.is_valid():
        raise ValueError(*((name, error) for name, errors in form.errors.items() for error in errors))
    return form.selection()


def body(project, values):
    shape = SelectionShape(data=values, context={"project": project})
    if not shape.is_valid():
        raise ValueError(*((name, str(error)) for name, errors in shape.errors.items() for error in errors))
    return shape.request()


def command(project, values):
    parser, words = CommandParser(), []
    add_options(parser, Selection)
    for place in places(Selection):
        option, value = f"--{place.switch.replace('_', '-')}", values.get(place.name)
        if place.kind is bool:
            words += [option] if value not in (None, place.default) else []
        elif place.name in values:
            words += [option, *(value or ["none"] if place.several else [str(value)])]
    try:
        return request_of(Selection, answers_of(Selection, vars(parser.parse_args(words))))
    except CommandError as fault:
        name, _colon, sentence = str(fault).removeprefix("--").partition(": ")
        raise ValueError((name, sentence)) from None


FACES = pytest.mark.parametrize("face", [page, body, command])


@FACES
@pytest.mark.parametrize(
    ("values", "selection"),
    [
        ({"formats": ["csv"]}, Selection()),
        ({"formats": []}, Selection(formats=())),
        (
            {"formats": ["hvli", "csv"], "levels": ["weak", "perfect"], "scope": "closed"},
            Selection(
                formats=(ReleaseFormat.CSV, ReleaseFormat.HVLI),
                levels=(Level.PERFECT, Level.WEAK),
                scope=Scope.CLOSED,
            ),
        ),
        (
            {"formats": ["csv"], "media": False, "picture_texts": False, "notes": True, "licences": ["CC0-1.0"]},
            Selection(media=False, picture_texts=False, notes=True, licences=("CC0-1.0",)),
        ),
        (
            {"formats": ["csv"], "splits": " 80/20 ", "topics": 4},
            Selection(split=Splitting(shares=Shares(80, 0, 20), topics=4)),
        ),
        ({"formats": ["csv"], "splits": " ", "seed": 0}, Selection()),
    ],
)
def test_the_same_answers_mean_the_same_release_on_every_face(face, values, selection):
    assert face(builders.make_project(licence="CC0-1.0"), values) == selection


@FACES
@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"seed": 5}, "Say how to split the items, such as 80/10/10."),
        ({"topics": 5}, "Say how to split the items, such as 80/10/10."),
        ({"splits": "a lot"}, "Write the shares as 80/10/10: train, dev, test."),
        ({"splits": "a lot", "seed": 5}, "Write the shares as 80/10/10: train, dev, test."),
        ({"splits": "80/10"}, "The shares add up to 90, not to 100."),
    ],
)
def test_a_division_is_refused_with_one_sentence_on_every_face(face, values, sentence):
    with pytest.raises(ValueError) as fault:
        face(builders.make_project(), values)
    assert fault.value.args == (("splits", sentence),)


@FACES
@pytest.mark.parametrize("values", [{"seed": -1}, {"seed": 2**31}, {"topics": 1001}])
def test_the_bounds_of_a_number_hold_on_every_face(face, values):
    with pytest.raises(ValueError) as fault:
        face(builders.make_project(), values | {"splits": "50/50"})
    assert [next(iter(values)) in name for name, _sentence in fault.value.args] == [True]


def test_a_fixed_list_needs_a_division_too(tmp_path):
    project = builders.make_project("p")
    kept = SplitList.objects.create(project=project, name="a", sha256="0" * 64, parts={"i-0": "test"})
    refusal = {"splits": ["Say how to split the items, such as 80/10/10."]}
    assert ReleaseForm(project, {"key": KEY, "frozen": str(kept.public_id)}).errors == refusal
    shape = SelectionShape(data={"split_list": str(kept.public_id)}, context={"project": project})
    assert not shape.is_valid() and shape.errors == refusal
    (tmp_path / "list.csv").write_text("i-1,dev\n")
    with pytest.raises(CommandError, match="--splits: Say how to split the items, such as 80/10/10."):
        call_command("release", "p", "--out", str(tmp_path / "out"), "--split-list", str(tmp_path / "list.csv"))
    assert SplitList.objects.get() == kept


def test_the_page_shows_every_field_once():
    project = builders.make_project(licence="CC0-1.0")
    SplitList.objects.create(project=project, name="a", sha256="0" * 64, parts={"i-0": "test"})
    form = ReleaseForm(project)
    shown = [*form.ungrouped, *(field for group in form.groups for field in group.fields), *form.hidden_fields()]
    assert sorted(field.name for field in shown) == sorted(form.fields)


def test_a_release_that_an_older_version_ordered_is_read():
    stored = {"levels": None, "sources": ["imported"], "notes": False, "fresh_pseudonyms": True}
    assert Selection.model_validate(stored) == Selection(sources=("imported",), fresh_pseudonyms=True)
    split = {"shares": "8/1/1", "seed": 7, "topics": 0, "frozen": None}
    read = Selection.model_validate(stored | {"split": split, "licences": None})
    assert read.split == Splitting(shares=Shares(8, 1, 1), seed=7)
    assert read.model_dump(mode="json")["split"] == split | {"anew": False}
