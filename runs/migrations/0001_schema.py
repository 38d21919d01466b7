"""All tables of model runs."""

import django.db.models.deletion
import django.db.models.functions.datetime
import runs.domain.states
import uuid
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ("runs", "0001_initial"),
        ("runs", "0002_charged_at_the_end"),
    ]

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Account',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project', models.UUIDField(unique=True)),
                ('call_limit', models.PositiveIntegerField(blank=True, null=True)),
                ('token_limit', models.PositiveBigIntegerField(blank=True, null=True)),
                ('calls', models.BigIntegerField(default=0)),
                ('tokens', models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='Pause',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('provider', models.CharField(max_length=40, unique=True)),
                ('detail', models.CharField(max_length=500)),
                ('since', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('until', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='SiteDay',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField(unique=True)),
                ('calls', models.PositiveIntegerField(default=0)),
                ('tokens', models.PositiveBigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='Run',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('method', models.CharField(max_length=40)),
                ('project', models.UUIDField()),
                ('subject', models.UUIDField()),
                ('variant', models.CharField(blank=True, default='', max_length=80)),
                ('repeat', models.PositiveSmallIntegerField(default=0)),
                ('started_by', models.UUIDField(blank=True, null=True)),
                ('options', models.JSONField(blank=True, default=dict)),
                ('model_plan', models.JSONField(blank=True, default=dict)),
                ('provider', models.CharField(blank=True, default='', max_length=40)),
                ('state', models.CharField(choices=[('queued', 'queued'), ('running', 'running'), ('succeeded', 'succeeded'), ('refused', 'refused'), ('unreadable', 'unreadable'), ('failed', 'failed'), ('cancelled', 'cancelled')], default=runs.domain.states.RunState['QUEUED'], max_length=12)),
                ('reason', models.CharField(blank=True, choices=[('refused', 'refused'), ('provider_blocked', 'provider blocked'), ('invalid_output', 'invalid output'), ('invalid_label', 'invalid label'), ('truncated', 'truncated'), ('empty_output', 'empty output'), ('too_large', 'too large'), ('timeout', 'timeout'), ('provider_error', 'provider error'), ('bad_request', 'bad request'), ('budget_exceeded', 'budget exceeded'), ('worker_lost', 'worker lost'), ('user', 'user'), ('target_gone', 'target gone')], default='', max_length=20)),
                ('detail', models.CharField(blank=True, default='', max_length=500)),
                ('not_before', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('rung_at', models.DateTimeField(blank=True, null=True)),
                ('cancel_requested', models.BooleanField(default=False)),
                ('owner', models.CharField(blank=True, default='', max_length=40)),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('takes', models.PositiveIntegerField(default=0)),
                ('lost_workers', models.PositiveSmallIntegerField(default=0)),
                ('waits', models.PositiveSmallIntegerField(default=0)),
                ('call_limit', models.PositiveIntegerField()),
                ('token_limit', models.PositiveIntegerField()),
                ('seconds_limit', models.PositiveIntegerField()),
                ('calls', models.PositiveIntegerField(default=0)),
                ('retries', models.PositiveIntegerField(default=0)),
                ('tokens', models.PositiveIntegerField(default=0)),
                ('charged_calls', models.BigIntegerField(db_default=0, default=0)),
                ('charged_tokens', models.BigIntegerField(db_default=0, default=0)),
                ('seconds', models.FloatField(default=0.0)),
                ('in_flight', models.JSONField(blank=True, default=dict)),
                ('outcome', models.JSONField(blank=True, null=True)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('forked_from', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='forks', to='runs.run')),
            ],
            options={
                'indexes': [
                    models.Index(condition=models.Q(('state', 'queued')), fields=['project', 'not_before', 'id'], name='run_queued'),
                    models.Index(condition=models.Q(('state', 'running')), fields=['project', 'lease_until'], name='run_running'),
                    models.Index(fields=['project', 'method', 'state'], name='run_counts'),
                    models.Index(fields=['subject', 'method'], name='run_subject'),
                ],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('state__in', (runs.domain.states.RunState['QUEUED'], runs.domain.states.RunState['RUNNING']))), fields=('method', 'subject', 'variant', 'repeat'), name='run_open_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Turn',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=80)),
                ('kind', models.CharField(max_length=10)),
                ('role', models.CharField(max_length=40)),
                ('state', models.CharField(choices=[('ok', 'ok'), ('refused', 'refused'), ('unreadable', 'unreadable'), ('failed', 'failed')], default=runs.domain.states.TurnState['OK'], max_length=12)),
                ('reason', models.CharField(blank=True, choices=[('refused', 'refused'), ('provider_blocked', 'provider blocked'), ('invalid_output', 'invalid output'), ('invalid_label', 'invalid label'), ('truncated', 'truncated'), ('empty_output', 'empty output'), ('too_large', 'too large'), ('timeout', 'timeout'), ('provider_error', 'provider error'), ('bad_request', 'bad request'), ('budget_exceeded', 'budget exceeded'), ('worker_lost', 'worker lost'), ('user', 'user'), ('target_gone', 'target gone')], default='', max_length=20)),
                ('detail', models.CharField(blank=True, default='', max_length=500)),
                ('prompt_digest', models.CharField(blank=True, default='', max_length=64)),
                ('messages', models.JSONField(default=list)),
                ('reply', models.TextField(blank=True, default='')),
                ('rejected', models.JSONField(default=list)),
                ('value', models.JSONField(blank=True, null=True)),
                ('model', models.CharField(blank=True, default='', max_length=160)),
                ('input_tokens', models.PositiveIntegerField(default=0)),
                ('output_tokens', models.PositiveIntegerField(default=0)),
                ('usage_estimated', models.BooleanField(default=False)),
                ('lost_tokens', models.PositiveIntegerField(default=0)),
                ('seconds', models.FloatField(default=0.0)),
                ('calls', models.PositiveSmallIntegerField(default=1)),
                ('retries', models.PositiveSmallIntegerField(default=0)),
                ('flags', models.JSONField(blank=True, default=list)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False)),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='turns', to='runs.run')),
            ],
            options={
                'ordering': ('id',),
                'constraints': [
                    models.UniqueConstraint(fields=('run', 'key'), name='turn_key_once'),
                ],
            },
        ),
    ]
