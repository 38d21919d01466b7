"""A decision says which challenges to priors it upholds; the rebuilt table keeps its guard."""

from django.db import migrations, models

from annotation.append_only import KeepAppendOnly


class Migration(migrations.Migration):
    dependencies = [("annotation", "0002_append_only")]

    operations = [
        migrations.AddField(
            model_name="adjudication", name="corrections", field=models.JSONField(blank=True, default=list)
        ),
        KeepAppendOnly(["Adjudication"]),
    ]
