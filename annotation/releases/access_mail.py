"""E-mail about requests for access to a release: to admins who asked for it, and to the asker on the decision."""

from datetime import timedelta

from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from annotation.domain.outgoing import MailKind
from annotation.mail.queue import queue_mail, sends_mail
from annotation.models import AccessRequest, Mail, Membership, Publication, User

QUIET = timedelta(hours=1)
"""Admins are told of a project's requests once in this time; the page shows all of them."""


def tell_admins(shown: Publication) -> None:
    """Tell the project's admins who want it that somebody asked."""
    if not sends_mail():
        return
    release, project = shown.release, shown.release.project
    page = settings.SITE_URL + reverse("annotation:release", args=[project.slug, release.number])
    facts: dict[str, str | int] = {"project": project.name, "number": release.number, "page": page}
    lately = Mail.objects.filter(
        kind=MailKind.ACCESS_ASKED, project=project, created_at__gte=timezone.now() - QUIET
    ).values("user")
    admins = Membership.objects.filter(project=project, active=True, administers=True).values("user")
    wanting = User.objects.filter(pk__in=admins, access_mail=True, is_active=True).exclude(email="")
    for user in wanting.exclude(pk__in=lately):
        queue_mail(MailKind.ACCESS_ASKED, user.email, facts, user=user, project=project, language=user.language)


def tell_asker(shown: Publication, access_request: AccessRequest) -> None:
    """Tell the asker that the answer is on the page of their request, whose address they alone have."""
    project = shown.release.project
    facts: dict[str, str | int] = {"project": project.name, "number": shown.release.number, "page": shown.address()}
    queue_mail(MailKind.ACCESS_DECIDED, access_request.email, facts, project=project)
