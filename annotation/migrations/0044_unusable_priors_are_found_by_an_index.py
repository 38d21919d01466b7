from importlib import import_module

from django.db import migrations, models

AddIndexBeside = import_module('annotation.migrations.0042_posts_are_counted_by_an_index').AddIndexBeside


class Migration(migrations.Migration):

    # An index of few of millions of rows is built while people label.
    atomic = False

    dependencies = [
        ('annotation', '0043_passages_keep_their_names'),
    ]

    operations = [
        AddIndexBeside(
            model_name='prior',
            index=models.Index(
                condition=models.Q(('current', True), ('state__in', ('failed', 'unreadable', 'refused'))),
                fields=['run_id'],
                name='prior_unusable',
            ),
        ),
    ]
