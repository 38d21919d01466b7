"""How passwords are hashed: Argon2id, with the least memory and time that OWASP's password storage advice allows.

Django's defaults (PBKDF2 with a million rounds, Argon2 with 100 MiB on eight cores) let a class of thirty people who
sign in together hold every thread of the site.
"""

from django.contrib.auth.hashers import Argon2PasswordHasher, get_hashers, make_password

from annotation.models import User


class Argon2id(Argon2PasswordHasher):
    """19 MiB, two passes, one core."""

    time_cost = 2
    memory_cost = 19 * 1024
    parallelism = 1


def do_work_of_old_hashes(password: str, stored: str) -> None:
    """Do what a wrong password still lacks of the work that any account's hash would have caused.

    While some account has a hash of before, it would be known by the time of its answer. Then all wrong passwords cost
    both hashes. `stored` is the hash that was compared, or nothing where no account has the name.
    """
    for old in get_hashers()[1:]:
        beginning = f"{old.algorithm}$"
        if not User.objects.filter(password__startswith=beginning).exists():
            continue
        if stored.startswith(beginning):
            old.harden_runtime(password, stored)  # fewer rounds then than today
            make_password(password)
        else:
            make_password(password, hasher=old)
