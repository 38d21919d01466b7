"""Name the project of the evidence that was found before."""

from django.db import migrations
from django.db.models import OuterRef, Subquery

_AT_A_TIME = 1000


def fill(apps, schema_editor):
    """Fill the rows in batches."""
    evidence = apps.get_model("moderation", "Evidence").objects.filter(project=None, item__isnull=False)
    of_item = apps.get_model("annotation", "Item").objects.filter(pk=OuterRef("item"))
    while keys := list(evidence.values_list("pk", flat=True)[:_AT_A_TIME]):
        evidence.filter(pk__in=keys).update(project=Subquery(of_item.values("project")[:1]))


class Migration(migrations.Migration):

    dependencies = [
        ("annotation", "0033_keys_of_a_person"),
        ("moderation", "0007_evidence_on_pasted_texts"),
    ]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
    ]
