"""Figures of quality from rows: what counts, what does not, and the real labels of HateXplain."""

import json
from collections import Counter, defaultdict
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db.models import F
from django.utils import timezone

from annotation.analytics.quality.annotators import AnnotatorQuality, QualityReport, read_quality
from annotation.consensus.close import close_item
from annotation.domain.choices import Choose, Stage
from annotation.domain.statistics.annotator_quality import Axis, Rate, Trend, Typical
from annotation.domain.statistics.figure import Undefined, Why
from annotation.models import Guideline, Item, KnownAnswer, Membership, Project, Seat, Skip
from builders import category, make_label, make_labelled_item, make_member, make_open_item, make_project

pytestmark = pytest.mark.django_db


def person(found: QualityReport, member: Membership) -> AnnotatorQuality:
    return next(each for each in found.people if each.public_id == member.public_id)


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def three(project: Project) -> list[Membership]:
    return [make_member(project, pseudonym=name) for name in "cab"]


def closed(project: Project, people: list[Membership], codes: list[int | None], **fields: Any) -> Item:
    item = make_labelled_item(project, people, codes, **fields)
    close_item(item)
    item.refresh_from_db()
    return item


def test_people_are_compared_with_the_majority_of_the_others_and_the_final_category(project, three):
    closed(project, three, [1, 1, 1])
    closed(project, three, [1, 1, 0])  # gold: 1
    closed(project, three, [0, 2, 0])  # gold: 0
    found = read_quality(project)
    first = person(found, three[0])
    # The others: 1 1, then 1 0 (no majority), then 2 0 (none): only the first item tells.
    assert first.with_others == Rate(1, 1)
    assert first.with_final == Rate(3, 3)
    assert person(found, three[1]).with_others == Rate(1, 2)
    assert person(found, three[2]).with_final == Rate(2, 3)
    assert [each.name for each in found.people] == ["a", "b", "c"]


def test_where_labels_name_several_categories_they_agree_if_they_name_the_same(three):
    project = three[0].project
    Project.objects.filter(pk=project.pk).update(choose=Choose.SEVERAL)
    item = make_open_item(project)
    for seat, member, codes in zip(item.seat_rows.order_by("number"), three, ([1, 2], [1, 2], []), strict=True):
        make_label(seat, member, 1, categories=codes)
    close_item(item)
    first, _second, third = people = [person(found := read_quality(project), member) for member in three]
    assert list(Item.objects.get().codes) == [1, 2]
    # The others of the first two name 1 2 and 1: more than half name 1 only. Those of the third name 1 2.
    assert [each.with_others for each in people] == [Rate(0, 1)] * 3
    assert [each.with_final for each in people] == [Rate(1, 1), Rate(1, 1), Rate(0, 1)]
    assert first.by_category == (0, 1, 1, 0, 0, 0)
    assert first.with_others_by_category[1:3] == (Rate(1, 1), Rate(0, 1))
    assert third.with_others_by_category[1] == Rate(1, 1)
    assert found.labels == 3


def test_what_people_chose_and_flagged_is_counted_and_never_who_skipped(project, three):
    closed(project, three, [0, None, 5])
    item = make_open_item(project)
    make_label(item.seat_rows.first(), three[0], None, low_quality=True)
    Skip.objects.create(item=item, annotator=three[0])
    found = read_quality(project)
    first, second = person(found, three[0]), person(found, three[1])
    assert (first.labels, first.by_category, first.low_quality) == (2, (1, 0, 0, 0, 0, 0), Rate(1, 2))
    assert not hasattr(first, "skips")
    assert (second.labels, second.not_sure, sum(second.by_category)) == (1, Rate(1, 1), 0)


def test_time_is_told_by_its_middle(project, three):
    for seconds in (4.0, 8.0, 100.0):
        make_label(make_open_item(project).seat_rows.first(), three[0], 0, seconds=seconds)
    make_label(make_open_item(project).seat_rows.first(), three[1], 0)
    found = read_quality(project)
    assert person(found, three[0]).seconds == Typical(3, 8.0)
    assert person(found, three[1]).seconds == Undefined(Why.NO_TIMES)


def test_an_open_item_and_an_open_round_are_not_compared(project, three):
    make_labelled_item(project, three, [1, 1, 1])
    again = closed(project, three, [2, 2, 2])
    Item.objects.filter(pk=again.pk).update(stage=Stage.LABELLING, round=2)
    others = [make_member(project) for _ in range(2)]
    for number, member in enumerate(others, 1):
        make_label(Seat.objects.create(item=again, round=2, number=number, seats=3), member, 3)
    found = read_quality(project)
    assert person(found, three[0]).with_others == Rate(1, 1)  # round 1 of the second item
    assert person(found, others[0]).with_others == Undefined(Why.NO_OTHERS)
    assert person(found, others[0]).labels == 1


def test_known_answers_count_in_their_own_figure_and_training_in_none(project, three):
    for code, said, training in ((1, 1, False), (1, 0, False), (2, 2, True)):
        item = make_open_item(project)
        make_label(item.seat_rows.first(), three[0], said)
        Item.objects.filter(pk=item.pk).update(stage=Stage.KNOWN, closed_at=timezone.now())
        KnownAnswer.objects.create(item=item, category=category(project, code), training=training)
    closed(project, three, [4, 4, 4])
    found = read_quality(project)
    first = person(found, three[0])
    assert first.known == Rate(1, 2)
    assert (first.labels, first.by_category) == (1, (0, 0, 0, 0, 1, 0))
    assert person(found, three[1]).known == Undefined(Why.NO_KNOWN)


def test_somebody_who_came_with_the_data_counts_too(project, three):
    imported = Membership.objects.create(project=project, pseudonym="a17", imported_name="17", annotates=True)
    closed(project, [imported, *three[:2]], [1, 1, 1])
    assert person(read_quality(project), imported).imported
    assert person(read_quality(project), imported).with_others == Rate(1, 1)


def test_a_fall_over_weeks_is_found_and_a_steady_hand_is_not(project, three):
    monday = datetime(2026, 3, 2, 12, tzinfo=UTC)
    for week in range(4):
        for number in range(10):
            at = monday + timedelta(weeks=week)
            item = make_open_item(project)
            for seat, member in zip(item.seat_rows.order_by("number"), three, strict=True):
                wrong = member is three[0] and number < 3 * week
                make_label(seat, member, 2 if wrong else 1, created_at=at)
            close_item(item)
    found = read_quality(project)
    falling, steady = person(found, three[0]).drift, person(found, three[1]).drift
    assert falling.axis is Axis.WEEKS
    assert [(point.monday, point.rate.part) for point in falling.points] == [
        (date(2026, 3, 2), 10), (date(2026, 3, 9), 7), (date(2026, 3, 16), 4), (date(2026, 3, 23), 1),
    ]  # fmt: skip
    assert isinstance(falling.trend, Trend)
    assert falling.trend.slope == pytest.approx(-0.3)
    assert [each.name for each in found.changed] == ["c"]
    assert isinstance(steady.trend, Undefined | Trend)
    assert not (isinstance(steady.trend, Trend) and steady.trend.changed)


def test_agreement_is_told_before_and_after_a_change_of_the_guidelines(project, three):
    first = project.guidelines.get()
    second = Guideline.objects.create(project=project, number=2, text="Now with examples.")
    for guideline, codes in ((first, [1, 0, 0]), (first, [1, 0, 0]), (second, [1, 1, 1]), (second, [None, 1, 1])):
        item = make_open_item(project)
        for seat, member, code in zip(item.seat_rows.order_by("number"), three, codes, strict=True):
            make_label(seat, member, code, guideline=guideline)
        close_item(item)
    # Version 1: only "c" sees a majority of the others (0 0) and said 1, twice. Version 2: all three agree on the
    # first item; on the second the two with a category see one other, who said the same.
    found = read_quality(project)
    assert [(each.version, each.labels, each.with_others, each.not_sure) for each in found.versions] == [
        (1, 6, Rate(0, 2), Rate(0, 6)),
        (2, 6, Rate(5, 5), Rate(1, 6)),
    ]
    assert person(found, three[0]).versions[1].with_others == Rate(1, 1)


def test_a_project_without_labels_has_nobody(project, django_assert_num_queries):
    with django_assert_num_queries(4):
        found = read_quality(project)
    assert (found.people, found.pairs, found.versions, found.labels) == ((), (), (), 0)


# ── Real annotators ───────────────────────────────────────────────────────────


@pytest.fixture
def hatexplain(shared_data: Path) -> Project:
    categories = ((0, "normal", False), (1, "offensive", True), (2, "hatespeech", True))
    project = make_project("hatexplain", categories=categories)
    call_command("import_items", "hatexplain", shared_data / "hatexplain_val.jsonl", "--json")
    return project


def posts(shared_data: Path) -> list[list[tuple[int, int]]]:
    """Each post's (annotator, category) in the order of the file."""
    codes = {"normal": 0, "offensive": 1, "hatespeech": 2}
    with (shared_data / "hatexplain_val.jsonl").open() as lines:
        return [[(a["annotator_id"], codes[a["label"]]) for a in json.loads(line)["annotators"]] for line in lines]


@pytest.mark.shared_data
def test_the_annotators_of_hatexplain_are_told_as_counting_by_hand_tells_them(hatexplain, shared_data):
    found = read_quality(hatexplain)
    labels, others, final, chosen = Counter(), defaultdict(list), defaultdict(list), defaultdict(Counter)
    for votes in posts(shared_data):
        for who, said in votes:
            labels[who] += 1
            chosen[who][said] += 1
            one, two = (category for other, category in votes if other != who)
            if one == two:
                others[who].append(said == one)
            majority = [each for each in {0, 1, 2} if [said for _who, said in votes].count(each) >= 2]
            assert len(majority) == 1  # no post of this file has three different labels
            final[who].append(said == majority[0])
    people = {each.public_id: each for each in found.people}
    names = Membership.objects.filter(project=hatexplain).values_list("imported_name", "public_id")
    assert len(people) == len(labels) == 212
    assert found.labels == 5766
    for name, public_id in names:
        each, who = people[public_id], int(name)
        assert each.labels == labels[who]
        assert each.by_category == tuple(chosen[who][code] for code in range(3))
        told = others[who]
        assert each.with_others == (Rate(sum(told), len(told)) if told else Undefined(Why.NO_OTHERS))
        assert each.with_final == Rate(sum(final[who]), len(final[who]))
        assert each.imported
    # All equal on 983 posts; the odd one out of 939: 983·3 agreements of 983·3 + 939 comparable labels.
    agreeing = [each.with_others for each in found.people if isinstance(each.with_others, Rate)]
    assert (sum(each.part for each in agreeing), sum(each.n for each in agreeing)) == (2949, 3888)


@pytest.mark.shared_data
def test_the_drift_report_of_hatexplain_comes_out(hatexplain):
    """Its labels carry no dates, so the report goes by blocks of 20 in the order of the file."""
    found = read_quality(hatexplain)
    drifts = [each.drift for each in found.people]
    trends = [each.trend for each in drifts if isinstance(each.trend, Trend)]
    assert {each.axis for each in drifts if each.points} == {Axis.BLOCKS}
    comparable = [sum(point.rate.n for point in each.points) for each in drifts]
    assert sum(comparable) == 3888
    long_enough = [each for each, n in zip(drifts, comparable, strict=True) if n >= 60]
    assert len(long_enough) == 22
    # One of them, annotator 10, agreed with the others every time, so there is no change to measure.
    assert [each.trend for each in long_enough if isinstance(each.trend, Undefined)] == [Undefined(Why.ALWAYS_ALIKE)]
    assert len(trends) == 21
    # The file is in no order of work: no more are flagged than chance flags.
    assert len(found.changed) <= 2 * found.changed_by_chance + 3
    assert all(pair.likeness.same.n >= 20 for pair in found.pairs)


@pytest.mark.shared_data
def test_imported_dates_make_weeks(hatexplain):
    with_dates = Item.objects.filter(project=hatexplain)
    with_dates.update(created_at=F("created_at") + timedelta(days=1))  # the labels are older than their items now
    assert {each.drift.axis for each in read_quality(hatexplain).people} == {Axis.WEEKS}
