"""All tables of counterspeech and of written samples."""

import django.db.models.deletion
import django.utils.timezone
import generation.domain.counterspeech.states
import generation.domain.injection.states
import uuid
from django.db import migrations, models
from runs.sql.create_tables import CreateTables


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ("generation", "0001_counterspeech"),
        ("generation", "0002_injection"),
    ]

    dependencies = [
        ('annotation', '0001_schema'),
    ]

    operations = [
        CreateTables(
            [
                migrations.CreateModel(
                    name='CounterRules',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('weight_pc', models.FloatField(default=1.0)),
                        ('weight_aq', models.FloatField(default=1.0)),
                        ('weight_t', models.FloatField(default=1.0)),
                        ('lexicon', models.JSONField(blank=True, default=list)),
                        ('changed_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('project', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='counter_rules', to='annotation.project')),
                    ],
                ),
                migrations.CreateModel(
                    name='Exchange',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                        ('pasted', models.TextField(blank=True, default='')),
                        ('description', models.TextField(blank=True, default='')),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('item', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='exchanges', to='annotation.item')),
                        ('opened_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='exchanges', to='annotation.membership')),
                        ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='exchanges', to='annotation.project')),
                    ],
                    options={
                        'constraints': [
                            models.UniqueConstraint(condition=models.Q(('item__isnull', False)), fields=('item',), name='exchange_item_once'),
                            models.CheckConstraint(condition=models.Q(models.Q(('item__isnull', False), ('pasted', '')), models.Q(('item__isnull', True), models.Q(('pasted', ''), _negated=True)), _connector='OR'), name='exchange_item_or_text'),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name='Explanations',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('number', models.PositiveIntegerField()),
                        ('offensiveness', models.TextField(blank=True, default='')),
                        ('target_group', models.TextField(blank=True, default='')),
                        ('speaker_intent', models.TextField(blank=True, default='')),
                        ('power_dynamics', models.TextField(blank=True, default='')),
                        ('implication', models.TextField(blank=True, default='')),
                        ('emotional_reaction', models.TextField(blank=True, default='')),
                        ('cognitive_reaction', models.TextField(blank=True, default='')),
                        ('insults', models.JSONField(blank=True, default=list)),
                        ('run_id', models.UUIDField(blank=True, null=True, unique=True)),
                        ('model', models.CharField(blank=True, default='', max_length=160)),
                        ('missing', models.JSONField(blank=True, default=dict)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('author', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='explanations_written', to='annotation.membership')),
                        ('exchange', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='explanations', to='generation.exchange')),
                    ],
                    options={
                        'ordering': ('-number',),
                        'constraints': [
                            models.UniqueConstraint(fields=('exchange', 'number'), name='explanations_number_once'),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name='Candidate',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('pc', models.FloatField(blank=True, null=True)),
                        ('aq', models.FloatField(blank=True, null=True)),
                        ('t', models.FloatField(blank=True, null=True)),
                        ('reward', models.FloatField(blank=True, null=True)),
                        ('seen_intent', models.CharField(blank=True, default='', max_length=12)),
                        ('critics', models.JSONField(blank=True, default=dict)),
                        ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                        ('run_id', models.UUIDField()),
                        ('intent', models.CharField(choices=[('informative', 'informative'), ('positive', 'positive'), ('questioning', 'questioning'), ('denouncing', 'denouncing')], max_length=12)),
                        ('place', models.PositiveSmallIntegerField()),
                        ('rank', models.PositiveSmallIntegerField()),
                        ('text', models.TextField()),
                        ('flags', models.JSONField(blank=True, default=list)),
                        ('claims', models.JSONField(blank=True, default=list)),
                        ('model', models.CharField(max_length=160)),
                        ('prompt_digest', models.CharField(max_length=64)),
                        ('exemplars', models.JSONField(blank=True, default=list)),
                        ('settings', models.JSONField(blank=True, default=dict)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('exchange', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='candidates', to='generation.exchange')),
                        ('explanations', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='candidates', to='generation.explanations')),
                    ],
                    options={
                        'ordering': ('rank',),
                        'indexes': [
                            models.Index(fields=['exchange', 'intent', 'id'], name='candidate_of_exchange'),
                        ],
                        'constraints': [
                            models.UniqueConstraint(fields=('run_id', 'intent', 'place'), name='candidate_place_once'),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name='InjectionBatch',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                        ('number', models.PositiveIntegerField()),
                        ('key', models.UUIDField(default=uuid.uuid4)),
                        ('digest', models.CharField(max_length=64)),
                        ('plan', models.JSONField()),
                        ('options', models.JSONField(blank=True, default=dict)),
                        ('model_plan', models.JSONField(blank=True, default=dict)),
                        ('seed', models.PositiveIntegerField()),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='injection_batches', to='annotation.project')),
                        ('started_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='injection_batches', to='annotation.membership')),
                    ],
                    options={
                        'ordering': ('-number',),
                        'constraints': [
                            models.UniqueConstraint(fields=('project', 'number'), name='injection_batch_number_once'),
                            models.UniqueConstraint(fields=('project', 'key'), name='injection_batch_key_once'),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name='InjectionConsent',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('version', models.PositiveIntegerField()),
                        ('accepted_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('member', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='injection_consents', to='annotation.membership')),
                        ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='injection_consents', to='annotation.project')),
                    ],
                    options={
                        'ordering': ('-id',),
                    },
                ),
                migrations.CreateModel(
                    name='InjectionRules',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('on', models.BooleanField(default=False)),
                        ('targets', models.JSONField(blank=True, default=dict)),
                        ('lexicon', models.JSONField(blank=True, default=dict)),
                        ('changed_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('project', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='injection_rules', to='annotation.project')),
                    ],
                ),
                migrations.CreateModel(
                    name='PicturePool',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                        ('name', models.CharField(max_length=100)),
                        ('target_group', models.CharField(blank=True, default='', max_length=200)),
                        ('licence', models.CharField(blank=True, default='', max_length=200)),
                        ('source', models.CharField(blank=True, default='', max_length=300)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('created_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='picture_pools', to='annotation.membership')),
                        ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='picture_pools', to='annotation.project')),
                    ],
                    options={
                        'ordering': ('name',),
                        'constraints': [
                            models.UniqueConstraint(fields=('project', 'name'), name='picture_pool_name_once'),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name='PlanRow',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                        ('entry', models.JSONField()),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('added_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='plan_rows', to='annotation.membership')),
                        ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='plan_rows', to='annotation.project')),
                    ],
                    options={
                        'ordering': ('id',),
                    },
                ),
                migrations.CreateModel(
                    name='PoolPicture',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                        ('name', models.CharField(blank=True, default='', max_length=512)),
                        ('licence', models.CharField(blank=True, default='', max_length=200)),
                        ('explanation', models.TextField(blank=True, default='')),
                        ('severity', models.PositiveSmallIntegerField(blank=True, null=True)),
                        ('model', models.CharField(blank=True, default='', max_length=160)),
                        ('trouble', models.CharField(blank=True, default='', max_length=40)),
                        ('category', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='pool_pictures', to='annotation.category')),
                        ('picture', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pools', to='annotation.picture')),
                        ('pool', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pictures', to='generation.picturepool')),
                    ],
                    options={
                        'ordering': ('id',),
                        'constraints': [
                            models.UniqueConstraint(fields=('pool', 'picture'), name='pool_picture_once'),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name='Reply',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('pc', models.FloatField(blank=True, null=True)),
                        ('aq', models.FloatField(blank=True, null=True)),
                        ('t', models.FloatField(blank=True, null=True)),
                        ('reward', models.FloatField(blank=True, null=True)),
                        ('seen_intent', models.CharField(blank=True, default='', max_length=12)),
                        ('critics', models.JSONField(blank=True, default=dict)),
                        ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                        ('intent', models.CharField(choices=[('informative', 'informative'), ('positive', 'positive'), ('questioning', 'questioning'), ('denouncing', 'denouncing')], max_length=12)),
                        ('text', models.TextField(blank=True, default='')),
                        ('state', models.CharField(choices=[('draft', 'draft'), ('submitted', 'submitted'), ('returned', 'returned'), ('approved', 'approved')], default=generation.domain.counterspeech.states.ReplyState['DRAFT'], max_length=10)),
                        ('override_reason', models.TextField(blank=True, default='')),
                        ('flags', models.JSONField(blank=True, default=list)),
                        ('scored_sha256', models.CharField(blank=True, default='', max_length=64)),
                        ('version', models.PositiveIntegerField(default=1)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('changed_at', models.DateTimeField(default=django.utils.timezone.now)),
                        ('submitted_at', models.DateTimeField(blank=True, null=True)),
                        ('approved_at', models.DateTimeField(blank=True, null=True)),
                        ('approver', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='replies_approved', to='annotation.membership')),
                        ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='replies_written', to='annotation.membership')),
                        ('candidate', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='replies', to='generation.candidate')),
                        ('exchange', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='replies', to='generation.exchange')),
                    ],
                    options={
                        'indexes': [
                            models.Index(fields=['exchange', 'state'], name='reply_of_exchange'),
                        ],
                        'constraints': [
                            models.CheckConstraint(condition=models.Q(models.Q(('state', generation.domain.counterspeech.states.ReplyState['APPROVED']), _negated=True), ('approver__isnull', False), _connector='OR'), name='reply_approved_by_somebody'),
                            models.CheckConstraint(condition=models.Q(('approver__isnull', True), models.Q(('approver', models.F('author')), _negated=True), _connector='OR'), name='reply_not_by_its_author'),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name='Exemplar',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('external_id', models.CharField(max_length=128)),
                        ('hate', models.TextField()),
                        ('intent', models.CharField(choices=[('informative', 'informative'), ('positive', 'positive'), ('questioning', 'questioning'), ('denouncing', 'denouncing')], max_length=12)),
                        ('text', models.TextField()),
                        ('explanations', models.JSONField(blank=True, default=dict)),
                        ('source', models.CharField(blank=True, default='', max_length=500)),
                        ('licence', models.CharField(blank=True, default='', max_length=200)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='exemplars', to='annotation.project')),
                        ('reply', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='exemplar', to='generation.reply')),
                    ],
                    options={
                        'ordering': ('id',),
                        'constraints': [
                            models.UniqueConstraint(fields=('project', 'external_id'), name='exemplar_id_once'),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name='ReplyComment',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('text', models.TextField()),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('author', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reply_comments', to='annotation.membership')),
                        ('reply', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comments', to='generation.reply')),
                    ],
                    options={
                        'ordering': ('id',),
                    },
                ),
                migrations.CreateModel(
                    name='Trigger',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('target_group', models.CharField(max_length=200)),
                        ('text', models.TextField()),
                        ('sha256', models.CharField(max_length=64)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('added_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='triggers', to='annotation.membership')),
                        ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='triggers', to='annotation.project')),
                    ],
                    options={
                        'ordering': ('id',),
                        'constraints': [
                            models.UniqueConstraint(fields=('project', 'target_group', 'sha256'), name='trigger_text_once'),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name='Sample',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                        ('entry', models.PositiveSmallIntegerField()),
                        ('number', models.PositiveIntegerField()),
                        ('pattern', models.CharField(max_length=3)),
                        ('strategy', models.CharField(choices=[('opposition', 'opposition'), ('contextual_inversion', 'contextual inversion'), ('meta_commentary', 'meta commentary'), ('victim_perspective', 'victim perspective'), ('plain', 'plain'), ('paraphrase', 'paraphrase')], max_length=24)),
                        ('target_group', models.CharField(blank=True, default='', max_length=200)),
                        ('seed', models.PositiveIntegerField()),
                        ('state', models.CharField(choices=[('asked', 'asked'), ('waiting', 'waiting'), ('duplicate', 'duplicate'), ('held', 'held'), ('refused', 'refused'), ('unreadable', 'unreadable'), ('failed', 'failed'), ('accepted', 'accepted'), ('rejected', 'rejected')], default=generation.domain.injection.states.SampleState['ASKED'], max_length=10)),
                        ('text', models.TextField(blank=True, default='')),
                        ('order', models.PositiveIntegerField(blank=True, null=True)),
                        ('model', models.CharField(blank=True, default='', max_length=160)),
                        ('prompt_digest', models.CharField(blank=True, default='', max_length=64)),
                        ('run_id', models.UUIDField(blank=True, null=True)),
                        ('holds', models.JSONField(blank=True, default=list)),
                        ('detail', models.CharField(blank=True, default='', max_length=500)),
                        ('decided_at', models.DateTimeField(blank=True, null=True)),
                        ('reason', models.TextField(blank=True, default='')),
                        ('filled_with', models.PositiveIntegerField(default=0)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('batch', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='samples', to='generation.injectionbatch')),
                        ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='samples_decided', to='annotation.membership')),
                        ('intended', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='samples', to='annotation.category')),
                        ('item', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='sample', to='annotation.item')),
                        ('pool_picture', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='samples', to='generation.poolpicture')),
                        ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='samples', to='annotation.project')),
                        ('seen_by', models.ManyToManyField(blank=True, related_name='samples_seen', to='annotation.membership')),
                        ('trigger', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='samples', to='generation.trigger')),
                    ],
                    options={
                        'ordering': ('id',),
                        'indexes': [
                            models.Index(fields=['project', 'state', 'id'], name='sample_standing'),
                            models.Index(fields=['batch', 'state'], name='sample_of_batch'),
                        ],
                        'constraints': [
                            models.UniqueConstraint(fields=('batch', 'entry', 'number'), name='sample_number_once'),
                            models.UniqueConstraint(condition=models.Q(('order__isnull', False)), fields=('project', 'order'), name='sample_order_once'),
                            models.CheckConstraint(condition=models.Q(models.Q(('state__in', (generation.domain.injection.states.SampleState['ACCEPTED'], generation.domain.injection.states.SampleState['REJECTED'])), _negated=True), ('decided_at__isnull', False), _connector='OR'), name='sample_decided_by_somebody'),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name='Comparison',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('shown_first', models.BooleanField()),
                        ('independence', models.CharField(choices=[('first', 'first'), ('second', 'second'), ('tie', 'tie')], max_length=6)),
                        ('adequacy', models.CharField(choices=[('first', 'first'), ('second', 'second'), ('tie', 'tie')], max_length=6)),
                        ('relevance', models.CharField(choices=[('first', 'first'), ('second', 'second'), ('tie', 'tie')], max_length=6)),
                        ('effectiveness', models.CharField(choices=[('first', 'first'), ('second', 'second'), ('tie', 'tie')], max_length=6)),
                        ('category', models.CharField(choices=[('first', 'first'), ('second', 'second'), ('tie', 'tie')], max_length=6)),
                        ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                        ('first', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comparisons_first', to='generation.candidate')),
                        ('judge', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reply_comparisons', to='annotation.membership')),
                        ('second', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comparisons_second', to='generation.candidate')),
                    ],
                    options={
                        'constraints': [models.UniqueConstraint(fields=('first', 'second', 'judge'), name='comparison_once'), models.CheckConstraint(condition=models.Q(('first__lt', models.F('second'))), name='comparison_in_order')],
                    },
                ),
            ]
        ),
    ]
