"""A copy of a project: its settings, categories, newest guidelines, wellbeing and other rules, models; no items."""

from django.db import transaction

from annotation.core import extensions
from annotation.domain.choices import EventVerb
from annotation.models import Category, Guideline, GuidelineExample, Membership, Project, record
from annotation.projects.create import create_project
from annotation.projects.design import design_of
from annotation.projects.pseudonyms import new_pseudonym

OWN = frozenset(
    {
        *("id", "public_id", "slug", "name", "export_key", "influence_seed", "created_at"),
        *("archived_at", "delete_after", "is_open", "consent_version", "queues_settled", "design_number", "had_checks"),
    }
)
"""Fields that are not copied; all other fields are, also fields that are added later."""


@transaction.atomic
def clone_project(admin: Membership, slug: str, name: str, *, with_people: bool = False) -> Project:
    """Copy the admin's project; they become its admin.

    With people, active members get their roles there under new pseudonyms, and are asked for their consent again.
    Raises BadProject for its address and name.
    """
    first = Project.objects.get(pk=admin.project_id)
    clone = create_project(slug, name=name, design=design_of(first), seats=first.seats, creator=admin.user)
    copied = [field.attname for field in Project._meta.concrete_fields if field.attname not in OWN]
    Project.objects.filter(pk=clone.pk).update(**{field: getattr(first, field) for field in copied})
    _copy_guidelines(first, clone)
    for extension in extensions.registered():
        for copy in extension.copy_settings:
            copy(first, clone)
    if with_people:
        _copy_people(first, clone)
    record(EventVerb.PROJECT_CLONED, project=first, actor=admin, row=clone.public_id, people=with_people)
    clone.refresh_from_db()
    return clone


def _copy_guidelines(first: Project, clone: Project) -> None:
    """Copy the newest version of the guidelines as the first version of the new project."""
    newest = first.guidelines.order_by("-number").first()
    if newest is None:
        return
    Guideline.objects.filter(project=clone).update(text=newest.text)
    guideline = Guideline.objects.get(project=clone)
    code = dict(Category.objects.filter(project=clone).values_list("code", "pk"))
    GuidelineExample.objects.bulk_create(
        GuidelineExample(
            guideline=guideline,
            place=example.place,
            text=example.text,
            why=example.why,
            category_id=code[example.category.code],
        )
        for example in newest.examples.select_related("category")
    )


def _copy_people(first: Project, clone: Project) -> None:
    existing = Membership.objects.filter(project=clone).values("user")
    people = Membership.objects.filter(project=first, active=True, user__is_active=True).exclude(user__in=existing)
    for person in people.order_by("pk"):
        Membership.objects.create(
            project=clone,
            user=person.user,
            pseudonym=new_pseudonym(clone),
            annotates=person.annotates,
            reviews=person.reviews,
            administers=person.administers,
            quota=person.quota,
            severe_a_day=person.severe_a_day,
            minutes_a_day=person.minutes_a_day,
        )
