from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("annotation", '0040_posts_put_aside'),
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
