"""The switch of sample injection: off until an admin accepts the terms, and off again when an admin says so.

A new version of the terms switches every project off until an admin has accepted it.
"""

from collections.abc import Mapping

from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.core.transactions import short_transaction
from annotation.models import Membership, Project, record
from generation.domain.event_verbs import GenerationVerb
from generation.domain.injection.coverage import MOST_WANTED, Square, fits
from generation.models import InjectionConsent, InjectionRules

TERMS_VERSION = 1
"""Increased whenever the meaning of the terms changes."""


class InjectionOff(Exception):
    """The project makes no samples; the message says who can change that and where."""

    code = "injection_off"

    def __str__(self) -> str:
        return _("Sample injection is off in this project. An admin switches it on under Samples, by its terms.")


class BadTerms(ValueError):
    """The accepted terms are not those in force."""

    code = "terms_changed"


def is_on(project: Project) -> bool:
    """Return whether the project makes samples: it is switched on, and the terms in force were accepted."""
    accepted = InjectionConsent.objects.filter(project=project).first()
    on = InjectionRules.objects.filter(project=project, on=True).exists()
    return on and accepted is not None and accepted.version == TERMS_VERSION


def require_on(project: Project) -> None:
    """Raise InjectionOff if the project makes no samples."""
    if not is_on(project):
        raise InjectionOff


@short_transaction
def switch_on(member: Membership, version: int) -> None:
    """Accept the terms of this version and switch injection on. Raises BadTerms for another version."""
    if version != TERMS_VERSION:
        raise BadTerms(_("The terms have changed since you read them. Read them again, then accept."))
    rules = rules_of(member.project)
    if is_on(member.project):
        return
    InjectionConsent.objects.create(project=member.project, member=member, version=version)
    InjectionRules.objects.filter(pk=rules.pk).update(on=True, changed_at=timezone.now())
    record(GenerationVerb.INJECTION_ON, project=member.project, actor=member, terms=version)


@short_transaction
def switch_off(member: Membership) -> bool:
    """Stop making samples; existing ones stay as they are. Return False if injection was off."""
    off = InjectionRules.objects.filter(project=member.project, on=True).update(on=False, changed_at=timezone.now())
    if off:
        record(GenerationVerb.INJECTION_OFF, project=member.project, actor=member)
    return bool(off)


def rules_of(project: Project) -> InjectionRules:
    """Return the project's row of rules; it is created at the first call."""
    return InjectionRules.objects.get_or_create(project=project)[0]


def targets_of(project: Project) -> dict[Square, int]:
    """Return the wanted number of items by (pattern, category code); cells without a number are left out."""
    rules = InjectionRules.objects.filter(project=project).first()
    targets: dict[Square, int] = {}
    for name, count in (rules.targets if rules else {}).items():
        pattern, _dash, code = name.partition("-")
        targets[pattern, int(code)] = count
    return targets


@short_transaction
def set_targets(member: Membership, wanted: Mapping[Square, int]) -> bool:
    """Store the wanted numbers of items; cells that cannot have any are left out.

    Returns False if nothing changed.
    """
    hateful = {category.code: category for category in member.project.offered_categories()}
    targets = {
        f"{pattern}-{code}": count
        for (pattern, code), count in sorted(wanted.items())
        if code in hateful and fits(pattern, hateful[code]) and 0 < count <= MOST_WANTED
    }
    rules = rules_of(member.project)
    if rules.targets == targets:
        return False
    InjectionRules.objects.filter(pk=rules.pk).update(targets=targets, changed_at=timezone.now())
    record(GenerationVerb.INJECTION_TARGETS, project=member.project, actor=member, wanted=sum(targets.values()))
    return True
