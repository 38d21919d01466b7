"""Batches as the pages show them: names, sentences, lengths of bars."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from annotation.batches.progress import BatchFigures, BatchOverview
from annotation.domain.choices import BatchState, Stage
from annotation.domain.workforce.forecast import FEWEST_DAYS, FEWEST_LABELS, LOOKED_BACK, Estimate, Pace
from annotation.domain.workforce.staffing import Verdict
from annotation.pages.svg import share

_SHOWN = (Stage.IMPORTED, Stage.READY, Stage.LABELLING, Stage.DISPUTED, Stage.GOLD, Stage.EXCLUDED)


def batch_name(batch: str) -> str:
    """Return the batch's name, or the words for the nameless one."""
    return batch or _("without a batch")


def batch_card(figures: BatchFigures) -> dict[str, Any]:
    """Return the values of a batch's card on a page."""
    pace = figures.finish.pace
    return {
        "figures": figures,
        "name": batch_name(figures.name),
        "nameless": not figures.name,
        "state": _state(figures),
        "filled_width": share(figures.filled, figures.seats),
        "held_at": share(figures.filled, figures.seats),
        "held_width": share(figures.held, figures.seats),
        "percent": int(100 * figures.filled / figures.seats) if figures.seats else 0,
        "stages": [(stage.value, figures.stages[stage]) for stage in _SHOWN if figures.stages.get(stage)],
        "pace": round(pace.per_day) if pace else None,
        "finish": _finish(figures),
        "why": _why(figures),
        "needed": _needed(figures),
        "needs_people": figures.staffing.verdict in (Verdict.PEOPLE, Verdict.QUOTAS),
        "acts": _acts(figures),
    }


def annotator_rows(overview: BatchOverview, typed: Mapping[str, str] | None) -> list[dict[str, Any]]:
    """Return annotators with labels given, labels left and batches; `typed` is what a form was sent with."""
    of_person: dict[int, list[str]] = {person.key: [] for person in overview.people}
    for batch in overview.batches:
        for person in batch.members:
            of_person[person.key].append(batch_name(batch.name))
    rows = []
    for person in overview.people:
        own = "" if person.own_quota is None else str(person.own_quota)
        value = typed.get(f"quota-{person.public_id}", own) if typed else own
        rows.append({"person": person, "batches": of_person[person.key], "value": value})
    return rows


def _state(figures: BatchFigures) -> dict[str, str]:
    if figures.waits_for is not None and figures.state is not BatchState.CLOSED:
        return {"kind": "is-warn", "text": _("waits for the pilot")}
    return {
        BatchState.WAITING: {"kind": "", "text": _("not open yet")},
        BatchState.OPEN: {"kind": "is-good", "text": _("open")},
        BatchState.PAUSED: {"kind": "is-warn", "text": _("paused")},
        BatchState.CLOSED: {"kind": "", "text": _("closed")},
    }[figures.state]


def _acts(figures: BatchFigures) -> list[tuple[str, str]]:
    """Return the possible next actions, the main one first."""
    acts = []
    if figures.state is BatchState.WAITING or (figures.state is BatchState.OPEN and figures.ready):
        acts.append(("open", _("Open")))
    if figures.state in (BatchState.PAUSED, BatchState.CLOSED):
        acts.append(("resume", _("Resume")))
    if figures.state is BatchState.OPEN:
        acts.append(("pause", pgettext("batch", "Pause")))
    if figures.state is not BatchState.CLOSED:
        acts.append(("close", _("Close")))
    return acts


def _finish(figures: BatchFigures) -> str:
    """Return when the batch will be done, as dates, or why there is no estimate."""
    if not figures.left:
        return _("Every seat is filled.") if figures.seats else _("Nothing to label.")
    if figures.state is not BatchState.OPEN or figures.waits_for is not None:
        return _("No estimate until it is opened.")
    if not isinstance(figures.finish, Estimate):
        return _("No estimate yet.")
    first, last = (day.isoformat() for day in (figures.finish.first, figures.finish.last))
    if first == last:
        return _("Done about %(day)s") % {"day": first}
    return _("Done between %(first)s and %(last)s") % {"first": first, "last": last}


def _why(figures: BatchFigures) -> str:
    """Return what the estimate assumes or lacks; empty where none is possible."""
    pace = figures.finish.pace
    if not figures.left or figures.state is not BatchState.OPEN or figures.waits_for is not None:
        return ""
    if isinstance(figures.finish, Estimate):
        return _as_before(figures.finish.pace)
    return _(
        "It takes labels on %(days)d days and %(labels)d labels within %(back)d days; there are %(n)d on %(m)d."
    ) % {
        "days": FEWEST_DAYS,
        "labels": FEWEST_LABELS,
        "back": LOOKED_BACK,
        "n": pace.labels if pace else 0,
        "m": pace.days if pace else 0,
    }


def _as_before(pace: Pace) -> str:
    return _(
        "If people continue as before: %(per_day)d labels a day (%(low)d to %(high)d) on %(days)d of the last "
        "%(span)d days."
    ) % {
        "per_day": round(pace.per_day),
        "low": round(pace.low),
        "high": round(pace.high),
        "days": pace.days,
        "span": pace.span,
    }


def _needed(figures: BatchFigures) -> str:
    """Return in a sentence which annotators are needed."""
    staffing = figures.staffing
    if figures.members_short:
        return ngettext(
            "Needs %(count)d more person to be finished.",
            "Needs %(count)d more people to be finished.",
            figures.members_short,
        ) % {"count": figures.members_short}
    match staffing.verdict:
        case Verdict.PEOPLE:
            items = ngettext(
                "%(count)d item cannot be finished with the present people;",
                "%(count)d items cannot be finished with the present people;",
                staffing.stuck_items,
            ) % {"count": staffing.stuck_items}
            more = ngettext(
                "%(count)d more person is needed.", "%(count)d more people are needed.", staffing.more_people
            ) % {"count": staffing.more_people}
            return f"{items} {more}"
        case Verdict.QUOTAS:
            return ngettext(
                "The quotas are %(count)d label short.", "The quotas are %(count)d labels short.", staffing.labels_short
            ) % {"count": staffing.labels_short}
        case Verdict.PERHAPS:
            return _("Perhaps enough people: the number is close, or not every item could be checked.")
        case Verdict.ENOUGH:
            return ngettext(
                "Enough people: %(count)d annotator is available.",
                "Enough people: %(count)d annotators are available.",
                figures.available,
            ) % {"count": figures.available}
        case _:
            return ""
