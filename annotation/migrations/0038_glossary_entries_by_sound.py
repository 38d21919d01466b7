from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0037_folded_texts_are_filled'),
    ]

    operations = [
        migrations.AddField(
            model_name='glossaryentry',
            name='sounds',
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
