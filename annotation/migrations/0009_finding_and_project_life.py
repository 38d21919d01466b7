"""Saved searches, changes of many items, and the deletion of projects, which alone may take append-only rows away."""

import django.db.models.deletion
import django.utils.timezone
import uuid
from django.conf import settings
from django.db import migrations, models

from annotation.append_only import KeepAppendOnly


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0008_competence_and_guideline_reading'),
    ]

    operations = [
        migrations.CreateModel(
            name='PurgePermit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project_key', models.BigIntegerField(blank=True, db_index=True, null=True)),
                ('item_key', models.BigIntegerField(blank=True, db_index=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name='BulkOrder',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('key', models.UUIDField()),
                ('act', models.CharField(max_length=12)),
                ('options', models.JSONField(blank=True, default=dict)),
                ('query', models.TextField(blank=True, default='')),
                ('chosen', models.JSONField(blank=True, null=True)),
                ('state', models.CharField(choices=[('queued', 'queued'), ('building', 'building'), ('done', 'done'), ('failed', 'failed'), ('cancelled', 'cancelled')], default='queued', max_length=10)),
                ('problem', models.CharField(blank=True, default='', max_length=500)),
                ('items_total', models.PositiveIntegerField(default=0)),
                ('items_done', models.PositiveIntegerField(default=0)),
                ('passed_over', models.JSONField(blank=True, default=dict)),
                ('last', models.BigIntegerField(default=0)),
                ('until', models.BigIntegerField(default=0)),
                ('cancel_requested', models.BooleanField(default=False)),
                ('beat_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('ordered_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='bulk_orders', to='annotation.membership')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='bulk_orders', to='annotation.project')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('project', 'key'), name='bulk_order_once')],
            },
        ),
        migrations.CreateModel(
            name='Deletion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('project_key', models.UUIDField()),
                ('slug', models.SlugField(max_length=64)),
                ('asked_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('due_at', models.DateTimeField()),
                ('cancelled_at', models.DateTimeField(blank=True, null=True)),
                ('begun_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('counts', models.JSONField(blank=True, default=dict)),
                ('asked_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('cancelled_at__isnull', True), ('finished_at__isnull', True)), fields=('project_key',), name='deletion_open_once')],
            },
        ),
        migrations.CreateModel(
            name='SavedSearch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('name', models.CharField(max_length=80)),
                ('query', models.TextField(blank=True, default='', max_length=4000)),
                ('shared', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('member', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='searches', to='annotation.membership')),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='searches', to='annotation.project')),
            ],
            options={
                'ordering': ('name',),
                'constraints': [models.UniqueConstraint(fields=('member', 'name'), name='search_name_once')],
            },
        ),
        KeepAppendOnly(["Adjudication", "Event", "Label", "Release"]),
    ]
