"""Passwords: cheap enough for thirty people who sign in together, and old hashes are replaced."""

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher, check_password, identify_hasher, make_password
from django.test import Client
from knox.models import AuthToken

import builders
from annotation.models import User
from config import settings as site
from config.web.password_hasher import Argon2id

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _as_deployed(settings):
    settings.PASSWORD_HASHERS = site.PASSWORD_HASHERS


def test_a_password_is_kept_as_argon2id_with_the_parameters_of_the_advice():
    encoded = make_password("a long enough phrase")
    assert encoded.startswith("argon2$argon2id$v=19$m=19456,t=2,p=1$")
    assert check_password("a long enough phrase", encoded) and not check_password("another", encoded)


def test_a_password_of_before_opens_the_account_and_is_hashed_anew():
    user = builders.make_user("wren")
    user.password = make_password("a long enough phrase", hasher="pbkdf2_sha256")
    user.save()
    AuthToken.objects.create(user)
    answer = Client().post("/accounts/login/", {"login": "wren", "password": "a long enough phrase"})
    assert answer.status_code == 302
    user.refresh_from_db()
    assert identify_hasher(user.password).algorithm == "argon2"
    assert AuthToken.objects.filter(user=user).exists()  # nobody set another password


class CountedOld(PBKDF2PasswordHasher):
    """The hasher of before, with few rounds, which counts them."""

    iterations = 50
    rounds = 0

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        type(self).rounds += iterations or self.iterations
        return str(super().encode(password, salt, iterations))


class CountedNew(Argon2id):
    """The hasher of today, which counts how often it works."""

    worked = 0

    def encode(self, password: str, salt: str) -> str:
        type(self).worked += 1
        return str(super().encode(password, salt))

    def verify(self, password: str, encoded: str) -> bool:
        type(self).worked += 1
        return bool(super().verify(password, encoded))


def test_a_wrong_password_costs_the_same_whatever_hash_the_account_has(settings):  # T17
    settings.PASSWORD_HASHERS = [f"{__name__}.CountedNew", f"{__name__}.CountedOld"]
    for name, stored in (
        ("new", make_password("a long enough phrase")),
        ("old", make_password("a long enough phrase", hasher="pbkdf2_sha256")),
        ("older", CountedOld().encode("a long enough phrase", "salt", 20)),
        ("without", make_password(None)),
    ):
        user = builders.make_user(name)
        User.objects.filter(pk=user.pk).update(password=stored)

    def work_of(name: str) -> tuple[int, int]:
        CountedNew.worked = CountedOld.rounds = 0
        answer = Client().post("/accounts/login/", {"login": name, "password": "wrong"})
        assert answer.status_code == 200
        return CountedNew.worked, CountedOld.rounds

    names = ("new", "old", "older", "without", "nobody")
    assert {name: work_of(name) for name in names} == dict.fromkeys(names, (1, 50))
    User.objects.filter(username__startswith="old").update(password=make_password(None))
    assert {name: work_of(name) for name in names} == dict.fromkeys(names, (1, 0))
