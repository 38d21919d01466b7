"""The table of the site's own pulse."""

from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ("config", "0001_pulse"),
    ]

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Pulse',
            fields=[
                ('part', models.CharField(max_length=32, primary_key=True, serialize=False)),
                ('at', models.DateTimeField()),
            ],
        ),
    ]
