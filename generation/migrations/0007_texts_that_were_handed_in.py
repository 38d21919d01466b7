# Each text that is handed in is kept.

import django.db.models.deletion
import runs.sql.database_time
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('generation', '0006_replies_are_withdrawn_and_replaced'),
    ]

    operations = [
        migrations.CreateModel(
            name='Submission',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('intent', models.CharField(choices=[('informative', 'informative'), ('positive', 'positive'), ('questioning', 'questioning'), ('denouncing', 'denouncing')], max_length=12)),
                ('text', models.TextField()),
                ('submitted_at', models.DateTimeField(default=runs.sql.database_time.now)),
                ('reply', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='submissions', to='generation.reply')),
                ('returned_with', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='submission', to='generation.replycomment')),
            ],
            options={
                'ordering': ('number',),
                'constraints': [models.UniqueConstraint(fields=('reply', 'number'), name='submission_number_once')],
            },
        ),
    ]
