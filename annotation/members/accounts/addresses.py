"""Mail addresses of accounts: written in one way only, so that the database keeps two accounts from sharing one.

The library's constraint `unique_verified_email` compares addresses as they are stored. An address that nobody has
confirmed opens nothing, and several accounts may name it.
"""

from typing import Any

from allauth.account.models import EmailAddress
from django.db.models.signals import pre_save
from django.dispatch import receiver

from annotation.domain.accounts.mail_addresses import normal_address
from annotation.models import User


@receiver(pre_save, sender=EmailAddress)
@receiver(pre_save, sender=User)
def _write_in_one_way(instance: User | EmailAddress, **_: Any) -> None:
    instance.email = normal_address(instance.email or "")
