"""Posts that are assigned to a reviewer, or parked."""

import django.db.models.deletion
import runs.sql.database_time
import uuid
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0039_telephone_regions'),
        ('moderation', '0008_project_of_evidence'),
    ]

    operations = [
        migrations.CreateModel(
            name='SetAside',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('public_id', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('round', models.PositiveSmallIntegerField()),
                ('note', models.TextField(blank=True, default='', max_length=500)),
                ('at', models.DateTimeField(default=runs.sql.database_time.now, editable=False)),
                ('until', models.DateTimeField(blank=True, null=True)),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='desk_set_aside', to='annotation.membership')),
                ('item', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='set_asides', to='annotation.item')),
                ('reviewer', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='desk_assigned', to='annotation.membership')),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True)), fields=('item',), name='set_aside_once')],
            },
        ),
    ]
