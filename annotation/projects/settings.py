"""Changes of a running project's settings by its admins."""

from django.db import transaction

from annotation.core import second_factor
from annotation.domain.choices import EventVerb
from annotation.models import Membership, Project, record
from annotation.priors import requests
from annotation.projects import consent_texts
from runs.execution import budget

_CONSENT = frozenset({"consent_text", "on_withdrawal"})
"""The settings that are part of the consent."""


class OwnSecondFactorMissing(ValueError):
    """An admin would lock themselves out: they require two-step sign-in and have not set it up."""


@transaction.atomic
def change_settings(admin: Membership | None, project: Project, changed: list[str]) -> None:
    """Store the changed fields of `project` (already set on it), and record which changed; `admin` None: a command.

    A new consent text, or a new rule for the labels of people who leave, makes a new version, and annotators are asked
    for their consent again; earlier versions are kept. A new budget limits running runs at once. Items that waited for
    priors continue if priors are no longer wanted.
    Raises OwnSecondFactorMissing, and then changes nothing.
    """
    asks_more = admin and "second_factor" in changed and second_factor.binds(admin, project.second_factor)
    if admin and asks_more and not second_factor.is_set_up(admin):
        raise OwnSecondFactorMissing
    if not _CONSENT.isdisjoint(changed):
        before = Project.objects.select_for_update().get(pk=project.pk)
        consent_texts.keep(before)
        project.consent_version = before.consent_version + 1
        consent_texts.keep(project)
    # Only what changed: the rest may be older than an archiving or a deletion that somebody has just asked for.
    project.save(update_fields={*changed, "consent_version"})
    budget.set_project_limits(project.public_id, calls=project.call_budget, tokens=project.token_budget)
    if "priors_wanted" in changed and not project.priors_wanted:
        requests.release_waiting_items(project, admin)
    if changed:
        record(EventVerb.CHANGE_SETTINGS, project=project, actor=admin, changed=sorted(set(changed)))
