"""The annotator's page with a design that is not stored yet, for the admin who writes it."""

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from annotation.domain.choices import PriorArm, Role
from annotation.domain.design.file import BadDesign, Design
from annotation.labelling.forms import AnswerForm
from annotation.labelling.workspace import Workspace
from annotation.models import Category, Item, Membership, Seat
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.project_page import project_page
from annotation.projects import design as project_design
from annotation.projects.views_design import design_page, design_refusal, forms_of


@require_POST
def preview(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the annotator's page with the design as it was sent, and a post of ours. Nothing is stored."""
    member = member_of(request, slug, Role.ADMIN)
    forms = forms_of(member.project, request.POST)
    try:
        new_design = forms.design()
        bench = _bench(member, new_design) if new_design else None
    except BadDesign as bad:
        forms.question.add_error(None, design_refusal(bad))
        bench = None
    if bench is None:
        return design_page(request, member, forms)
    form = AnswerForm(categories=bench.categories, choose=bench.project.choose, questions=bench.questions)
    context = {"bench": bench, "form": form, "further": bench.further(form), "done_today": {"count": 0}}
    response = project_page(request, member, "annotation/design_preview.html", context)
    response["Cache-Control"] = "no-store"
    return response


def _bench(member: Membership, new_design: Design) -> Workspace:
    """Return an annotator's page whose rows are in memory alone; no seat is taken. Raises BadDesign."""
    project = member.project
    project_design.refuse_other_choice(project, new_design)
    merged, questions = project_design.merged_design(project_design.design_of(project), new_design)
    project.question, project.choose = dict(new_design.question), new_design.choose or project.choose
    rows = [Category(project=project, **project_design.columns_of(row, None)) for row in merged if not row.retired]
    item = Item(project=project, text=_sample_text())
    return Workspace(
        member,
        Seat(item=item, prior_arm=PriorArm.WITHHELD),
        categories=tuple(sorted(rows, key=lambda row: (row.place, row.code))),
        known_questions=[question for question in questions if not question.retired],
        is_preview=True,
    )


def _sample_text() -> str:
    return _("This is a sample post. The words of a real one stand here. Choose a category, or answer a question.")
