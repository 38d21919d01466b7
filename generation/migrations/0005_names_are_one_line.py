"""Names are one line: line breaks, direction marks and invisible characters go out of what was stored before."""

from django.db import migrations

from annotation.core.clean_names import clean


def clean_names(apps, schema_editor):
    clean(apps.get_model('generation', 'PicturePool'), 'name', 'target_group', 'licence', 'source')
    clean(apps.get_model('generation', 'PoolPicture'), 'name', 'licence')
    clean(apps.get_model('generation', 'Trigger'), 'target_group')
    clean(apps.get_model('generation', 'Sample'), 'target_group')
    clean(apps.get_model('generation', 'Exemplar'), 'source', 'licence')


class Migration(migrations.Migration):

    dependencies = [
        ('generation', '0004_candidates_say_how_many_were_asked_for'),
    ]

    operations = [
        migrations.RunPython(clean_names, migrations.RunPython.noop, elidable=True),
    ]
