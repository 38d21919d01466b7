"""The texts that are there are folded, some thousand at a time, and found by an index."""

from django.db import migrations

from annotation.core import text_index


def fill(apps, schema_editor):
    text_index.fill(schema_editor.connection)
    text_index.create(schema_editor.connection)


def remove(apps, schema_editor):
    text_index.remove(schema_editor.connection)


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('annotation', '0036_texts_are_folded_for_search'),
    ]

    operations = [
        migrations.RunPython(fill, remove),
    ]
