"""Pages of the reports of illegal content: what waits for an answer, and one reported post with its answer.

They are for the admins of a project and for the site's admins, who need not be members of it.
"""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.consensus import reports
from annotation.consensus.report_notices import contact_of
from annotation.consensus.reports import AnsweredMeanwhile, ProjectClosed, ReportedPost
from annotation.core.found import found, one
from annotation.domain.reports import ReportAnswer
from annotation.media.responses import picture_file
from annotation.models import Item, Membership, Picture, Project
from annotation.pages.access import PersonRequest, closed_sentence
from annotation.review.forms import ReportAnswerForm
from annotation.review.report_access import answering_member


@never_cache
@require_safe
def waiting(request: PersonRequest) -> HttpResponse:
    """List the reported posts that wait for the viewer's answer, the oldest first, and those answered lately.

    Somebody who is no admin may answer none, and sees that.
    """
    administers = Membership.objects.filter(user=request.user, active=True, administers=True)
    answerable = reports.reports_to_answer(request.user)
    posts = reports.waiting_posts(answerable)
    context = {
        "answers": request.user.is_staff or administers.exists(),
        "posts": posts,
        "number": reports.count_waiting_posts(request.user) if len(posts) == reports.MOST_SHOWN else len(posts),
        "answered": reports.answered_posts(answerable)[:20],
    }
    return render(request, "annotation/reports.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def answer(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show a reported post, what was said of it and where it stood; store the answer."""
    project, member = answering_member(request.user, slug)
    post = _post(project, public_id)
    form = ReportAnswerForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return _page(request, member, post, form, 422 if form.is_bound else 200)
    cleaned = form.cleaned_data
    decided = ReportAnswer(cleaned["answer"])
    try:
        reports.answer_reports(post.item, member, cleaned["version"], decided, cleaned["reason"])
    except AnsweredMeanwhile:
        sentence = _("Somebody answered or reported this post in the meantime. Your answer was not stored: look again.")
        form.add_error(None, sentence)
        return _page(request, member, _post(project, public_id), form, 409)
    except ProjectClosed:
        so_far = _("So the post can be kept out, but not put back.")
        form.add_error(None, f"{closed_sentence(project)} {so_far}")
        return _page(request, member, post, form, 409)
    messages.success(request, _DONE[decided]())
    return redirect("annotation:reports")


@require_safe
def picture(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponseBase:
    """Send the picture of a post whose reports wait to those who may answer them; no cache keeps it."""
    return picture_file(_picture(request, slug, public_id).file, "no-store")


@require_safe
def blurred(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponseBase:
    """Send its blurred derivative."""
    return picture_file(_picture(request, slug, public_id).blurred, "no-store")


_DONE = {
    ReportAnswer.KEPT_OUT: lambda: _("Answered: the post stays out."),
    ReportAnswer.HANDED_OVER: lambda: _("Answered: the post stays out, and the log says that it was handed over."),
    ReportAnswer.PUT_BACK: lambda: _("Answered: the post is back where it was."),
}


def _post(project: Project, public_id: UUID) -> ReportedPost:
    return found(reports.reported_post(one(Item.objects, project, public_id)))


def _picture(request: PersonRequest, slug: str, public_id: UUID) -> Picture:
    project, _member = answering_member(request.user, slug)
    post = _post(project, public_id)
    if post.answered_at is not None or post.item.picture is None:
        raise Http404
    return post.item.picture


def _page(
    request: PersonRequest, member: Membership | None, post: ReportedPost, form: ReportAnswerForm, status: int
) -> HttpResponse:
    project = post.item.project
    context: dict[str, Any] = {
        "project": project,
        "membership": member,
        "post": post,
        "item": post.item,
        "form": form,
        "contact": contact_of(project),
    }
    return render(request, "annotation/report_answer.html", context, status=status)
