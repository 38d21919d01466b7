"""Pages about runs for reviewers and admins: the queue, an item's runs, one run live, two runs compared.

Who may still be asked about an item does not see the models' answers about it.
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from django.views.decorators.http import require_GET

from annotation.core.found import found
from annotation.domain.choices import Role, Stage
from annotation.glossary import entries
from annotation.models import Item, Membership
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.long_lists import BoundedPaginator, listed_page
from annotation.pages.project_page import project_page
from annotation.review.queue import may_see_intent
from moderation.debates import presenters, repeat_agreement
from moderation.debates.comparison import compared_lines
from moderation.debates.forms import METHOD_NAMES, JudgeForm, StageForm, StartForm
from moderation.debates.posts import ReadPost, item_for, pasted_among, post_for
from moderation.debates.presenters import RunLine
from moderation.debates.waiting import next_try
from moderation.methods.registry import METHODS
from runs.control import fork
from runs.control import start as run_start
from runs.domain.states import OPEN, RunState
from runs.models import Run
from runs.queue import provider_pauses, worker_load
from runs.spending import cost

PAGE_LENGTH = 50
RUN_ENDED = "run-ended"
"""The event by which other parts of a page learn that the run that was followed has ended."""
RUNS_OF_POST = 20
"""The number of runs that the pages of a run list beside it."""


@require_GET
def runs(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the queue: waiting, running and ended runs, newest first."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    project_runs = of_project = presenters.debate_runs(member.project).select_related("forked_from")
    state, method = request.GET.get("state", ""), request.GET.get("method", "")
    if state in list(RunState):
        project_runs = project_runs.filter(state=state)
    if method in METHOD_NAMES:
        project_runs = project_runs.filter(method=method)
    page = listed_page(BoundedPaginator(project_runs, PAGE_LENGTH), of_project, request.GET)
    shown = list(page.object_list)
    items = presenters.items_of_runs(shown)
    texts = pasted_among(member.project, {debate_run.subject for debate_run in shown} - items.keys())
    any_open = any(debate_run.state in OPEN for debate_run in shown)
    context = {
        "page": page,
        "rows": [
            _row(debate_run, items.get(debate_run.subject), member, pasted=debate_run.subject in texts)
            for debate_run in shown
        ],
        "any_open": any_open,
        "waiting": presenters.open_debate_runs(member.project).count() if any_open else 0,
        "state": state,
        "method": method,
        "states": list(RunState),
        "methods": METHOD_NAMES,
        "form": StageForm(project=member.project),
        "pauses": provider_pauses.pauses_in_force(),
        "load": worker_load.site_load() if member.administers else None,
        "spent": presenters.project_spending(member.project),
        "bill": cost.project_bill(member.project.public_id),
    }
    return project_page(request, member, "moderation/runs.html", context)


@require_GET
def item_runs(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show the runs on one item side by side, and a form to start more."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    return show_item(request, member, item_for(member, public_id), StartForm(project=member.project))


def show_item(
    request: PersonRequest, member: Membership, item: Item, form: StartForm, status: int = 200
) -> HttpResponse:
    """Show the item's newest runs, at most twenty, newest first."""
    of_item = presenters.debate_runs(member.project).filter(subject=item.public_id).select_related("forked_from")
    newest = list(of_item[:RUNS_OF_POST])
    context = {
        "item": item,
        "shown": presenters.shown_runs(newest, tuple(member.project.categories_by_code.values())),
        "form": form,
        "methods": METHOD_NAMES,
        "older": of_item.count() - len(newest),
        "any_open": any(debate_run.state in ("queued", "running") for debate_run in newest),
    }
    page = project_page(request, member, "moderation/item_runs.html", context, status=status)
    if request.headers.get("HX-Trigger") == "item-runs" and not context["any_open"]:
        page["HX-Trigger"] = RUN_ENDED
    return page


@require_GET
def run(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show one run; an open run is updated live."""
    return show_run(request, *run_for(request, slug, public_id))


def show_run(
    request: PersonRequest,
    member: Membership,
    debate_run: Run,
    post: ReadPost,
    form: JudgeForm | None = None,
    status: int = 200,
) -> HttpResponse:
    """Show the page of a run."""
    context = run_context(member, debate_run, post.item, form) | {"post": post}
    return project_page(request, member, "moderation/run.html", context, status)


@require_GET
def run_progress(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show the parts of the page that change while a run is under way: the run, and its glossary entries."""
    member, debate_run, post = run_for(request, slug, public_id)
    context = run_context(member, debate_run, post.item)
    answer = project_page(request, member, "moderation/_run_progress.html", context)
    if debate_run.state not in OPEN:
        answer["HX-Trigger"] = RUN_ENDED
    return answer


@require_GET
def compare_runs(request: PersonRequest, slug: str) -> HttpResponse:
    """Show two runs about one post side by side."""
    both = []
    for name in ("a", "b"):
        try:
            public_id = UUID(request.GET.get(name, ""))
        except ValueError:
            raise Http404 from None
        both.append(run_for(request, slug, public_id))
    (member, first, post), (_member, second, other_post) = both
    if post.public_id != other_post.public_id or first == second:
        raise Http404
    shown = presenters.shown_runs([first, second], tuple(member.project.categories_by_code.values()))
    context = {"item": post.item, "both": shown, "lines": compared_lines(shown), "post": post}
    return project_page(request, member, "moderation/compare.html", context)


def is_judged_again(debate_run: Run) -> bool:
    """Return whether the run took over a debate, so that only its judge is asked."""
    return fork.judged_run(debate_run) is not None


def run_for(request: PersonRequest, slug: str, public_id: UUID) -> tuple[Membership, Run, ReadPost]:
    """Return a run of the project about a post that the viewer may see, with the viewer's membership and the post.

    Raises Http404.
    """
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    debate_run = found(
        presenters.debate_runs(member.project).filter(public_id=public_id).select_related("forked_from").first()
    )
    return member, debate_run, post_for(member, debate_run.subject)


def _row(debate_run: Run, item: Item | None, viewer: Membership, *, pasted: bool) -> dict[str, Any]:
    """Return a line of the queue. It links to the run if the item is decided, or none; no line needs a query."""
    return {
        "run": debate_run,
        "item": item,
        "opens": pasted or (item is not None and may_see_intent(item, viewer)),
        "goes_on": fork.goes_on(debate_run),
        "next_try": next_try(debate_run),
        "may_go_on": debate_run.state in (*run_start.RESUMABLE, *fork.STOPPED),
    }


def run_context(
    member: Membership,
    debate_run: Run,
    item: Item | None,
    form: JudgeForm | None = None,
    lines: Sequence[RunLine] = (),
) -> dict[str, Any]:
    """Return what the parts of a run's page need; `lines` are the runs of its post, if they are known already."""
    method, categories = METHODS[debate_run.method], tuple(member.project.categories_by_code.values())
    run_lines = lines or presenters.run_lines(member.project, debate_run.subject, categories, RUNS_OF_POST)
    return {
        "item": item,
        "shown": presenters.shown_run(debate_run, categories),
        "most_calls": 1 if is_judged_again(debate_run) else method.calls_of(debate_run),
        "method_name": method.label,
        "repeats": repeat_agreement.repeats_on_post(debate_run, categories),
        "judge_form": (form or JudgeForm(run=debate_run)) if method.judge is not None else None,
        "run_lines": presenters.with_current(run_lines, debate_run),
        "given": entries.uses_of(debate_run.public_id),
        "drafts": item is not None and item.stage == Stage.DISPUTED and member.reviews,
    }
