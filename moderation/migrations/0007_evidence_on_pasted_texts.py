# Evidence may be about a pasted text, which is no item of the project.

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0033_keys_of_a_person'),
        ('moderation', '0006_disagreement_inside_debates'),
    ]

    operations = [
        migrations.AddField(
            model_name='evidence',
            name='project',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='evidence', to='annotation.project'),
        ),
        migrations.AlterField(
            model_name='evidence',
            name='item',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='evidence', to='annotation.item'),
        ),
        migrations.AddConstraint(
            model_name='evidence',
            constraint=models.CheckConstraint(condition=models.Q(('item__isnull', False), ('project__isnull', False), _connector='OR'), name='evidence_of_item_or_text'),
        ),
    ]
