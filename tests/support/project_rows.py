"""Rows that still belong to a project."""

from django.apps import apps

from annotation.models import Deletion, Project
from runs.models import Account, Run


def left_of(project: Project) -> dict[str, int]:
    """Return the rows that still name the project, by model. The row of its deletion stays by design."""
    counts = {
        "Project": Project.objects.filter(pk=project.pk).count(),
        "Run": Run.objects.filter(project=project.public_id).count(),
        "Account": Account.objects.filter(project=project.public_id).count(),
    }
    for model in apps.get_models():
        for field in model._meta.get_fields():
            if getattr(field, "related_model", None) is Project and field.concrete and model is not Deletion:
                counts[model.__name__] = model._default_manager.filter(**{field.name: project.pk}).count()
    return {name: number for name, number in counts.items() if number}
