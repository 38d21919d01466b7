"""Each account gets the keys of its name. Of two whose names read alike the younger gets none, and stays as it is."""

from django.db import migrations

from annotation.domain.accounts.user_names import name_keys


def fill_keys(apps, schema_editor):
    User = apps.get_model('annotation', 'User')
    seen_keys, seen_looks = set(), set()
    rows = []
    for user in User.objects.order_by('pk').only('username', 'name_key', 'name_look').iterator(chunk_size=2_000):
        key, look = name_keys(user.username)
        user.name_key = None if key in seen_keys else key
        user.name_look = None if look in seen_looks else look
        seen_keys.add(key)
        seen_looks.add(look)
        rows.append(user)
    User.objects.update(name_key=None, name_look=None)
    User.objects.bulk_update(rows, ['name_key', 'name_look'], batch_size=200)


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0027_keys_of_user_names'),
    ]

    operations = [
        migrations.RunPython(fill_keys, migrations.RunPython.noop, elidable=True),
    ]
