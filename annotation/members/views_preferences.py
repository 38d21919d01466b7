"""Pages about the person, not about a project: projects, preferences, the QR code of a new second factor."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from allauth.mfa.adapter import get_adapter
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.domain.choices import Stage
from annotation.members.forms_preferences import LookForm, OwnKeysForm, PreferencesForm, ProjectsForm
from annotation.models import Event, Item, Membership, User
from annotation.pages.access import PersonRequest, page_before
from annotation.workload.workday import through_for_today

MANY_PROJECTS = 8
"""Who is in more projects can find them by name."""
_TOTP_SECRET = "mfa.totp.secret"  # the session key of allauth for the secret of an authenticator app in setup


@dataclass(frozen=True)
class Standing:
    """How many posts of a project have their label, wait for a reviewer, and are to be labelled in all."""

    decided: int
    disputed: int
    posts: int

    @property
    def percent(self) -> int:
        """The share of decided posts, rounded down: only what is whole is 100."""
        return 100 * self.decided // max(self.posts, 1)


def _standings(members: Sequence[Membership]) -> dict[int, Standing]:
    """Return where each project stands, by its key, for those that see more than their own work; in one query."""
    projects = [member.project_id for member in members if member.reviews or member.administers]
    stages: dict[int, Counter[str]] = {project: Counter() for project in projects}
    rows = Item.objects.filter(project__in=projects).order_by().values_list("project", "stage")
    for project, stage, count in rows.annotate(count=Count("pk")):
        stages[project][stage] = count
    return {
        project: Standing(
            counts[Stage.GOLD], counts[Stage.DISPUTED], counts.total() - counts[Stage.EXCLUDED] - counts[Stage.KNOWN]
        )
        for project, counts in stages.items()
    }


def _memberships_with_work(user: User) -> QuerySet[Membership]:
    """Return the person's projects, each with counts of done work, in one query."""
    today = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    last = Event.objects.filter(project=OuterRef("project")).order_by("-at").values("at")[:1]
    return (
        Membership.objects.filter(user=user, active=True)
        .select_related("project")
        .annotate(
            today=Count("seat_rows", filter=Q(seat_rows__filled_at__gte=today)),
            mine=Count("seat_rows", filter=Q(seat_rows__label__isnull=False)),
            last=Subquery(last),
        )
        .order_by("project__name")
    )


@require_GET
def projects(request: PersonRequest) -> HttpResponse:
    """List the person's projects, each with its next step, and those where their own answers are left to read.

    Who has many can find one by its name.
    """
    mine = list(_memberships_with_work(request.user))
    form = ProjectsForm(request.GET)
    words = form.cleaned_data["q"].casefold() if form.is_valid() else ""
    shown = [member for member in mine if words in member.project.name.casefold()]
    past = Membership.objects.filter(user=request.user, active=False, annotates=True, project__delete_after=None)
    standings, through = _standings(shown), through_for_today(shown)
    context = {
        "cards": [(member, standings.get(member.project_id), member.pk in through) for member in shown],
        "archived": sum(member.project.is_closed for member in shown),
        "form": form,
        "searches": len(mine) > MANY_PROJECTS,
        "past": past.select_related("project").order_by("project__name"),
    }
    return render(request, "annotation/projects.html", context)


@require_http_methods(["GET", "POST"])
def preferences(request: PersonRequest) -> HttpResponse:
    """Show and store the person's settings: viewing, theme, language."""
    form = PreferencesForm(request.POST if request.method == "POST" else None, instance=request.user)
    if form.is_valid():
        form.save()
        messages.success(request, _("Saved."))
        return _with_language(redirect("annotation:preferences"), form.cleaned_data["language"])
    return render(request, "annotation/preferences.html", {"form": form}, status=422 if form.is_bound else 200)


@require_http_methods(["GET", "POST"])
def own_keys(request: PersonRequest) -> HttpResponse:
    """Show and store the letters that the person wants as keys."""
    form = OwnKeysForm(request.POST if request.method == "POST" else None, user=request.user)
    if form.is_valid():
        form.save()
        messages.success(request, _("Saved."))
        return redirect("annotation:own-keys")
    return render(request, "annotation/own_keys.html", {"form": form}, status=422 if form.is_bound else 200)


@require_POST
@login_not_required
def look(request: HttpRequest) -> HttpResponse:
    """Set theme or language from the menu; a visitor who is not signed in only gets a language cookie."""
    form = LookForm(request.POST)
    answer = redirect(page_before(request))
    if not form.is_valid():
        return answer
    chosen = {name: value for name, value in form.cleaned_data.items() if value}
    if request.user.is_authenticated and chosen:
        User.objects.filter(pk=request.user.pk).update(**chosen)
    return _with_language(answer, chosen.get("language", ""))


@require_GET
def totp_picture(request: PersonRequest) -> HttpResponse:
    """Return the QR code of the authenticator app in setup; it is never stored.

    It has its own URL because the content security policy refuses the `data:` picture of allauth.
    """
    secret = request.session.get(_TOTP_SECRET)
    if not secret:
        raise Http404
    adapter = get_adapter()
    picture = adapter.build_totp_svg(adapter.build_totp_url(request.user, secret))
    return HttpResponse(picture, content_type="image/svg+xml", headers={"Cache-Control": "no-store"})


def _with_language(answer: HttpResponse, language: str) -> HttpResponse:
    if language:
        answer.set_cookie(
            settings.LANGUAGE_COOKIE_NAME,
            language,
            max_age=365 * 24 * 3600,
            secure=settings.LANGUAGE_COOKIE_SECURE,
            samesite="Lax",
        )
    return answer
