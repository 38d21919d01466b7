"""The dataset of approved replies: its figures, and its files for admins."""

from django.http import HttpResponse, StreamingHttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from annotation.domain.choices import Role
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.project_page import project_page
from generation.counterspeech.access import desk_member
from generation.domain.counterspeech.first_step import CHOICE_WORDS
from generation.domain.counterspeech.intents import Intent
from generation.files import export
from generation.models import Exemplar
from generation.practice import dataset_files, first_steps


@require_GET
def dataset(request: PersonRequest, slug: str) -> HttpResponse:
    """Show how many replies are approved, by intent and target group, their length, and the files."""
    member = desk_member(request, slug)
    imported = Exemplar.objects.filter(project=member.project, reply=None).count()
    context = {
        "figures": export.figures(member.project),
        "imported": imported,
        "intents": [intent.cs_type for intent in Intent],
        "training": [f"{name}.jsonl" for name in export.TRAINING],
        "files": dataset_files.WORDS.items(),
        "steps": [(_(CHOICE_WORDS[choice]), count) for choice, count in first_steps.counts(member.project).items()],
    }
    return project_page(request, member, "generation/dataset.html", context)


@require_GET
def dataset_file(request: PersonRequest, slug: str, name: str) -> StreamingHttpResponse:
    """Download a file of the dataset, for admins."""
    return dataset_files.dataset_file(member_of(request, slug, Role.ADMIN), name, request.GET)
