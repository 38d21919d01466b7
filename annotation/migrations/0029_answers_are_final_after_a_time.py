"""Where checks are mixed in, an answer can be changed for a fixed time."""

from datetime import timedelta

from django.db import migrations, models
from django.db.models import F, Q

CHANGE_TIME = timedelta(minutes=30)


def set_final(apps, schema_editor):
    """Let answers to open posts and checks be final half an hour after they were given, in projects with checks."""
    Project = apps.get_model("annotation", "Project")
    KnownAnswer = apps.get_model("annotation", "KnownAnswer")
    Seat = apps.get_model("annotation", "Seat")
    with_checks = KnownAnswer.objects.filter(training=False).values("item__project")
    Project.objects.filter(Q(check_percent__gt=0) | Q(pk__in=with_checks)).update(had_checks=True)
    open_seats = Seat.objects.filter(item__stage__in=("labelling", "known"), label__isnull=False)
    filled = Seat.objects.filter(pk__in=open_seats.filter(item__project__had_checks=True).values("pk"))
    filled.update(final_at=F("filled_at") + CHANGE_TIME)


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0028_user_names_that_read_alike'),
    ]

    operations = [
        # The code before reads the column, so it stays in the table until a later release.
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.RemoveField(model_name='seat', name='closes_with')]
        ),
        migrations.AddField(
            model_name='project',
            name='had_checks',
            field=models.BooleanField(default=False, editable=False),
        ),
        migrations.AddField(
            model_name='seat',
            name='final_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.RunPython(set_final, migrations.RunPython.noop, elidable=True),
    ]
