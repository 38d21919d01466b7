"""The sample campaign on a site: two projects, people with logins, votes, disputes, a release.

Everything goes the way real data goes (`joining`, `importing`, `opening`, `removing`, `releasing`); only the
members' names in the data are tied to accounts, so that the sample votes belong to somebody.
"""

import json
import os
from dataclasses import dataclass
from datetime import date
from io import BytesIO
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone
from django.utils.module_loading import import_string

from annotation import batching, joining, opening, releasing, removing, rooms
from annotation.domain.words import Policy, PriorDisplay, Role, Stage
from annotation.import_terms import ImportOptions
from annotation.importing import import_file
from annotation.models import Batch, Guideline, Item, Label, Membership, Project, User, WorkDay
from annotation.samples.campaign import ANNOTATORS, PILOT, SECOND, TEAM, archive
from annotation.samples.guidelines import CONSENT, CONTENT_WARNING, GUIDELINES

REVIEWED, STRICT = "neighbourhood", "first-view"
PEOPLE = ((Role.ADMIN, "kestrel"), (Role.REVIEWER, "linnet"), (Role.ANNOTATOR, "robin"))
"""One login a role; `robin` has labelled nothing yet, so that there is something left to do."""
WITHDRAWN, REPORTED = "nb-007", "nb-050"


@dataclass(frozen=True)
class Shown:
    """What there is to see: projects by their addresses, items to label in all, a login for each role."""

    projects: tuple[str, ...]
    items: int
    logins: list[dict[str, str]]


def demonstrate() -> Shown:
    """Make the sample projects where they are missing, and logins where they are not known any more."""
    for slug, name, policy, display in (
        (REVIEWED, "Neighbourhood posts", Policy.REVIEW, PriorDisplay.SHOWN),
        (STRICT, "Neighbourhood, own view first", Policy.PAPER, PriorDisplay.AFTER_FIRST_ANSWER),
    ):
        if not Project.objects.filter(slug=slug).exists():
            _make(slug, name, policy, display)
    items = Item.objects.filter(project__slug__in=(REVIEWED, STRICT)).exclude(stage=Stage.KNOWN).count()
    return Shown((REVIEWED, STRICT), items, _logins(settings.DEMO_LOGINS))


def _make(slug: str, name: str, policy: Policy, display: PriorDisplay) -> None:
    project = joining.create_project(slug, name=name, policy=policy)
    Project.objects.filter(pk=project.pk).update(
        description="Mild posts of an invented neighbourhood, written and drawn for trying Interplay.",
        prior_display=display,
        content_warning=CONTENT_WARNING,
        consent_text=CONSENT,
        licence="CC0-1.0",
        daily_goal=10,
        check_percent=5,
        operator_contact="This is a demonstration: here stands whom your site turns to.",
    )
    Guideline.objects.filter(project=project).update(text=GUIDELINES)
    project.refresh_from_db()
    admin = _people(project)
    import_file(project, BytesIO(archive(timezone.now())), ImportOptions(), actor=admin)
    opening.open_items(project, admin)
    _batches(project, admin)
    _take_out(project, admin)
    _days_of_work(project)
    releasing.release(project, admin)
    if slug == REVIEWED:
        for path in rooms.samples:
            import_string(path)(project)


def _people(project: Project) -> Membership:
    """Give everybody their place; the annotators' names in the data are those of their accounts."""
    members = {name: joining.add_member(project, name, role).membership for role, name in PEOPLE}
    for name in ANNOTATORS:
        member = joining.add_member(project, name, Role.ANNOTATOR).membership
        Membership.objects.filter(pk=member.pk).update(imported_name=name)
    return members["kestrel"]


def _days_of_work(project: Project) -> None:
    """Sample hours, made up: as if every label had taken the seconds that stand with it and a minute more."""
    labels = Label.objects.filter(item__project=project, annotator__imported_name__in=ANNOTATORS)
    found: dict[tuple[int, date], WorkDay] = {}
    for label in labels.select_related("item").order_by("created_at"):
        day = timezone.localdate(label.created_at)
        work = found.setdefault((label.annotator_id, day), WorkDay(member_id=label.annotator_id, day=day))
        work.active_seconds += 60 + round(label.seconds or 0)
        work.labels += 1
        work.shown += 1
        work.severe += (label.item.severity or 0) >= project.severe_from
    WorkDay.objects.bulk_create(found.values())


def _batches(project: Project, admin: Membership) -> None:
    """The pilot is over, one batch is paused, one is for the three who labelled the sample; the main one is open."""
    rows = {row.name: row for row in Batch.objects.filter(project=project)}
    batching.set_pilot(rows[PILOT], admin, pilot=True)
    batching.close(rows[PILOT], admin)
    batching.pause(rows[SECOND], admin)
    batching.limit(rows[TEAM], admin, Membership.objects.filter(project=project, imported_name__in=ANNOTATORS))


def _take_out(project: Project, admin: Membership) -> None:
    items = {item.external_id: item for item in Item.objects.filter(project=project)}
    reporter = Membership.objects.get(project=project, imported_name=ANNOTATORS[0])
    removing.report_item(items[REPORTED], reporter, "An example of a report; nothing is wrong with this post.")
    removing.withdraw_item(items[WITHDRAWN], admin, "An example: its author asked for it.")


def _logins(file: Path) -> list[dict[str, str]]:
    """The logins as last written to the file, where they still hold; else with new passwords."""
    known = _read(file)
    people = {user.username: user for user in User.objects.filter(username__in=[name for _role, name in PEOPLE])}
    if known and all(people[one["username"]].check_password(one["password"]) for one in known):
        return known
    logins = []
    for role, name in PEOPLE:
        password = joining.new_password()
        people[name].set_password(password)
        people[name].save(update_fields=["password"])
        logins.append({"role": str(role), "username": name, "password": password})
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch(mode=0o600)
    os.chmod(file, 0o600)
    file.write_text(json.dumps(logins), encoding="utf-8")
    return logins


def _read(file: Path) -> list[dict[str, str]]:
    try:
        found: Any = json.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return []
    names = {name for _role, name in PEOPLE}
    return found if {one.get("username") for one in found} == names else []
