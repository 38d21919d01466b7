"""Rows for running a campaign: batches, opt-outs, working days, known answers, arms of prior display."""

import annotation.domain.words
import annotation.models
import django.db.models.deletion
import django.utils.timezone
import uuid
from django.db import migrations, models

from annotation.append_only import KeepAppendOnly


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0006_release_orders'),
    ]

    operations = [
        migrations.CreateModel(
            name='Batch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('name', models.CharField(blank=True, max_length=100)),
                ('state', models.CharField(choices=[('waiting', 'waiting'), ('open', 'open'), ('paused', 'paused'), ('closed', 'closed')], default=annotation.domain.words.BatchState['OPEN'], max_length=8)),
                ('pilot', models.BooleanField(default=False)),
                ('limited', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
            options={
                'ordering': ('name',),
            },
        ),
        migrations.CreateModel(
            name='KnownAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('explanation', models.TextField(blank=True, default='', max_length=4000)),
                ('training', models.BooleanField(default=False)),
                ('active', models.BooleanField(default=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
            ],
        ),
        migrations.CreateModel(
            name='OptOut',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('target_group', models.CharField(blank=True, default='', max_length=200)),
                ('severity', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name='WorkDay',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField()),
                ('active_seconds', models.PositiveIntegerField(default=0)),
                ('labels', models.PositiveIntegerField(default=0)),
                ('skips', models.PositiveIntegerField(default=0)),
                ('shown', models.PositiveIntegerField(default=0)),
                ('severe', models.PositiveIntegerField(default=0)),
                ('last_act_at', models.DateTimeField(blank=True, null=True)),
                ('session_since', models.DateTimeField(blank=True, null=True)),
                ('session_seconds', models.PositiveIntegerField(default=0)),
                ('session_severe', models.PositiveIntegerField(default=0)),
                ('severe_in_row', models.PositiveSmallIntegerField(default=0)),
                ('break_offered_at', models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.RemoveIndex(
            model_name='item',
            name='item_open',
        ),
        migrations.AddField(
            model_name='guideline',
            name='summary',
            field=models.CharField(blank=True, default='', max_length=300),
        ),
        migrations.AddField(
            model_name='item',
            name='queue',
            field=models.BigIntegerField(blank=True, default=0, null=True),
        ),
        migrations.AddField(
            model_name='label',
            name='prior_arm',
            field=models.CharField(blank=True, choices=[('shown', 'shown'), ('hidden', 'hidden'), ('withheld', 'withheld')], default='', max_length=8),
        ),
        migrations.AddField(
            model_name='membership',
            name='guideline_read',
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='membership',
            name='minutes_a_day',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='membership',
            name='quota',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='membership',
            name='severe_a_day',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='membership',
            name='trained_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='project',
            name='archived_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='project',
            name='break_after_minutes',
            field=models.PositiveIntegerField(default=50),
        ),
        migrations.AddField(
            model_name='project',
            name='check_percent',
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='project',
            name='delete_after',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='project',
            name='influence_seed',
            field=models.CharField(default=annotation.models.random_key, editable=False, max_length=64),
        ),
        migrations.AddField(
            model_name='project',
            name='minutes_a_day',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='project',
            name='on_withdrawal',
            field=models.CharField(choices=[('keep', 'keep'), ('remove', 'remove')], default=annotation.domain.words.OnWithdrawal['KEEP'], max_length=8),
        ),
        migrations.AddField(
            model_name='project',
            name='quota',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='project',
            name='second_factor',
            field=models.CharField(choices=[('none', 'none'), ('staff', 'staff'), ('everyone', 'everyone')], default=annotation.domain.words.SecondFactor['NONE'], max_length=8),
        ),
        migrations.AddField(
            model_name='project',
            name='severe_a_day',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='project',
            name='severe_a_session',
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='project',
            name='severe_from',
            field=models.PositiveSmallIntegerField(default=2),
        ),
        migrations.AddField(
            model_name='project',
            name='severe_in_row',
            field=models.PositiveSmallIntegerField(default=3),
        ),
        migrations.AddField(
            model_name='project',
            name='training_attempts',
            field=models.PositiveSmallIntegerField(default=3),
        ),
        migrations.AddField(
            model_name='project',
            name='training_pass_percent',
            field=models.PositiveSmallIntegerField(default=80),
        ),
        migrations.AddField(
            model_name='project',
            name='training_required',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='project',
            name='withheld_percent',
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='seat',
            name='prior_arm',
            field=models.CharField(blank=True, choices=[('shown', 'shown'), ('hidden', 'hidden'), ('withheld', 'withheld')], default='', max_length=8),
        ),
        migrations.AlterField(
            model_name='item',
            name='stage',
            field=models.CharField(choices=[('imported', 'imported'), ('ready', 'ready'), ('labelling', 'labelling'), ('disputed', 'disputed'), ('gold', 'gold'), ('excluded', 'excluded'), ('known', 'known')], default=annotation.domain.words.Stage['IMPORTED'], max_length=12),
        ),
        migrations.AddIndex(
            model_name='item',
            index=models.Index(condition=models.Q(('stage', 'labelling'), ('taken__lt', models.F('seats'))), fields=['project', 'queue', 'priority', 'taken', 'place'], name='item_open'),
        ),
        migrations.AddField(
            model_name='batch',
            name='members',
            field=models.ManyToManyField(blank=True, related_name='batches', to='annotation.membership'),
        ),
        migrations.AddField(
            model_name='batch',
            name='project',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='batch_rows', to='annotation.project'),
        ),
        migrations.AddField(
            model_name='knownanswer',
            name='category',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='known_answers', to='annotation.category'),
        ),
        migrations.AddField(
            model_name='knownanswer',
            name='item',
            field=models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='known_answer', to='annotation.item'),
        ),
        migrations.AddField(
            model_name='optout',
            name='category',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='opt_outs', to='annotation.category'),
        ),
        migrations.AddField(
            model_name='optout',
            name='member',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='opt_outs', to='annotation.membership'),
        ),
        migrations.AddField(
            model_name='workday',
            name='member',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='work_days', to='annotation.membership'),
        ),
        migrations.AddConstraint(
            model_name='batch',
            constraint=models.UniqueConstraint(fields=('project', 'name'), name='batch_name_once'),
        ),
        migrations.AddConstraint(
            model_name='optout',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('category__isnull', False), ('severity__isnull', True), ('target_group', '')), models.Q(('category__isnull', True), ('severity__isnull', True), models.Q(('target_group', ''), _negated=True)), models.Q(('category__isnull', True), ('severity__isnull', False), ('target_group', '')), _connector='OR'), name='opt_out_of_one_thing'),
        ),
        migrations.AddConstraint(
            model_name='workday',
            constraint=models.UniqueConstraint(fields=('member', 'day'), name='work_day_once'),
        ),
        KeepAppendOnly(["Label"]),
    ]
