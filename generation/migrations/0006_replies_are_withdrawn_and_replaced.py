# Replies are withdrawn, and replaced by their corrections.

import django.db.models.deletion
import generation.domain.counterspeech.states
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0033_keys_of_a_person'),
        ('generation', '0005_names_are_one_line'),
    ]

    operations = [
        migrations.AddField(
            model_name='reply',
            name='correction_reason',
            field=models.CharField(blank=True, db_default='', default='', max_length=1000),
        ),
        migrations.AddField(
            model_name='reply',
            name='replaces',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='corrections', to='generation.reply'),
        ),
        migrations.AddField(
            model_name='reply',
            name='withdrawal_reason',
            field=models.CharField(blank=True, db_default='', default='', max_length=1000),
        ),
        migrations.AddField(
            model_name='reply',
            name='withdrawn_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='reply',
            name='withdrawn_by',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='replies_withdrawn', to='annotation.membership'),
        ),
        migrations.AlterField(
            model_name='reply',
            name='state',
            field=models.CharField(choices=[('draft', 'draft'), ('submitted', 'submitted'), ('returned', 'returned'), ('approved', 'approved'), ('withdrawn', 'withdrawn'), ('replaced', 'replaced')], default=generation.domain.counterspeech.states.ReplyState['DRAFT'], max_length=10),
        ),
        migrations.AddConstraint(
            model_name='reply',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', generation.domain.counterspeech.states.ReplyState['WITHDRAWN']), _negated=True), models.Q(('withdrawn_by__isnull', False), models.Q(('withdrawal_reason', ''), _negated=True)), _connector='OR'), name='reply_withdrawn_for_a_reason'),
        ),
    ]
