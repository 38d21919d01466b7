"""Influence of the priors on the answers of a project: its rows as readings for `domain.statistics.influence`.

It counts the answers of round 1 as submitted (first revisions, and first answers if priors were hidden) whose arm was
drawn before display. Imported labels have no arm; items with a known answer and removed labels never count. A reading
names the prior that was shown beside the item, or would have been if it was withheld. An answer of several categories
says what the prior says if the prior's category is among them.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import groupby
from math import inf
from operator import itemgetter
from typing import Any

from django.db import transaction
from django.db.models import Count, F, QuerySet
from django.db.models.functions import Coalesce, Least
from django.utils.dateparse import parse_datetime

from annotation.assignment.prior_display import CLOCK_TOLERANCE, priors_for_people
from annotation.domain.choices import EventVerb, Modality, PriorArm, PriorState, Stage
from annotation.domain.statistics.influence import NONE, Account, Reading, Readings
from annotation.domain.statistics.influence import influence as accounts_of
from annotation.domain.votes import Category
from annotation.models import Event, Label, Membership, Project, holder_key, record

MOST_WITHHELD = 90
"""The maximum percentage: some items must show priors for a comparison."""

_ARMS = {arm.value: arm for arm in PriorArm}
_OTHER = {Modality.TEXT: Modality.IMAGE, Modality.IMAGE: Modality.TEXT}
_DISPLAY = frozenset({"prior_display", "show_keyword_priors"})


@dataclass(frozen=True)
class Influence:
    """The influence of a project's priors; categories are indices into `categories`."""

    categories: tuple[Category, ...]
    labels: Mapping[PriorArm, int]
    """First-round labels by arm, with and without a category or a prior."""
    without_arm: int
    """First-round labels without an arm, from the time before arms were drawn."""
    accounts: tuple[Account, ...]

    @property
    def drawn(self) -> int:
        return sum(self.labels.values())


@transaction.atomic
def set_withheld_share(admin: Membership, percent: int) -> bool:
    """Withhold the priors of this share of items from now on. Return False if that was already the share.

    Raises ValueError outside 0 to `MOST_WITHHELD`.
    """
    if not 0 <= percent <= MOST_WITHHELD:
        raise ValueError(f"Between 0 and {MOST_WITHHELD} percent can be withheld, not {percent}.")
    project = Project.objects.select_for_update(no_key=True).get(pk=admin.project_id)
    before = project.withheld_percent
    if before == percent:
        return False
    Project.objects.filter(pk=project.pk).update(withheld_percent=percent)
    record(EventVerb.WITHHELD_SHARE, project=project, actor=admin, before=before, after=percent)
    return True


def read_influence(project: Project) -> Influence:
    """Read the influence of a project's priors, in five queries.

    Two queries if no arm was drawn; seven if the share or the display changed in between.
    """
    return read_answers(project)()


def read_answers(project: Project) -> Callable[[], Influence]:
    """Read the answers; return what computes the influence from them, without the database."""
    rows = list(project.categories.order_by("code"))
    counted = dict(_labels(project).values_list("prior_arm").annotate(n=Count("pk")).order_by())
    labels = {arm: counted.get(arm.value, 0) for arm in PriorArm}
    readings: Iterable[Reading] = ()
    if any(labels.values()):
        book = _Book(project, {row.pk: index for index, row in enumerate(rows)}, [row.code for row in rows])
        readings = book.readings()
    return partial(_figures, tuple(row.value() for row in rows), labels, counted.get("", 0), Readings.of(readings))


def _figures(
    categories: tuple[Category, ...], labels: Mapping[PriorArm, int], without_arm: int, readings: Readings
) -> Influence:
    return Influence(categories, labels, without_arm, accounts_of(readings, len(categories)))


def _labels(project: Project) -> QuerySet[Label]:
    """Return the first-round answers as first submitted, made here and not removed since."""
    submitted = Label.objects.filter(item__project=project, seat__round=1, revision=1, imported=False)
    in_force = submitted.filter(seat__label__isnull=False, seat__annotator=F("annotator"))
    return in_force.filter(item__known_answer__isnull=True).exclude(item__stage=Stage.KNOWN)


@dataclass(frozen=True, slots=True)
class _VisiblePrior:
    """A prior that people may see."""

    pk: int
    modality: Modality
    category: int
    since: datetime


_LAST: tuple[float, Sequence[_VisiblePrior]] = (inf, ())
"""What comes after the last item that has priors."""


class _Book:
    """The labels and priors of a project, read as values."""

    def __init__(self, project: Project, index_of: Mapping[int, int], codes: list[int]) -> None:
        self.project, self.index_of = project, index_of
        self.index_of_code = {code: index for index, code in enumerate(codes)}
        self._turns = _turns(project)
        self._given_back = _given_back(project) if self._turns else {}

    def readings(self) -> Iterator[Reading]:
        """Yield a reading for each label and modality whose prior names a category, in the order of items.

        Labels and priors are streamed beside each other, so that the priors of one item are held at a time.
        """
        labels = (
            _labels(self.project)
            .exclude(prior_arm="")
            .order_by("item_id")
            .values_list(
                *("item_id", "annotator_id", "prior_arm", "category_id", "categories", "first_answer", "priors_shown"),
                *(_no_later("seat__held_at"), _no_later("seat__shown_at")),
            )
        )
        by_item = self._by_item()
        item, priors = next(by_item, _LAST)
        for row in labels.iterator(chunk_size=5000):
            while item < row[0]:
                item, priors = next(by_item, _LAST)
            yield from self._beside(row, priors if item == row[0] else ())

    def _beside(self, row: tuple[Any, ...], priors: Sequence[_VisiblePrior]) -> Iterator[Reading]:
        item, annotator, arm, category, stored, first, prior_keys, held_at, shown_at = row
        arm = _ARMS[arm]
        categories = self._prior_categories(priors, prior_keys, arm, shown_at)
        period = bisect_right(self._turns, min(held_at, self._given_back.get((item, annotator), held_at)))
        submitted = NONE if category is None else self.index_of[category]
        before = self._first(first) if arm is PriorArm.HIDDEN else NONE
        for modality, prior in categories.items():
            other = categories.get(_OTHER[modality], NONE)
            codes_beside = (
                self._beside_prior(before, (first or {}).get("categories"), prior),
                self._beside_prior(submitted, stored, prior),
            )
            yield Reading(item, annotator, period, arm, modality, prior, other, *codes_beside)

    def _beside_prior(self, lead: int, stored: Sequence[int] | None, prior: int) -> int:
        """Return the prior's category where the answer names it, else the answer's first."""
        named = {self.index_of_code.get(code) for code in stored or ()}
        return prior if lead != NONE and prior in named else lead

    def _prior_categories(
        self, priors: Sequence[_VisiblePrior], prior_keys: list[int], arm: PriorArm, when: datetime
    ) -> dict[Modality, int]:
        """Return the categories of the priors that the annotator saw or would have seen, the newest of several."""
        if arm is PriorArm.WITHHELD:
            return {prior.modality: prior.category for prior in priors if prior.since <= when + CLOCK_TOLERANCE}
        return {prior.modality: prior.category for prior in priors if prior.pk in prior_keys}

    def _first(self, answer: dict[str, Any] | None) -> int:
        code = (answer or {}).get("category")
        return NONE if code is None else self.index_of_code.get(code, NONE)

    def _by_item(self) -> Iterator[tuple[float, Sequence[_VisiblePrior]]]:
        """Yield the items in order, each with its priors with a category that people may see, oldest first."""
        priors = priors_for_people(self.project).filter(item__project=self.project, state=PriorState.OK)
        columns = ("item_id", "pk", "modality", "category_id", "created_at")
        rows = priors.filter(category__isnull=False).order_by("item_id", "created_at", "pk").values_list(*columns)
        for item, of_item in groupby(rows.iterator(chunk_size=5000), key=itemgetter(0)):
            yield (
                item,
                [
                    _VisiblePrior(pk, Modality(modality), self.index_of[category], since)
                    for _item, pk, modality, category, since in of_item
                ],
            )


def _no_later(moment: str) -> Least:
    """Return a time of the label's seat, or the label's own time if the seat was freed and taken again since."""
    return Least(Coalesce(moment, "created_at"), "created_at")


def _turns(project: Project) -> list[datetime]:
    """Return the times when the share of withheld priors or their display changed.

    Between two of these times, arms are drawn in the same way.
    """
    events = Event.objects.filter(
        project=project, verb__in=(EventVerb.WITHHELD_SHARE, EventVerb.CHANGE_SETTINGS)
    ).order_by("at")
    return [
        at
        for verb, facts, at in events.values_list("verb", "facts", "at")
        if verb == EventVerb.WITHHELD_SHARE or _DISPLAY.intersection(facts.get("changed", ()))
    ]


def _given_back(project: Project) -> dict[tuple[int, int], datetime]:
    """Return when people first got a seat that they lost, by item and member; its arm is kept if they return."""
    people = {holder_key(member): member.pk for member in project.memberships.only("public_id")}
    events = Event.objects.filter(project=project, verb__in=(EventVerb.SEAT_LAPSED, EventVerb.SEAT_EMPTIED)).order_by(
        "-at"
    )
    lost = events.values_list("item_id", "facts", "at").iterator(chunk_size=5000)
    return {
        (item, people[facts["holder"]]): parse_datetime(facts.get("held_at") or "") or at
        for item, facts, at in lost
        if facts.get("holder") in people
    }
