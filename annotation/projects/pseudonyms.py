"""Random pseudonyms for the members of a project."""

import secrets

from annotation.models import Membership, Project

_LETTERS = "bdfgklmnprstvz"
_VOWELS = "aeiou"


def new_pseudonym(project: Project) -> str:
    """Return a random pseudonym that is new in the project."""
    pseudonyms = set(Membership.objects.filter(project=project).values_list("pseudonym", flat=True))
    while True:
        name = "".join(secrets.choice(letters) for letters in (_LETTERS, _VOWELS) * 2) + str(secrets.randbelow(90) + 10)
        if name not in pseudonyms:
            return name
