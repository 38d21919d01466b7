import django.db.models.deletion
from django.db import migrations, models

import annotation.models.lines


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0033_keys_of_a_person'),
    ]

    operations = [
        migrations.AddField(
            model_name='item',
            name='extra',
            field=models.JSONField(blank=True, db_default={}, default=dict),
        ),
        migrations.AddField(
            model_name='membership',
            name='extra',
            field=models.JSONField(blank=True, db_default={}, default=dict),
        ),
        migrations.AddField(
            model_name='project',
            name='shown_columns',
            field=models.JSONField(blank=True, db_default=[], default=list),
        ),
        migrations.CreateModel(
            name='KeptColumn',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', annotation.models.lines.LineField(max_length=100)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='kept_columns', to='annotation.project')),
            ],
            options={
                'ordering': ('name',),
                'constraints': [models.UniqueConstraint(fields=('project', 'name'), name='kept_column_once')],
            },
        ),
    ]
