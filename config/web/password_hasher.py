"""How passwords are hashed: Argon2id, with the least memory and time that OWASP's password storage advice allows.

Django's defaults (PBKDF2 with a million rounds, Argon2 with 100 MiB on eight cores) let a class of thirty people who
sign in together hold every thread of the site.
"""

from django.contrib.auth.hashers import Argon2PasswordHasher


class Argon2id(Argon2PasswordHasher):
    """19 MiB, two passes, one core."""

    time_cost = 2
    memory_cost = 19 * 1024
    parallelism = 1
