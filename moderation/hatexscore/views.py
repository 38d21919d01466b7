"""Scores of explanations: the tab on an item's page, starting one, and a project's scores together."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from annotation.core.found import found
from annotation.domain.choices import Role
from annotation.models import Item, Membership
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.project_page import project_page
from moderation.debates.posts import item_for
from moderation.domain.hatexscore import group_list_files
from moderation.domain.hatexscore.cc import Rule
from moderation.domain.hatexscore.group_list_files import BadGroups
from moderation.domain.hatexscore.score import PARTS
from moderation.hatexscore import group_lists, presenters, summary
from moderation.hatexscore import start as hatexscore_start
from moderation.hatexscore.explanations import explanations
from moderation.hatexscore.forms import GroupListForm, ScoreForm
from moderation.models import GroupList


@require_GET
def item_scores(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show the item's scores side by side, and its explanations that can be scored."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    item = item_for(member, public_id)
    return _show(request, member, item, ScoreForm(explanations(item), member.project))


@require_POST
def start(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Score one explanation; what cannot be had comes back with the form."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    item = item_for(member, public_id)
    form = ScoreForm(explanations(item), member.project, request.POST)
    if not form.is_valid():
        return _show(request, member, item, form, status=422)
    try:
        score = hatexscore_start.start(item, form.explanation(), form.request(), member)
    except hatexscore_start.CannotScore as bad:
        form.add_error(None, str(bad))
        return _show(request, member, item, form, status=422)
    if score.run is None:
        messages.info(request, score.reason)
    else:
        messages.success(request, _("The score is asked for; it appears here."))
    return redirect("moderation:item-scores", slug, public_id)


@require_GET
def scores(request: PersonRequest, slug: str) -> HttpResponse:
    """Means by method, and how they change with the threshold."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    rule = Rule.RELEASED if request.GET.get("rule") == Rule.RELEASED else Rule.PAPER
    context = {
        "figures": summary.figures(member.project, rule),
        "names": [*(name.upper() for name in PARTS), "HateXScore"],
        "swept": summary.swept(member.project, rule),
        "readings": summary.readings(member.project),
        "rule": rule,
        "tau": rule.threshold,
        "rules": list(Rule),
    }
    return project_page(request, member, "moderation/scores.html", context)


@require_GET
def lists(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the lists of groups: the built-in ones, the project's own, and a form for another."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    return _show_lists(request, member, GroupListForm())


@require_POST
def add_list(request: PersonRequest, slug: str) -> HttpResponse:
    """Keep a list from a file under a name of its own; what is wrong with it comes back with the form."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    form = GroupListForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            groups = group_lists.read(form.cleaned_data["file"].read(group_lists.MOST_BYTES + 1))
            group_list = group_lists.add(member.project, form.cleaned_data["name"], groups, member)
        except BadGroups as bad:
            form.add_error(None, str(bad))
        else:
            messages.success(request, _("%(name)s can be chosen now.") % {"name": group_list.name})
            return redirect("moderation:group-lists", slug)
    return _show_lists(request, member, form, status=422)


def _show_lists(request: PersonRequest, member: Membership, form: GroupListForm, status: int = 200) -> HttpResponse:
    context = {
        "own": group_lists.lists_of(member.project),
        "built_in": [(name, group_list_files.built_in(name)) for name in group_list_files.NAMES],
        "form": form,
    }
    return project_page(request, member, "moderation/group_lists.html", context, status=status)


@require_POST
def remove_list(request: PersonRequest, slug: str, name: str) -> HttpResponse:
    """Take out a list that nothing was scored with."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    group_list = found(GroupList.objects.filter(project=member.project, name=name).select_related("project").first())
    try:
        group_lists.remove(group_list, member)
    except BadGroups as bad:
        messages.error(request, str(bad))
    else:
        messages.success(request, _("%(name)s is removed.") % {"name": name})
    return redirect("moderation:group-lists", slug)


def _show(request: PersonRequest, member: Membership, item: Item, form: ScoreForm, status: int = 200) -> HttpResponse:
    shown = presenters.cards(hatexscore_start.scores_of(item))
    context = {
        "item": item,
        "cards": shown,
        "found": explanations(item),
        "form": form,
        "any_open": any(card.is_open for card in shown),
    }
    return project_page(request, member, "moderation/item_scores.html", context, status=status)
