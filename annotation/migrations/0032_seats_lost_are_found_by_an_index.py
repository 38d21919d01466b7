from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0031_no_weekly_note'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='event',
            index=models.Index(
                condition=models.Q(('verb__in', ('seat_lapsed', 'seat_emptied'))),
                fields=['item', 'id'],
                name='event_seat_lost',
            ),
        ),
    ]
