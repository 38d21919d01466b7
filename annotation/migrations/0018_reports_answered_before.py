"""Reports of before: where an admin has reopened the post since, that was the answer; the others wait for one."""

from django.db import migrations


def answer_what_was_reopened(apps, schema_editor):
    Report = apps.get_model('annotation', 'Report')
    Adjudication = apps.get_model('annotation', 'Adjudication')
    for report in Report.objects.filter(answered_at=None).iterator():
        later = Adjudication.objects.filter(item=report.item_id, ruling='reopen', created_at__gte=report.created_at)
        reopening = later.order_by('created_at', 'pk').first()
        if reopening is not None:
            Report.objects.filter(pk=report.pk).update(
                answer='put_back',
                reason=reopening.rationale,
                answered_by=reopening.reviewer_id,
                answered_at=reopening.created_at,
            )


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0017_reports_are_answered'),
    ]

    operations = [
        migrations.RunPython(answer_what_was_reopened, migrations.RunPython.noop, elidable=True),
    ]
