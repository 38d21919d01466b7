"""Who is told of a report of illegal content, and by what: pages say exactly this to people who report."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from django.conf import settings
from django.urls import reverse

from annotation.consensus.exclude import report_item
from annotation.core.transactions import short_transaction
from annotation.domain.outgoing import MailKind
from annotation.domain.reports import ReportTold, addresses_in, first_of_each
from annotation.mail.queue import queue_mail, sends_mail, takes_mail
from annotation.models import Item, Mail, Membership, Project, Report, User

MOST_MAILED = 50
"""The most addresses that one report is mailed to."""


def contact_of(project: Project) -> str:
    """Return whom a project names for reports of illegal content, else whom the site names; "" if neither does."""
    return project.operator_contact.strip() or settings.OPERATOR_CONTACT.strip()


def who_is_told(project: Project) -> ReportTold:
    """Return who would be told of a report now."""
    admins = Membership.objects.filter(project=project, active=True, administers=True, user__is_active=True)
    mail = any(takes_mail(address, user=user, project=project) for address, user in _addresses(project))
    site_admins = User.objects.filter(is_staff=True, is_active=True)
    return ReportTold(admins.exists(), site_admins.exists(), mail, contact_of(project))


def tell_of_report(item: Item) -> ReportTold:
    """Store the mails about a report of the item, and return who is told of it."""
    project = item.project
    told = who_is_told(project)
    page = settings.SITE_URL + reverse("annotation:report-answer", args=[project.slug, item.public_id])
    facts: dict[str, str | int] = {"project": project.name, "page": page}
    stored = [
        queue_mail(
            MailKind.ITEM_REPORTED, address, facts, user=user, project=project, language=user.language if user else ""
        )
        for address, user in _addresses(project)
    ]
    return replace(told, mail=any(stored))


@short_transaction
def report_post(item: Item, reporter: Membership, note: str = "") -> ReportTold:
    """Report the item, and return who is told of it."""
    return tell_of_report(report_item(item, reporter, note).item)


def told_before(report: Report) -> ReportTold:
    """Return who is told of a report that was stored before, when it is sent once more."""
    project = report.item.project
    since = report.created_at - timedelta(minutes=1)
    mails = Mail.objects.filter(kind=MailKind.ITEM_REPORTED, project=project, created_at__gte=since)
    return replace(who_is_told(project), mail=mails.exists())


def _addresses(project: Project) -> Iterator[tuple[str, User | None]]:
    """Yield the addresses of the project's admins and of the contacts of project and site, each once."""
    if not sends_mail():
        return
    administered = Membership.objects.filter(project=project, active=True, administers=True)
    admins = User.objects.filter(pk__in=administered.values("user"), is_active=True).exclude(email="").order_by("pk")
    users = {user.email.casefold(): user for user in admins[:MOST_MAILED]}
    contacts = addresses_in(project.operator_contact, settings.OPERATOR_CONTACT)
    for address in first_of_each([*(user.email for user in users.values()), *contacts])[:MOST_MAILED]:
        yield address, users.get(address.casefold())
