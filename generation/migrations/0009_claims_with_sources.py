# Claims of replies and posts are rows with their states.

import django.db.models.deletion
import runs.sql.database_time
import uuid
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0033_keys_of_a_person'),
        ('generation', '0008_texts_of_before'),
    ]

    operations = [
        migrations.CreateModel(
            name='Claim',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('sentence', models.TextField()),
                ('state', models.CharField(choices=[('open', 'open'), ('supported', 'supported'), ('contradicted', 'contradicted'), ('without_source', 'without source')], default='open', max_length=14)),
                ('card', models.UUIDField(blank=True, null=True)),
                ('run', models.UUIDField(blank=True, null=True)),
                ('reason', models.CharField(blank=True, default='', max_length=1000)),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(default=runs.sql.database_time.now, editable=False)),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='claims_decided', to='annotation.membership')),
                ('exchange', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='claims', to='generation.exchange')),
                ('reply', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='claims', to='generation.reply')),
            ],
            options={
                'ordering': ('id',),
                'indexes': [models.Index(fields=['exchange', 'reply'], name='claim_of_exchange')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('state', 'supported'), _negated=True), ('card__isnull', False), _connector='OR'), name='claim_supported_by_a_card'), models.CheckConstraint(condition=models.Q(('state__in', ('supported', 'contradicted')), ('card__isnull', True), _connector='OR'), name='claim_card_where_it_counts'), models.CheckConstraint(condition=models.Q(models.Q(('decided_by__isnull', False), ('state', 'without_source'), models.Q(('reason', ''), _negated=True)), models.Q(models.Q(('state', 'without_source'), _negated=True), ('reason', '')), _connector='OR'), name='claim_without_source_for_a_reason'), models.CheckConstraint(condition=models.Q(('state', 'open'), models.Q(('decided_at__isnull', False), models.Q(('decided_by__isnull', False), ('run__isnull', False), _connector='OR')), _connector='OR'), name='claim_decided_by')],
            },
        ),
    ]
