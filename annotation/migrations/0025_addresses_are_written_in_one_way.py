from django.db import migrations

from annotation.domain.accounts.mail_addresses import normal_address


def write_in_one_way(apps, schema_editor):
    """Write all addresses in one way; of two accounts that had confirmed the same one, the later has to do it again."""
    EmailAddress = apps.get_model("account", "EmailAddress")
    User = apps.get_model("annotation", "User")
    for row in EmailAddress.objects.order_by("pk"):
        normal = normal_address(row.email)
        if normal == row.email:
            continue
        alike = EmailAddress.objects.filter(email=normal).exclude(pk=row.pk)
        if alike.filter(user=row.user_id).exists():
            row.delete()
            continue
        if row.verified and alike.filter(verified=True).exists():
            print(f"\n  {normal}: account {row.user_id} has to confirm it again, another one has confirmed it before.")
            row.verified = False
        row.email = normal
        row.save(update_fields=["email", "verified"])
    for user in User.objects.exclude(email="").only("pk", "email"):
        if normal_address(user.email) != user.email:
            User.objects.filter(pk=user.pk).update(email=normal_address(user.email))


class Migration(migrations.Migration):

    dependencies = [
        ("annotation", "0024_where_people_are_signed_in"),
        ("account", "0009_emailaddress_unique_primary_email"),
    ]

    operations = [migrations.RunPython(write_in_one_way, migrations.RunPython.noop, elidable=True)]
