"""People's votes at the cases of evaluations; and the disagreement inside the debates that were held before."""

from django.db import migrations, models

from moderation.domain.arcade_rounds import hearing_of
from moderation.domain.disagreement import KEY, court_disagreement, panel_disagreement

BATCH = 500


def fill(apps, schema_editor):
    Run = apps.get_model('runs', 'Run')
    held = Run.objects.filter(method__in=('predict', 'arcade'), state='succeeded', outcome__isnull=False)
    last = 0
    while batch := list(held.filter(pk__gt=last).order_by('pk')[:BATCH]):
        said = said_in(apps.get_model('runs', 'Turn'), [run for run in batch if run.method == 'arcade'])
        for run in batch:
            if KEY not in run.outcome:
                run.outcome |= of_panel(run) if run.method == 'predict' else of_court(said.get(run.pk, {}))
        Run.objects.bulk_update(batch, ['outcome'])
        last = batch[-1].pk


def of_panel(run):
    votes = run.outcome.get('votes', {})
    changed, rounds = len(run.outcome.get('changed', ())), int(run.options.get('rounds', 2))
    return panel_disagreement(votes.get('hate', 0), votes.get('non_hate', 0), changed, rounds)


def of_court(values):
    return court_disagreement(hearing_of(values).rounds)


def said_in(Turn, runs):
    """Return run → the statements of both sides by the keys of their turns."""
    said = {}
    turns = Turn.objects.filter(run__in=runs, role__in=('prosecutor', 'defender'), value__isnull=False)
    for run, key, value in turns.values_list('run', 'key', 'value'):
        said.setdefault(run, {})[key] = value
    return said


class Migration(migrations.Migration):

    dependencies = [
        ('moderation', '0005_source_of_evidence'),
        ('runs', '0007_pauses_of_models'),
    ]

    operations = [
        migrations.AddField(
            model_name='evaluationcase',
            name='votes_hateful',
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='evaluationcase',
            name='votes_other',
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
    ]
