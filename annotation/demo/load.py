"""Load the sample campaign into a site: two projects, people with logins, votes, disputes, a release.

Everything uses the functions that real data uses (join, import, open, exclude, release). Only the annotators' names in
the data are tied to accounts, so that the sample votes belong to somebody.
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

from annotation.batches import open_items, state
from annotation.consensus import exclude
from annotation.core import extensions
from annotation.demo.campaign import CAMPAIGN, GUIDELINES, archive, street_talk
from annotation.domain.choices import Policy, PriorDisplay, Role, Stage
from annotation.imports.options import ImportOptions
from annotation.imports.run import import_file
from annotation.members import join
from annotation.models import Batch, Guideline, Item, Label, Membership, Project, User, WorkDay
from annotation.projects import create
from annotation.releases import build, publication

REVIEWED, STRICT = "neighbourhood", "first-view"
DESCRIPTIONS = {
    REVIEWED: "Mild posts of an invented neighbourhood, written and drawn for trying Interplay.",
    STRICT: "The same posts, with training first. Annotators answer before they see what models suggest.",
}
PEOPLE = ((Role.ADMIN, "kestrel"), (Role.REVIEWER, "linnet"), (Role.ANNOTATOR, "robin"))
"""One login a role. `robin` has labelled nothing yet, so that there is something left to do."""


@dataclass(frozen=True)
class SampleSite:
    """What was loaded: the slugs of the projects, how many items they have, a login for each role."""

    projects: tuple[str, ...]
    items: int
    logins: list[dict[str, str]]


def demonstrate(language: str = "en") -> SampleSite:
    """Create the sample projects if they are missing, and new passwords if the file of logins is out of date.

    Posts in the language (`en`, `ko` or `zh`) are handed out first.
    """
    for slug, name, policy, display in (
        (REVIEWED, "Neighbourhood posts", Policy.REVIEW, PriorDisplay.SHOWN),
        (STRICT, "Neighbourhood, own view first", Policy.PAPER, PriorDisplay.AFTER_FIRST_ANSWER),
    ):
        if not Project.objects.filter(slug=slug).exists():
            _make(slug, name, policy, display, language)
    items = Item.objects.filter(project__slug__in=(REVIEWED, STRICT)).exclude(stage=Stage.KNOWN).count()
    return SampleSite((REVIEWED, STRICT), items, _logins(settings.DEMO_LOGINS))


def _make(slug: str, name: str, policy: Policy, display: PriorDisplay, language: str) -> None:
    project = create.create_project(slug, name=name, policy=policy)
    Project.objects.filter(pk=project.pk).update(
        description=DESCRIPTIONS[slug],
        prior_display=display,
        content_warning=CAMPAIGN.content_warning,
        consent_text=CAMPAIGN.consent,
        licence="CC0-1.0",
        daily_goal=60,
        break_after_minutes=15,
        training_required=slug == STRICT,
        check_percent=5 if slug == STRICT else 0,  # checks keep answers open for half an hour; here posts close at once
        operator_contact="This is a sample project: your own names here whom to turn to.",
    )
    Guideline.objects.filter(project=project).update(text=GUIDELINES)
    project.refresh_from_db()
    admin = _people(project)
    talk = street_talk() if slug == REVIEWED else ()
    import_file(project, BytesIO(archive(timezone.now(), talk)), ImportOptions(), actor=admin)
    open_items.open_items(project, admin)
    _batches(project, admin)
    if talk:
        state.set_priority(Batch.objects.get(project=project, name=CAMPAIGN.talk_batches[language]), admin, 1)
    _take_out(project, admin)
    _days_of_work(project)
    released = build.release(project, admin)
    if slug == REVIEWED:
        publication.publish(released, admin)
        for extension in extensions.registered():
            for add_sample in extension.add_samples:
                add_sample(project)


def _people(project: Project) -> Membership:
    """Add all members. The annotators' names in the data become the names of their accounts."""
    members = {name: join.add_member(project, name, role).membership for role, name in PEOPLE}
    for name in CAMPAIGN.annotators:
        member = join.add_member(project, name, Role.ANNOTATOR).membership
        Membership.objects.filter(pk=member.pk).update(imported_name=name)
    return members["kestrel"]


def _days_of_work(project: Project) -> None:
    """Store invented working hours: each label took its stated seconds and a minute more."""
    labels = Label.objects.filter(item__project=project, annotator__imported_name__in=CAMPAIGN.annotators)
    days: dict[tuple[int, date], WorkDay] = {}
    for label in labels.select_related("item").order_by("created_at"):
        day = timezone.localdate(label.created_at)
        work = days.setdefault((label.annotator_id, day), WorkDay(member_id=label.annotator_id, day=day))
        work.active_seconds += 60 + round(label.seconds or 0)
        work.labels += 1
        work.shown += 1
        work.severe += (label.item.severity or 0) >= project.severe_from
    WorkDay.objects.bulk_create(days.values())


def _batches(project: Project, admin: Membership) -> None:
    """Close the pilot, pause one batch, limit one to the sample's annotators; the main batch stays open."""
    rows = {row.name: row for row in Batch.objects.filter(project=project)}
    state.set_pilot(rows[CAMPAIGN.pilot_batch], admin, pilot=True)
    state.close_batch(rows[CAMPAIGN.pilot_batch], admin)
    state.pause_batch(rows[CAMPAIGN.paused_batch], admin)
    state.limit_batch(
        rows[CAMPAIGN.team_batch],
        admin,
        Membership.objects.filter(project=project, imported_name__in=CAMPAIGN.annotators),
    )


def _take_out(project: Project, admin: Membership) -> None:
    items = {item.external_id: item for item in Item.objects.filter(project=project)}
    reporter = Membership.objects.get(project=project, imported_name=CAMPAIGN.annotators[0])
    exclude.report_item(
        items[CAMPAIGN.reported_post], reporter, "An example of a report; nothing is wrong with this post."
    )
    exclude.withdraw_item(items[CAMPAIGN.withdrawn_post], admin, "An example: its author asked for it.")


def _logins(file: Path) -> list[dict[str, str]]:
    """Return the logins from the file if they still work; otherwise set new passwords and write the file."""
    stored = _read(file)
    people = {user.username: user for user in User.objects.filter(username__in=[name for _role, name in PEOPLE])}
    if stored and all(people[login["username"]].check_password(login["password"]) for login in stored):
        return stored
    logins = []
    for role, name in PEOPLE:
        password = join.new_password()
        people[name].set_password(password)
        people[name].save(update_fields=["password"])  # and need not be changed: the sign-in page shows them to all
        logins.append({"role": str(role), "username": name, "password": password})
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch(mode=0o600)
    os.chmod(file, 0o600)
    file.write_text(json.dumps(logins), encoding="utf-8")
    return logins


def _read(file: Path) -> list[dict[str, str]]:
    try:
        logins: Any = json.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return []
    names = {name for _role, name in PEOPLE}
    return logins if {login.get("username") for login in logins} == names else []
