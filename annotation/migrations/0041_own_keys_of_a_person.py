from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("annotation", "0039_telephone_regions"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="one_key",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="user",
            name="own_keys",
            field=models.JSONField(editable=False, null=True),
        ),
    ]
