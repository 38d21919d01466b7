"""All tables of debates, the desk, scores, evidence and evaluations, with the full-text index of passages."""

import django.db.models.deletion
import django.utils.timezone
import uuid
from django.db import migrations, models
from runs.sql.create_tables import CreateTables

SQLITE = (
    "CREATE VIRTUAL TABLE moderation_passage_index USING fts5("
    "words, content='moderation_passage', content_rowid='id', tokenize='unicode61 remove_diacritics 0')",
    "CREATE TRIGGER moderation_passage_added AFTER INSERT ON moderation_passage BEGIN "
    "INSERT INTO moderation_passage_index(rowid, words) VALUES (new.id, new.words); END",
    "CREATE TRIGGER moderation_passage_removed AFTER DELETE ON moderation_passage BEGIN "
    "INSERT INTO moderation_passage_index(moderation_passage_index, rowid, words) "
    "VALUES ('delete', old.id, old.words); END",
)
SQLITE_DROP = (
    "DROP TRIGGER IF EXISTS moderation_passage_added",
    "DROP TRIGGER IF EXISTS moderation_passage_removed",
    "DROP TABLE IF EXISTS moderation_passage_index",
)
POSTGRESQL = (
    "ALTER TABLE moderation_passage ADD COLUMN found_by tsvector "
    "GENERATED ALWAYS AS (to_tsvector('simple', words)) STORED",
    "CREATE INDEX moderation_passage_found_by ON moderation_passage USING gin (found_by)",
)
POSTGRESQL_DROP = ("ALTER TABLE moderation_passage DROP COLUMN found_by",)


def create_passage_index(apps, schema_editor):
    """Create the full-text index of passages, in the way of the database.

    On SQLite a later change of `Passage` rebuilds its table and loses the triggers: that migration must call this
    function again. A test fails if it does not.
    """
    for statement in POSTGRESQL if schema_editor.connection.vendor == "postgresql" else SQLITE:
        schema_editor.execute(statement, None)


def drop_passage_index(apps, schema_editor):
    """Drop the full-text index of passages."""
    for statement in POSTGRESQL_DROP if schema_editor.connection.vendor == "postgresql" else SQLITE_DROP:
        schema_editor.execute(statement, None)


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ("moderation", "0001_evaluations"),
        ("moderation", "0002_desk"),
        ("moderation", "0003_perspectives"),
        ("moderation", "0004_scores"),
        ("moderation", "0005_evidence"),
        ("moderation", "0006_group_lists"),
        ("moderation", "0007_value_lists"),
    ]

    dependencies = [
        ('annotation', '0001_schema'),
    ]

    operations = [
        CreateTables(
            [
                migrations.CreateModel(
                    name='DeskRules',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('lease_minutes', models.PositiveSmallIntegerField(default=15)),
                        ('second_for', models.JSONField(blank=True, default=list)),
                        ('appeals', models.BooleanField(default=True)),
                        ('value_lists', models.JSONField(blank=True, default=dict)),
                        ('project', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='desk_rules', to='annotation.project')),
                    ],
                ),
                migrations.CreateModel(
                    name='Document',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                        ('name', models.CharField(max_length=200)),
                        ('title', models.CharField(max_length=300)),
                        ('kind', models.CharField(max_length=10)),
                        ('sha256', models.CharField(max_length=64)),
                        ('size', models.PositiveIntegerField()),
                        ('characters', models.PositiveIntegerField()),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='documents', to='annotation.project')),
                        ('uploaded_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.membership')),
                    ],
                    options={
                        'ordering': ('-id',),
                        'constraints': [
                            models.UniqueConstraint(fields=('project', 'sha256'), name='document_once'),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name='Evaluation',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                        ('name', models.CharField(max_length=200)),
                        ('task', models.CharField(choices=[('six', 'six'), ('binary', 'binary')], max_length=8)),
                        ('wish', models.JSONField(default=dict)),
                        ('wish_digest', models.CharField(max_length=64)),
                        ('cases_digest', models.CharField(blank=True, default='', max_length=64)),
                        ('arms', models.JSONField(default=list)),
                        ('repeats', models.PositiveSmallIntegerField(default=1)),
                        ('categories', models.JSONField(default=list)),
                        ('left_out', models.JSONField(blank=True, default=dict)),
                        ('state', models.CharField(choices=[('running', 'running'), ('done', 'done'), ('cancelled', 'cancelled')], default='running', max_length=10)),
                        ('report', models.JSONField(blank=True, null=True)),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('finished_at', models.DateTimeField(blank=True, null=True)),
                        ('project', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='evaluations', to='annotation.project')),
                        ('started_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='evaluations', to='annotation.membership')),
                    ],
                    options={
                        'ordering': ('-id',),
                        'indexes': [
                            models.Index(fields=['wish_digest'], name='evaluation_wish'),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name='EvaluationCase',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                        ('dataset', models.CharField(max_length=120)),
                        ('external_id', models.CharField(max_length=128)),
                        ('text', models.TextField(blank=True, default='')),
                        ('picture_path', models.CharField(blank=True, default='', max_length=1000)),
                        ('picture_sha256', models.CharField(blank=True, default='', max_length=64)),
                        ('gold_label', models.PositiveSmallIntegerField(blank=True, null=True)),
                        ('gold_hateful', models.BooleanField()),
                        ('pattern', models.CharField(blank=True, default='', max_length=3)),
                        ('subset', models.CharField(blank=True, default='', max_length=120)),
                        ('evaluation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='cases', to='moderation.evaluation')),
                        ('item', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='evaluation_cases', to='annotation.item')),
                    ],
                    options={
                        'ordering': ('id',),
                        'constraints': [
                            models.UniqueConstraint(fields=('evaluation', 'dataset', 'external_id'), name='evaluation_case_once'),
                            models.CheckConstraint(condition=models.Q(('item__isnull', False), models.Q(('text', ''), _negated=True), models.Q(('picture_path', ''), _negated=True), _connector='OR'), name='evaluation_case_has_content'),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name='Evidence',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                        ('run', models.UUIDField()),
                        ('number', models.PositiveSmallIntegerField()),
                        ('url', models.CharField(max_length=2000)),
                        ('title', models.CharField(blank=True, default='', max_length=300)),
                        ('query', models.CharField(blank=True, default='', max_length=400)),
                        ('fetched_at', models.DateTimeField()),
                        ('sha256', models.CharField(max_length=64)),
                        ('text', models.TextField()),
                        ('copies', models.JSONField(default=list)),
                        ('struck_because', models.CharField(blank=True, default='', max_length=1000)),
                        ('struck_at', models.DateTimeField(blank=True, null=True)),
                        ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='evidence', to='annotation.item')),
                        ('struck_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.membership')),
                    ],
                    options={
                        'ordering': ('run', 'number'),
                        'indexes': [
                            models.Index(fields=['item', 'run'], name='evidence_item'),
                        ],
                        'constraints': [
                            models.UniqueConstraint(fields=('run', 'number'), name='evidence_number'),
                            models.CheckConstraint(condition=models.Q(models.Q(('struck_at', None), ('struck_because', '')), models.Q(('struck_at__isnull', False), models.Q(('struck_because', ''), _negated=True)), _connector='OR'), name='evidence_struck_because'),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name='EvidenceSegment',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('start', models.PositiveIntegerField()),
                        ('end', models.PositiveIntegerField()),
                        ('quote', models.TextField()),
                        ('stance', models.CharField(choices=[('supports', 'supports'), ('refutes', 'refutes')], max_length=10)),
                        ('relevance', models.PositiveSmallIntegerField()),
                        ('bearing', models.CharField(max_length=800)),
                        ('evidence', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='segments', to='moderation.evidence')),
                    ],
                    options={
                        'ordering': ('evidence', 'start'),
                    },
                ),
                migrations.CreateModel(
                    name='GroupList',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('name', models.SlugField(max_length=20)),
                        ('groups', models.JSONField()),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='group_lists_added', to='annotation.membership')),
                        ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='group_lists', to='annotation.project')),
                    ],
                    options={
                        'ordering': ('name',),
                        'constraints': [
                            models.UniqueConstraint(fields=('project', 'name'), name='group_list_name_once'),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name='ItemVector',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('model', models.CharField(max_length=160)),
                        ('text_sha256', models.CharField(max_length=64)),
                        ('vector', models.BinaryField()),
                        ('item', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='desk_vector', to='annotation.item')),
                    ],
                ),
                migrations.CreateModel(
                    name='Lease',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('expires_at', models.DateTimeField(db_index=True)),
                        ('item', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='desk_lease', to='annotation.item')),
                        ('reviewer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='desk_leases', to='annotation.membership')),
                    ],
                ),
                migrations.CreateModel(
                    name='Opinion',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('round', models.PositiveSmallIntegerField()),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('category', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='desk_opinions', to='annotation.category')),
                        ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='desk_opinions', to='annotation.item')),
                        ('reviewer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='desk_opinions', to='annotation.membership')),
                    ],
                    options={
                        'constraints': [
                            models.UniqueConstraint(fields=('item', 'round', 'reviewer'), name='desk_opinion_once_a_round'),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name='Passage',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('number', models.PositiveIntegerField()),
                        ('text', models.TextField()),
                        ('words', models.TextField()),
                        ('document', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='passages', to='moderation.document')),
                    ],
                    options={
                        'ordering': ('document', 'number'),
                        'constraints': [
                            models.UniqueConstraint(fields=('document', 'number'), name='passage_once'),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name='Perspective',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                        ('code', models.CharField(max_length=40)),
                        ('name', models.CharField(max_length=80)),
                        ('criteria', models.TextField()),
                        ('hateful_label', models.CharField(max_length=60)),
                        ('other_label', models.CharField(max_length=60)),
                        ('order', models.PositiveSmallIntegerField(default=0)),
                        ('active', models.BooleanField(default=True)),
                        ('version', models.PositiveIntegerField(default=1)),
                        ('store', models.PositiveBigIntegerField(default=0)),
                        ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='perspectives', to='annotation.project')),
                    ],
                    options={
                        'ordering': ('order', 'id'),
                        'constraints': [
                            models.UniqueConstraint(fields=('project', 'code'), name='perspective_code_once'),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name='Example',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('text', models.TextField()),
                        ('hateful', models.BooleanField()),
                        ('digest', models.CharField(max_length=32)),
                        ('source', models.CharField(blank=True, default='', max_length=200)),
                        ('perspective', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='examples', to='moderation.perspective')),
                    ],
                    options={
                        'ordering': ('id',),
                        'indexes': [
                            models.Index(fields=['perspective', 'source'], name='example_source'),
                        ],
                        'constraints': [
                            models.UniqueConstraint(fields=('perspective', 'digest'), name='example_once'),
                            models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='example_has_text'),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name='Proposal',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                        ('item_version', models.PositiveIntegerField()),
                        ('round', models.PositiveSmallIntegerField()),
                        ('place', models.PositiveSmallIntegerField()),
                        ('ruling', models.CharField(choices=[('decide', 'decided'), ('exclude', 'excluded'), ('new_round', 'sent to a new round'), ('reopen', 'reopened'), ('more_seats', 'asked more people')], max_length=10)),
                        ('rationale', models.TextField()),
                        ('client_key', models.UUIDField()),
                        ('body_sha256', models.CharField(max_length=64)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('category', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='desk_proposals', to='annotation.category')),
                        ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='desk_proposals', to='annotation.item')),
                        ('reviewer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='desk_proposals', to='annotation.membership')),
                    ],
                    options={
                        'constraints': [
                            models.UniqueConstraint(fields=('item', 'item_version', 'place'), name='desk_proposal_place_once'),
                            models.UniqueConstraint(fields=('item', 'item_version', 'reviewer'), name='desk_proposal_person_once'),
                            models.UniqueConstraint(fields=('reviewer', 'client_key'), name='desk_proposal_key_once'),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name='Score',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                        ('source', models.CharField(choices=[('run', 'run'), ('turn', 'turn'), ('prior', 'prior'), ('note', 'note'), ('pasted', 'pasted')], max_length=8)),
                        ('about_run', models.UUIDField(blank=True, null=True)),
                        ('about', models.CharField(blank=True, default='', max_length=100)),
                        ('said_by', models.CharField(blank=True, default='', max_length=160)),
                        ('method', models.CharField(blank=True, default='', max_length=40)),
                        ('explanation', models.TextField()),
                        ('appended', models.BooleanField(default=False)),
                        ('prediction', models.BooleanField(blank=True, null=True)),
                        ('text', models.TextField(blank=True, default='')),
                        ('language', models.CharField(blank=True, default='', max_length=5)),
                        ('group_list', models.CharField(blank=True, default='', max_length=20)),
                        ('rule', models.CharField(choices=[('paper', 'paper'), ('released', 'released')], max_length=10)),
                        ('threshold', models.FloatField()),
                        ('weights', models.JSONField(default=list)),
                        ('estimator', models.CharField(choices=[('model', 'model'), ('logprob', 'logprob'), ('detoxify', 'detoxify'), ('keyword', 'keyword'), ('given', 'given')], max_length=10)),
                        ('estimated_by', models.CharField(blank=True, default='', max_length=160)),
                        ('run', models.UUIDField(blank=True, null=True)),
                        ('state', models.CharField(choices=[('waiting', 'waiting'), ('scored', 'scored'), ('refused', 'refused'), ('unreadable', 'unreadable'), ('failed', 'failed')], default='waiting', max_length=10)),
                        ('reason', models.CharField(blank=True, default='', max_length=500)),
                        ('reading', models.JSONField(blank=True, default=dict)),
                        ('p', models.FloatField(blank=True, null=True)),
                        ('p_masked', models.FloatField(blank=True, null=True)),
                        ('htc', models.PositiveSmallIntegerField(blank=True, null=True)),
                        ('qf', models.FloatField(blank=True, null=True)),
                        ('tgi', models.PositiveSmallIntegerField(blank=True, null=True)),
                        ('cc', models.PositiveSmallIntegerField(blank=True, null=True)),
                        ('score', models.FloatField(blank=True, null=True)),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='scores_started', to='annotation.membership')),
                        ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='scores', to='annotation.item')),
                        ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='scores', to='annotation.project')),
                    ],
                    options={
                        'ordering': ('-id',),
                        'indexes': [
                            models.Index(fields=['item', 'state'], name='score_of_item'),
                            models.Index(fields=['project', 'state'], name='score_of_project'),
                            models.Index(fields=['about_run'], name='score_about_run'),
                        ],
                        'constraints': [
                            models.CheckConstraint(condition=models.Q(models.Q(('state', 'scored'), ('score__gte', 0), ('score__lte', 1)), models.Q(models.Q(('state', 'scored'), _negated=True), ('score__isnull', True)), _connector='OR'), name='score_has_numbers_only_if_scored'),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name='ExplanationReview',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('quotes', models.BooleanField()),
                        ('group', models.BooleanField()),
                        ('hateful', models.BooleanField()),
                        ('created_at', models.DateTimeField(auto_now_add=True)),
                        ('reviewer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='explanation_reviews', to='annotation.membership')),
                        ('score', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reviews', to='moderation.score')),
                    ],
                    options={
                        'ordering': ('id',),
                        'constraints': [
                            models.UniqueConstraint(fields=('score', 'reviewer'), name='explanation_review_once'),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name='Statement',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                        ('puid', models.CharField(max_length=500)),
                        ('version', models.PositiveSmallIntegerField()),
                        ('fields', models.JSONField(default=dict)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('adjudication', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='statements', to='annotation.adjudication')),
                        ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='statements', to='annotation.membership')),
                        ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='statements', to='annotation.item')),
                    ],
                    options={
                        'constraints': [
                            models.UniqueConstraint(fields=('puid', 'version'), name='statement_version_once'),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name='Appeal',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                        ('appellant', models.CharField(blank=True, default='', max_length=200)),
                        ('grounds', models.TextField(max_length=4000)),
                        ('opened_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('outcome', models.CharField(blank=True, choices=[('upheld', 'upheld'), ('overturned', 'overturned')], default='', max_length=10)),
                        ('closed_at', models.DateTimeField(blank=True, null=True)),
                        ('against', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='appeals', to='annotation.adjudication')),
                        ('answer', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='answered_appeals', to='annotation.adjudication')),
                        ('category', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='appeals', to='annotation.category')),
                        ('entered_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='appeals_entered', to='annotation.membership')),
                        ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='appeals', to='annotation.item')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(condition=models.Q(('closed_at__isnull', True)), fields=('item',), name='appeal_open_once')],
                    },
                ),
            ]
        ),
        migrations.RunPython(create_passage_index, drop_passage_index),
    ]
