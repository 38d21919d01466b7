from allauth.mfa.models import Authenticator
from django.db import migrations

from annotation.core.sealed import seal, unseal

# The secret of an app's codes, the seed of recovery codes, and codes that were moved in from elsewhere.
_SECRET = ("secret", "seed")


def _change(apps, schema_editor, one):
    authenticators = apps.get_model("mfa", "Authenticator").objects
    for row in authenticators.filter(type__in=(Authenticator.Type.TOTP, Authenticator.Type.RECOVERY_CODES)):
        row.data |= {name: one(row.data[name]) for name in _SECRET if name in row.data}
        if "migrated_codes" in row.data:
            row.data["migrated_codes"] = [one(code) for code in row.data["migrated_codes"]]
        row.save(update_fields=["data"])


def seal_all(apps, schema_editor):
    _change(apps, schema_editor, seal)


def open_all(apps, schema_editor):
    _change(apps, schema_editor, unseal)


class Migration(migrations.Migration):

    dependencies = [
        ("config", "0002_shared_parts"),
        ("mfa", "0003_authenticator_type_uniq"),
    ]

    operations = [migrations.RunPython(seal_all, open_all)]
