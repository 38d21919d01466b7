"""What a webhook is told: read from the log and the runs after they were stored, so that nothing waits for it.

Never a text of an item, never a person: ids, stages, codes and addresses of pages that need a sign-in.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.urls import reverse

from annotation.core.runs_on_items import runs_on_items
from annotation.domain.choices import EventVerb, Stage
from annotation.domain.outgoing import Happening
from annotation.models import Delivery, Event, Project, Webhook
from runs.sql.database_clock import database_now

OVERLAP = timedelta(minutes=75)
"""How far each look goes back behind the last one: rows are stored some time after the moment that they carry, and the
clock of the machine that stores them may be off by an hour."""
AT_ONCE = 1000
"""The most new messages of one look; the next one goes on."""

VERBS = {
    EventVerb.CLOSED: (Happening.ITEM_CLOSED, Happening.ITEM_DISPUTED),
    EventVerb.DISPUTED: (Happening.ITEM_DISPUTED,),
    EventVerb.REPORT: (Happening.ITEM_REPORTED,),
    EventVerb.RELEASED: (Happening.RELEASE_MADE,),
    EventVerb.RELEASE_PUBLISHED: (Happening.RELEASE_PUBLISHED,),
}
_FACTS = ("stage", "level", "reason", "reasons", "version", "items")
"""The facts of an event that are passed on: all are codes or numbers."""


@dataclass(frozen=True)
class Happened:
    """Something that happened once; `key` is the same however often it is read."""

    key: str
    kind: Happening
    at: datetime
    facts: dict[str, Any]


def read_happenings(webhook: Webhook) -> int:
    """Store a message for everything new that the webhook asks for; return how many."""
    now = database_now()
    since = max(webhook.created_at, webhook.read_until - OVERLAP)
    known = set(Delivery.objects.filter(webhook=webhook, happened_at__gte=since).values_list("key", flat=True))
    new: list[Happened] = []
    for happened in sorted(_since(webhook, since), key=lambda happened: happened.at):
        if happened.key not in known and len(new) < AT_ONCE:
            new.append(happened)
    rows = [
        Delivery(
            webhook=webhook, key=happened.key, happening=happened.kind, happened_at=happened.at, facts=happened.facts
        )
        for happened in new
    ]
    Delivery.objects.bulk_create(rows, ignore_conflicts=True)
    until = min(now, new[-1].at) if len(new) == AT_ONCE else now
    Webhook.objects.filter(pk=webhook.pk).update(read_until=until)
    return len(rows)


def _since(webhook: Webhook, since: datetime) -> Iterator[Happened]:
    subscribed = frozenset(webhook.happenings)
    verbs = [verb for verb, kinds in VERBS.items() if subscribed & {kind.value for kind in kinds}]
    events = Event.objects.filter(project=webhook.project, verb__in=verbs, at__gte=since).select_related("item")
    for event in events.defer("item__text") if verbs else ():
        for kind in VERBS[EventVerb(event.verb)]:
            if kind in subscribed and _fits(kind, event):
                yield Happened(f"{kind}:{event.pk}", kind, event.at, _facts(webhook.project, event))
    if Happening.RUN_ENDED in subscribed:
        ended = runs_on_items(webhook.project).filter(finished_at__gte=since)
        for run in ended.only("public_id", "method", "state", "reason", "subject", "finished_at"):
            facts = {"run": str(run.public_id), "method": run.method, "state": run.state, "subject": str(run.subject)}
            assert run.finished_at is not None
            kind = Happening.RUN_ENDED
            yield Happened(f"{kind}:{run.public_id}:{run.finished_at:%H%M%S%f}", kind, run.finished_at, facts)


def _fits(kind: Happening, event: Event) -> bool:
    """Return whether the event is of this kind: an item is closed as gold, as disputed or as excluded.

    A check that became final for one annotator is none.
    """
    if event.verb != EventVerb.CLOSED:
        return True
    stage = event.facts.get("stage")
    return stage != Stage.KNOWN and (kind is not Happening.ITEM_DISPUTED or stage == Stage.DISPUTED)


def _facts(project: Project, event: Event) -> dict[str, Any]:
    facts: dict[str, Any] = {name: event.facts[name] for name in _FACTS if name in event.facts}
    if event.item is not None:
        facts["item"] = str(event.item.public_id)
        name = "report-answer" if event.verb == EventVerb.REPORT else "item"
        facts["page"] = settings.SITE_URL + reverse(f"annotation:{name}", args=[project.slug, event.item.public_id])
    elif "version" in facts:
        facts["page"] = settings.SITE_URL + reverse("annotation:release", args=[project.slug, facts["version"]])
    return facts
