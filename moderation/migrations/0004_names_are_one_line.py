"""Names are one line: line breaks, direction marks and invisible characters go out of what was stored before."""

from django.db import migrations

from annotation.core.clean_names import clean


def clean_names(apps, schema_editor):
    clean(apps.get_model('moderation', 'Appeal'), 'appellant')
    clean(apps.get_model('moderation', 'Document'), 'name', 'title')
    clean(apps.get_model('moderation', 'Evidence'), 'title')
    clean(apps.get_model('moderation', 'Evaluation'), 'name')
    clean(apps.get_model('moderation', 'EvaluationCase'), 'dataset', 'subset')
    clean(apps.get_model('moderation', 'Perspective'), 'name', 'hateful_label', 'other_label')
    clean(apps.get_model('moderation', 'Example'), 'source')


class Migration(migrations.Migration):

    dependencies = [
        ('moderation', '0003_evaluation_that_failed'),
    ]

    operations = [
        migrations.RunPython(clean_names, migrations.RunPython.noop, elidable=True),
    ]
