"""Views of an annotator's own wellbeing pages: opt-outs, limits, check-ins.

Nobody else can open any of them; for everybody but the annotator these pages do not exist.
"""

from typing import Any

from django.contrib import messages
from django.db.models import Count
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.domain.choices import Role
from annotation.domain.wellbeing.opt_outs import same_group
from annotation.labelling.workspace import categories_of
from annotation.models import CheckIn, Item, Membership, Project
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.project_page import project_page
from annotation.pages.svg import mood_marks
from annotation.wellbeing import preferences
from annotation.wellbeing.forms import MOODS, OptOutForm, OwnCapsForm, initial_of_opt_outs

SHARED_BY = 10
"""How many posts are about a group before its name is listed: a list must not tell what a single post is about."""
LISTED = 40
MOOD_DAYS = 28


@never_cache
@require_http_methods(["GET", "POST"])
def opt_outs(request: PersonRequest, slug: str) -> HttpResponse:
    """Show and store what this annotator does not want to see, and their own daily caps; both are in force at once.

    A refused cap does not hold back the rest.
    """
    member = member_of(request, slug, Role.ANNOTATOR)
    data = request.POST if request.method == "POST" else None
    form, caps = _opt_out_form(member, data), _own_caps(member, data)
    if form.is_valid():
        messages.success(request, _freed_sentence(preferences.set_opt_outs(member, form.opted_out())))
    if _stored(member, caps) and form.is_valid():
        return redirect("annotation:opt-outs", slug)
    context = {"form": form, "caps": caps}
    return project_page(request, member, "annotation/opt_outs.html", context, status=422 if form.is_bound else 200)


@never_cache
@require_http_methods(["GET", "POST"])
def check_in(request: PersonRequest, slug: str) -> HttpResponse:
    """Ask one question about today and show the annotator's own answers so far."""
    member = member_of(request, slug, Role.ANNOTATOR)
    if request.method == "POST":
        mood = request.POST.get("mood", "")
        if mood in {"1", "2", "3", "4", "5"}:
            preferences.store_check_in(member, int(mood))
            messages.success(request, _("Thank you. Only you can see this answer."))
            return redirect("annotation:check-in", slug)
        return _check_in_page(request, member, wrong=_("Choose one of the five answers, or leave it."), status=422)
    return _check_in_page(request, member)


@require_POST
def forget_check_ins(request: PersonRequest, slug: str) -> HttpResponse:
    """Remove all of the annotator's own answers."""
    member = member_of(request, slug, Role.ANNOTATOR)
    gone = preferences.forget_check_ins(member)
    messages.success(request, ngettext("%(n)s answer is removed.", "%(n)s answers are removed.", gone) % {"n": gone})
    return redirect("annotation:check-in", slug)


def _opt_out_form(member: Membership, data: QueryDict | None = None) -> OptOutForm:
    """Return the form with what is in force, also for a category that was retired since: its posts still come."""
    chosen, offered = preferences.read_opt_outs(member), categories_of(member.project)
    retired = chosen.categories - {category.code for category in offered}
    categories = [*offered, *(member.project.categories_by_code[code] for code in sorted(retired))]
    groups = _groups_of(member.project)
    return OptOutForm(data, categories=categories, groups=groups, initial=initial_of_opt_outs(chosen, groups))


def _own_caps(member: Membership, data: QueryDict | None = None) -> OwnCapsForm:
    own = {name: getattr(member, name) for name in ("severe_a_day", "minutes_a_day")}
    return OwnCapsForm(data, project=member.project, initial=own)


def _stored(member: Membership, caps: OwnCapsForm) -> bool:
    """Store the caps. Return False, with the reason in the form, if they are not valid."""
    if not caps.is_valid():
        return False
    try:
        preferences.set_own_caps(member, **caps.cleaned_data)
    except preferences.CapTooHigh as high:
        message = _("The project’s limit is %(limit)s: yours can be lower, not higher.") % {"limit": high.limit}
        caps.add_error(high.field, message)
        return False
    return True


def _freed_sentence(freed: int) -> str:
    if not freed:
        return _("Saved. It applies from now on.")
    return ngettext(
        "Saved. A post you had open matched it and went back; this does not count against you.",
        "Saved. Posts you had open matched it and went back; this does not count against you.",
        freed,
    )


def _groups_of(project: Project) -> list[str]:
    """Return target groups of many posts of the project, by name, each in one spelling."""
    named = Item.objects.filter(project=project).exclude(target_group="").values("target_group")
    counted = named.annotate(items=Count("pk")).filter(items__gte=SHARED_BY).order_by("-items", "target_group")
    by_name: dict[str, str] = {}
    for group in counted.values_list("target_group", flat=True)[:LISTED]:
        by_name.setdefault(same_group(group), group)
    return sorted(by_name.values(), key=str.casefold)


def _check_in_page(request: PersonRequest, member: Membership, wrong: str = "", status: int = 200) -> HttpResponse:
    answers = CheckIn.objects.filter(member=member, mood__isnull=False).order_by("-day")
    rows = list(answers[:MOOD_DAYS])
    today = timezone.localdate()
    context: dict[str, Any] = {
        "wrong": wrong,
        "moods": MOODS,
        "answers": rows,
        "today": next((row.mood for row in rows if row.day == today), None),
        "marks": mood_marks({row.day: row.mood for row in rows if row.mood is not None}, today, MOOD_DAYS),
    }
    return project_page(request, member, "annotation/check_in.html", context, status=status)
