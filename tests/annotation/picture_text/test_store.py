"""Words in pictures: stored for all items that show one, never over given or corrected words, with their history."""

import pytest

import builders
from annotation.domain.choices import PriorState, Role, Stage
from annotation.domain.pictures.words import GIVEN, PERSON, Line, words_of
from annotation.models import Event, Item, PictureText, Project
from annotation.picture_text import store
from annotation.picture_text.presenters import fault_of
from annotation.picture_text.requests import reading_progress
from annotation.picture_text.texts import reading_of, texts_of

pytestmark = pytest.mark.django_db

WORDS = words_of([Line("the weeds again", (0.1, 0.1, 0.9, 0.2), 0.9)])


@pytest.fixture
def project() -> Project:
    return builders.make_project("memes")


def pictured(project: Project, **fields: object) -> Item:
    fields.setdefault("picture", builders.make_picture(project, (40, 30)))
    return builders.make_item(project, **fields)


def read(item: Item, words: object = WORDS, **options: object) -> int:
    return store.store_words(item.project, item.picture_id, words, "reader 1", **options)


def test_one_reading_serves_all_items_that_show_the_picture(project):
    first = pictured(project)
    second, excluded = (pictured(project, picture=first.picture, **more) for more in ({}, {"stage": Stage.EXCLUDED}))
    assert read(first) == 2
    assert [texts_of(item).picture for item in (first, second, excluded)] == ["the weeds again"] * 2 + [""]
    reading = reading_of(second)
    assert (reading.reader, reading.confidence, reading.percent) == ("reader 1", 0.9, 90)
    assert reading.lines == [{"text": "the weeds again", "box": [0.1, 0.1, 0.9, 0.2], "confidence": 0.9}]
    assert texts_of(second).joined == "A post about a garden.\nthe weeds again"


def test_a_machine_reads_again_only_where_asked_and_never_over_given_or_corrected_words(project):
    read_before, given, corrected = (pictured(project) for _ in range(3))
    reviewer = builders.make_member(project, Role.REVIEWER)
    read(read_before)
    assert store.store_given(given, "as given", GIVEN)
    assert not store.store_given(given, "given later", GIVEN)
    store.correct_words(reviewer, corrected, "as corrected", None)
    other = words_of([Line("read anew")])
    assert [read(item, other) for item in (read_before, given, corrected)] == [0, 0, 0]
    assert [read(item, other, over=store.Over.MACHINES) for item in (read_before, given, corrected)] == [1, 0, 0]
    assert [texts_of(item).picture for item in (read_before, given, corrected)] == [
        "read anew", "as given", "as corrected",
    ]  # fmt: skip
    assert list(read_before.picture_texts.order_by("pk").values_list("text", "current")) == [
        ("the weeds again", False), ("read anew", True),
    ]  # fmt: skip


def test_a_failure_is_a_sentence_and_takes_no_words_away(project):
    item, unread = pictured(project), pictured(project)
    read(item)
    for one in (item, unread):
        store.store_failure(
            project, one.picture_id, PriorState.FAILED, "too_much", "reader 1", over=store.Over.MACHINES
        )
    assert texts_of(item).picture == "the weeds again"
    assert fault_of(reading_of(item)) == ""
    assert fault_of(reading_of(unread)) == "The picture could not be read within the memory and time allowed."
    pictured(project)
    builders.make_item(project)
    now = reading_progress(project)
    assert (now.read, now.with_words, now.failed, now.waiting, now.pictures) == (1, 1, 1, 1, 3)
    assert now.summary == "1 of 3 read, 1 with words; 1 wait, 1 could not be read."


def test_a_correction_names_its_author_and_yields_to_nobody_who_was_faster(project):
    item, reviewer = pictured(project), builders.make_member(project, Role.REVIEWER)
    read(item)
    seen = reading_of(item).pk
    now = store.correct_words(reviewer, item, "the weeds, again\r\n花园里的杂草花园里的杂草 ", seen)
    assert (now.text, now.reader, now.member, now.language) == (
        "the weeds, again\n花园里的杂草花园里的杂草", PERSON, reviewer, "zh",
    )  # fmt: skip
    event = Event.objects.get(verb="picture_text_corrected")
    assert (event.actor, event.item, event.facts) == (reviewer, item, {"before": "reader 1"})
    with pytest.raises(store.ReadMeanwhile):
        store.correct_words(reviewer, item, "mine", seen)
    assert store.correct_words(reviewer, item, now.text, now.pk) == now
    assert PictureText.objects.filter(item=item).count() == 2


def test_severe_words_count_for_the_severity_and_mild_ones_lower_nothing(project):
    severe, mild, known = pictured(project), pictured(project), pictured(project, severity=3)
    cruel = words_of([Line("all immigrants are vermin")])
    level = store.severity_of(cruel.text)
    assert level > 0
    for item, words in ((severe, cruel), (mild, WORDS), (known, cruel)):
        read(item, words)
    assert list(Item.objects.order_by("pk").values_list("severity", flat=True)) == [level, None, 3]
