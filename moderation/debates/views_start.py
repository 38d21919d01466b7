"""Pages for reviewers and admins that start, cancel, retry and judge runs."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from annotation.domain.choices import EventVerb, Role, Stage
from annotation.models import Item, record
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.project_page import project_page
from moderation.debates import ask_again, presenters
from moderation.debates import start as debate_start
from moderation.debates.forms import (
    METHOD_NAMES,
    JudgeForm,
    StageForm,
    StartForm,
    answered_sentence,
    left_out_sentence,
    passed_over_sentence,
    started_sentence,
)
from moderation.debates.posts import item_for
from moderation.debates.views import run_for, show_item, show_run
from moderation.methods.debate_method import BadChoice
from runs.control import start as run_start


@require_POST
def start_on_item(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Start a method on one item. An impossible request returns the form."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    item = item_for(member, public_id)
    form = StartForm(request.POST, project=member.project)
    if not form.is_valid():
        return show_item(request, member, item, form, status=422)
    items = Item.objects.filter(pk=item.pk)
    try:
        queued = debate_start.start_runs(member.project, items, form.wish(), member)
        answer = None if queued else debate_start.answer_to(member.project, items, form.wish())
    except BadChoice as bad:
        form.add_error(None, str(bad))
        return show_item(request, member, item, form, status=422)
    if answer is not None:
        messages.info(request, answered_sentence(answer))
        return redirect("moderation:run", slug, answer.public_id)
    messages.success(request, started_sentence(queued))
    newest = presenters.debate_runs(member.project).filter(subject=item.public_id)[0]
    return redirect("moderation:run", slug, newest.public_id)


@require_POST
def start_on_stage(request: PersonRequest, slug: str) -> HttpResponse:
    """Start a method on all items of a stage, after the user has confirmed their number."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    form = StageForm(request.POST, project=member.project)
    if not form.is_valid():
        messages.error(request, _("Choose a method and which posts."))
        return redirect("moderation:runs", slug)
    stage = Stage(form.cleaned_data["stage"])
    items = Item.objects.filter(project=member.project, stage=stage)
    count = items.count()
    context = {
        "form": form,
        "count": count,
        "stage": stage,
        "method_name": METHOD_NAMES[form.cleaned_data["method"]],
        "changed": False,
        "left_out": "",
    }
    try:
        passed_over, why = debate_start.count_left_out(member.project, items, form.wish())
        calls_of_run = debate_start.calls_at_most(member.project, form.wish())
    except BadChoice as bad:
        form.add_error(None, str(bad))
        return project_page(request, member, "moderation/start.html", context | {"refused": True}, status=422)
    repeats = form.wish().repeats
    runs = (count - passed_over) * repeats
    context |= {"posts": count - passed_over, "repeats": repeats, "runs": runs, "calls": runs * calls_of_run}
    if passed_over:
        context["left_out"] = left_out_sentence(passed_over, why)
    if request.POST.get("count") != str(count):
        context["changed"] = "count" in request.POST
        return project_page(request, member, "moderation/start.html", context)
    try:
        queued = debate_start.start_runs(member.project, items, form.wish(), member)
    except BadChoice as bad:
        form.add_error(None, str(bad))
        return project_page(request, member, "moderation/start.html", context, status=422)
    before = max(0, runs - queued)
    sentences = (started_sentence(queued), passed_over_sentence(before) if before else "", str(context["left_out"]))
    messages.success(request, " ".join(filter(None, sentences)))
    return redirect("moderation:runs", slug)


@require_POST
def cancel_run(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Cancel a run; calls that are under way may still end, and answers are kept."""
    member, run, _post = run_for(request, slug, public_id)
    if run_start.cancel_runs([run.public_id]):
        record(EventVerb.RUN_CANCELLED, project=member.project, actor=member, row=run.public_id)
        messages.success(request, _("The run is cancelled. What was answered stays."))
    else:
        messages.info(request, _("The run had ended already."))
    return redirect("moderation:run", slug, public_id)


@require_POST
def cancel_open_runs(request: PersonRequest, slug: str) -> HttpResponse:
    """Cancel all open runs of the project; answers are kept."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    ended = run_start.cancel_run_queryset(presenters.open_debate_runs(member.project))
    if ended:
        record(EventVerb.RUN_CANCELLED, project=member.project, actor=member, runs=ended)
        sentence = ngettext("%(count)s run is cancelled.", "%(count)s runs are cancelled.", ended) % {"count": ended}
        reassurance = _("What was answered stays.")
        messages.success(request, f"{sentence} {reassurance}")
    else:
        messages.info(request, _("All runs had ended already."))
    return redirect("moderation:runs", slug)


@require_POST
def retry_run(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Ask again where a run stopped; what was answered is not asked again."""
    member, run, _post = run_for(request, slug, public_id)
    continued = ask_again.retry_run(run, member.project, member)
    if continued is None:
        sentence = _(
            "Only a run that stopped without a verdict can resume, and only while no other like it is under way."
        )
        messages.info(request, sentence)
        return redirect("moderation:run", slug, public_id)
    messages.success(request, _("The run resumes where it stopped. What was answered is not asked again."))
    return redirect("moderation:run", slug, continued.public_id)


@require_POST
def judge_run_again(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Let another model judge the debate; it costs one call."""
    member, run, post = run_for(request, slug, public_id)
    form = JudgeForm(request.POST, run=run)
    if not form.is_valid():
        return show_run(request, member, run, post, form, status=422)
    try:
        forks = ask_again.judge_run_again(run, [form.cleaned_data["judge"]], member.project, member)
    except BadChoice as bad:
        form.add_error(None, str(bad))
        return show_run(request, member, run, post, form, status=422)
    if not forks:
        messages.info(request, _("That judge has this debate before it already."))
        return redirect("moderation:run", slug, public_id)
    return redirect("moderation:run", slug, forks[0].public_id)
