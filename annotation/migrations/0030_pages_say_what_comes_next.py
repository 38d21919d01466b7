"""Each page says what comes next, so how far people are in a tour is no longer kept."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0029_answers_are_final_after_a_time'),
    ]

    operations = [
        # The code before reads the column, so it stays in the table until a later release. New rows get its default.
        migrations.AlterField(
            model_name='user',
            name='tours',
            field=models.JSONField(blank=True, db_default={}, default=dict),
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.RemoveField(model_name='user', name='tours')]
        ),
    ]
