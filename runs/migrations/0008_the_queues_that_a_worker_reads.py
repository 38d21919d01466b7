from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runs", "0007_pauses_of_models")]

    operations = [
        migrations.AddField(
            model_name="workerload", name="queues", field=models.JSONField(default=None, null=True)
        ),
    ]
