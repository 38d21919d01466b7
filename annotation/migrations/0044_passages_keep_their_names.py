from django.db import migrations, models

from annotation.core.append_only import KeepAppendOnly


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0039_telephone_regions'),
    ]

    operations = [
        migrations.AddField(
            model_name='label',
            name='passages',
            field=models.JSONField(blank=True, null=True),
        ),
        KeepAppendOnly(['Label']),
    ]
