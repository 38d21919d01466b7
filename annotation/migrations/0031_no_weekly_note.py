"""The site writes no weekly note."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0030_pages_say_what_comes_next'),
    ]

    operations = [
        # The code before reads both columns, so they stay in the table until a later release.
        migrations.AlterField(
            model_name='user',
            name='weekly_mail',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveField(model_name='user', name='weekly_mail'),
                migrations.RemoveField(model_name='user', name='weekly_mailed_at'),
            ]
        ),
        migrations.AlterField(
            model_name='mail',
            name='kind',
            field=models.CharField(choices=[('invitation', 'invitation'), ('access_asked', 'access asked'), ('access_decided', 'access decided'), ('item_reported', 'item reported'), ('account', 'account'), ('account_notice', 'account notice')], max_length=20),
        ),
    ]
