"""Actions on many items at once: the label of each action, its input, and the items that it skips."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from annotation.batches import open_items, state
from annotation.consensus.exclude import withdraw_item
from annotation.domain.choices import Reason, Role, Stage
from annotation.models import BulkOrder, Item, Membership
from annotation.priors import requests
from annotation.review import adjudicate

Passed = Counter[str]
"""The number of items that were not changed, by reason."""

REASONS: Mapping[str, Promise] = {
    "unchanged": gettext_lazy("as it should be already"),
    "already_out": gettext_lazy("taken out already"),
    "reported": gettext_lazy("reported as illegal: reopened one by one, with care"),
    "known": gettext_lazy("has a known answer, so it gets no votes"),
    "still_open": gettext_lazy("not closed yet"),
    "needs_reviewer": gettext_lazy("disputed: only reviewers send it to a new round"),
    "own_label": gettext_lazy("you labelled it: somebody else has to decide"),
    "has_priors": gettext_lazy("has its priors, or nothing a model can be asked about"),
    "picture_missing": gettext_lazy("its picture is missing"),
    "waits_for_priors": gettext_lazy("waits for its priors"),
    "batch_closed": gettext_lazy("its batch is closed"),
    "not_ready": gettext_lazy("open or further already"),
    "changed": gettext_lazy("somebody changed it at the same moment"),
}
"""The reasons for skipping an item, as texts for people."""


@dataclass(frozen=True)
class Act:
    """An action on many items; `needs` names its input."""

    key: str
    name: Promise
    means: Promise
    needs: str
    carry_out: Callable[[BulkOrder, Sequence[Item]], Passed]
    destroys: bool = False


def _set_batch(row: BulkOrder, items: Sequence[Item]) -> Passed:
    batch = row.options["batch"]
    state.ensure_batches(row.project, [batch] if batch else [])
    changed = [item.pk for item in items if item.batch != batch]
    Item.objects.filter(pk__in=changed).update(batch=batch)
    state.update_item_queues(row.project, [item.pk for item in items])
    return Passed(unchanged=len(items) - len(changed))


def _set_priority(row: BulkOrder, items: Sequence[Item]) -> Passed:
    priority = row.options["priority"]
    changed = Item.objects.filter(pk__in=[item.pk for item in items]).exclude(priority=priority)
    return Passed(unchanged=len(items) - changed.update(priority=priority))


def _withdraw(row: BulkOrder, items: Sequence[Item]) -> Passed:
    withdrawn = sum(withdraw_item(item, row.ordered_by, row.options["reason"]) for item in items)
    return Passed(already_out=len(items) - withdrawn)


def _label_again(row: BulkOrder, items: Sequence[Item]) -> Passed:
    return Passed(why for item in items if (why := _again(item, row.ordered_by, row.options["reason"])))


def _again(item: Item, admin: Membership, reason: str) -> str:
    """Send one item to labelling again. Return "" or the reason why not."""
    disputed = item.stage == Stage.DISPUTED
    if disputed and not admin.has(Role.REVIEWER):
        return "needs_reviewer"
    if item.excluded_for == Reason.REPORTED:
        return "reported"
    try:
        (adjudicate.request_new_round if disputed else adjudicate.reopen_closed_item)(item, admin, item.version, reason)
    except adjudicate.OwnItem:
        return "own_label"
    except adjudicate.NotAllowed:
        return "known" if item.stage == Stage.EXCLUDED else "still_open"
    except adjudicate.StaleVersion:
        return "changed"
    return ""


def _compute_priors(row: BulkOrder, items: Sequence[Item]) -> Passed:
    chosen = Item.objects.filter(pk__in=[item.pk for item in items])
    requested = requests.request_missing_of(row.project, chosen, row.ordered_by)
    return Passed(has_priors=len(items) - requested)


def _open(row: BulkOrder, items: Sequence[Item]) -> Passed:
    opened = open_items.open_selected_items(row.project, row.ordered_by, [item.pk for item in items])
    unopened = [item for item in items if item.pk not in opened]
    return Passed(_why_not_open(item) for item in unopened)


def _why_not_open(item: Item) -> str:
    if item.stage not in (Stage.IMPORTED, Stage.READY):
        return "not_ready"
    if item.picture_missing:
        return "picture_missing"
    waits = item.stage == Stage.IMPORTED and item.project.priors_wanted
    return "waits_for_priors" if waits else "batch_closed"


ACTS = {
    act.key: act
    for act in (
        Act(
            "batch",
            gettext_lazy("Put into a batch"),
            gettext_lazy("They leave the batch they are in; who gets them follows the new one."),
            "batch",
            _set_batch,
        ),
        Act(
            "priority",
            gettext_lazy("Set the priority"),
            gettext_lazy("Only the order in which they are handed out changes."),
            "priority",
            _set_priority,
        ),
        Act(
            "open",
            gettext_lazy("Open for labelling"),
            gettext_lazy("Ready items get their seats and go to labelling; the others are passed over."),
            "",
            _open,
        ),
        Act(
            "priors",
            gettext_lazy("Compute priors"),
            gettext_lazy("The models of this project are asked for every prior that is missing; that costs calls."),
            "",
            _compute_priors,
        ),
        Act(
            "again",
            gettext_lazy("Label again"),
            gettext_lazy("Gold, excluded and disputed items go to a new round; the votes so far stay in the history."),
            "reason",
            _label_again,
            destroys=True,
        ),
        Act(
            "withdraw",
            gettext_lazy("Take out"),
            gettext_lazy("They leave every queue and every later release; their labels stay in the records."),
            "reason",
            _withdraw,
            destroys=True,
        ),
    )
}
"""The actions on many items, by key."""
