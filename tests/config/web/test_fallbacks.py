"""A store that is away is replaced by the next one, and asked again after a rest (threat F36)."""

import pytest
import redis
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    generate_totp_secret,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.core.cache import caches
from django.urls import reverse

import builders
from config.web import fallbacks
from config.web.fallbacks import REST_SECONDS, Fallbacks


class Store:
    def __init__(self) -> None:
        self.fault: Exception | None = None
        self.asked = 0

    def answer(self) -> "Store":
        self.asked += 1
        if self.fault:
            raise self.fault
        return self


def test_the_first_store_that_answers_serves_and_one_that_failed_rests():
    now = [0.0]
    first, second, last = stores = [Store(), Store(), Store()]
    chain = Fallbacks(stores, clock=lambda: now[0])
    assert chain.ask(Store.answer) is first
    first.fault, second.fault = redis.ConnectionError("away"), OSError(28, "No space left on device")
    assert chain.ask(Store.answer) is last
    first.fault = None
    assert chain.ask(Store.answer) is last and (first.asked, second.asked) == (2, 1)
    now[0] += REST_SECONDS
    assert chain.ask(Store.answer) is first


def test_a_fault_of_the_last_store_is_not_hidden():
    store = Store()
    store.fault = OSError("gone")
    with pytest.raises(OSError, match="gone"):
        Fallbacks([store]).ask(Store.answer)


@pytest.fixture
def redis_is_away(settings, tmp_path, monkeypatch):
    monkeypatch.setattr(fallbacks, "_by_aliases", {})
    settings.CACHES = {
        "default": {
            "BACKEND": "config.web.fallbacks.FallbackCache",
            "OPTIONS": {"CACHES": ["redis", "files", "memory"]},
        },
        "redis": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": "redis://127.0.0.1:9/1",
        },
        "files": {"BACKEND": "django.core.cache.backends.filebased.FileBasedCache", "LOCATION": str(tmp_path / "c")},
        "memory": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    }
    return tmp_path


def test_a_cache_keeps_what_it_holds_in_the_next_one(redis_is_away):
    cache = caches["default"]
    assert cache.add("a", 1) and not cache.add("a", 2)
    cache.set("b", 2)
    assert cache.get_many(["a", "b", "c"]) == {"a": 1, "b": 2}
    assert cache.touch("a") and cache.delete("b") and not cache.has_key("b")
    assert cache.incr("a") == 2
    cache.clear()
    assert cache.get("a") is None
    (redis_is_away / "c").rmdir()
    (redis_is_away / "c").write_text("a full disk takes no folder")
    assert cache.add("d", 4) and cache.get("d") == 4


@pytest.mark.django_db
def test_somebody_with_a_second_step_signs_in_while_redis_is_away_and_a_code_counts_once(redis_is_away, client):
    user = builders.make_user()
    user.set_password("long enough to pass")
    user.save()
    secret = generate_totp_secret()
    TOTP.activate(user, secret)
    assert Authenticator.objects.filter(user=user).exists()
    code = format_hotp_value(hotp_value(secret, next(iter(yield_hotp_counters_from_time()))))

    def sign_in():
        client.logout()
        client.post(reverse("account_login"), {"login": user.username, "password": "long enough to pass"})
        return client.post(reverse("mfa_authenticate"), {"code": code}).status_code

    assert sign_in() == 302
    assert client.get("/me/").status_code == 200
    assert sign_in() == 200, "the code was accepted twice"
