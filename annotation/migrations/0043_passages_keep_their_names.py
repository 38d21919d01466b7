from django.db import migrations, models

from annotation.core.append_only import KeepAppendOnly


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0042_posts_are_counted_by_an_index'),
    ]

    operations = [
        migrations.AddField(
            model_name='label',
            name='passages',
            field=models.JSONField(blank=True, null=True),
        ),
        KeepAppendOnly(['Label']),
    ]
