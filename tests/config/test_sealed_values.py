"""A key is changed and ends: what it sealed is found, sealed anew, and opens without it."""

import ast
import itertools
import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from django.apps import apps
from django.conf import settings as site
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

import builders
from annotation.core.sealed import CannotOpen, reseal, seal, unseal
from annotation.domain.outgoing import MailKind
from annotation.mail.send import read_stop_token, stop_token
from annotation.members.accounts.password_links import password_link
from annotation.models import Mail, Webhook
from annotation.models.base import SealedField
from config import sealed_values, shared_parts
from config.web.accounts import SecondSteps

pytestmark = pytest.mark.django_db
OLD, NEW, OWN = "the key of before " * 4, "the key of now " * 4, "the key that seals " * 4
SECRET = "JBSWY3DPEHPK3PXP"
APPS = ("annotation", "config", "generation", "moderation", "runs")


@pytest.fixture(autouse=True)
def _old_key(settings: Any) -> None:
    use(settings, OLD)


@pytest.fixture
def told() -> list[str]:
    return []


def use(settings: Any, secret: str, *former: str, own: str = "", own_former: tuple[str, ...] = ()) -> None:
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = secret, list(former)
    settings.SEALING_KEY, settings.SEALING_KEY_FALLBACKS = own, list(own_former)


def make_webhook() -> Webhook:
    return Webhook.objects.create(
        project=builders.make_project(), address="https://example.org/", sealed_secret=seal("whsec_x")
    )


def make_mail() -> Mail:
    return Mail.objects.create(kind=MailKind.INVITATION, address="a@example.org", sealed_facts=seal({"link": "x"}))


def make_one_of_each() -> None:
    make_webhook(), make_mail()
    Mail.objects.create(kind=MailKind.ACCESS_ASKED)  # was sent: it holds nothing any more
    user = builders.make_user()
    TOTP.activate(user, SECRET)
    RecoveryCodes.activate(user)
    moved = {"migrated_codes": [seal("code 1"), seal("code 2")], "used_mask": 2}
    Authenticator.objects.create(user=builders.make_user(), type="recovery_codes", data=moved)
    Authenticator.objects.create(user=user, type="webauthn", data={"name": "A key", "credential": {"id": "gAAAAA"}})


def opened() -> list[Any]:
    """Return all that is sealed, as who uses it reads it."""
    second = Authenticator.objects.order_by("pk")
    return [
        *(unseal(row.sealed_secret) for row in Webhook.objects.order_by("pk")),
        *(unseal(row.sealed_facts) for row in Mail.objects.exclude(sealed_facts="").order_by("pk")),
        *(SecondSteps().decrypt(row.data["secret"]) for row in second.filter(type="totp")),
        *(RecoveryCodes(row).generate_codes() for row in second.filter(type="recovery_codes")),
    ]


def figures(counts: dict[str, sealed_values.Count]) -> tuple[int, int, int]:
    rows = [(count.current, count.former, count.lost) for count in counts.values()]
    current, former, lost = (sum(column) for column in zip(*rows, strict=True))
    return current, former, lost


# ── Everything is found ───────────────────────────────────────────────────────


def calls_of_seal() -> Iterator[tuple[str, ast.Call, dict[ast.AST, ast.AST]]]:
    for path in itertools.chain.from_iterable((Path(site.BASE_DIR) / app).rglob("*.py") for app in APPS):
        if "migrations" in path.parts or path.name == "sealed.py":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        above = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "seal":
                yield path.relative_to(site.BASE_DIR).as_posix(), node, above


def test_what_is_sealed_goes_into_a_column_of_the_type_or_a_second_step() -> None:
    columns = {
        field.name
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if isinstance(field, SealedField)
    }
    assert columns == {"sealed_secret", "sealed_facts"}
    seen = 0
    for path, call, above in calls_of_seal():
        around = above[call]
        is_column = isinstance(around, ast.keyword) and around.arg in columns
        assert is_column or path == "config/web/accounts.py", f"{path}:{call.lineno}"
        seen += 1
    assert seen >= 4
    named = {field.name for model in apps.get_models() for field in model._meta.get_fields() if "sealed" in field.name}
    assert named == columns  # a column of another type with such a name would be forgotten


def test_every_column_is_walked(told: list[str]) -> None:
    make_one_of_each()
    counts = sealed_values.reseal_all(told.append)
    assert {name: (count.current, count.former, count.lost) for name, count in counts.items()} == {
        "annotation.Webhook.sealed_secret": (1, 0, 0),
        "annotation.Mail.sealed_facts": (1, 0, 0),
        "mfa.Authenticator.data": (3, 0, 0),
    }
    assert len(told) == 3


# ── A key is changed and ends ─────────────────────────────────────────────────


def test_after_reseal_the_former_key_may_go(settings: Any, told: list[str]) -> None:
    make_one_of_each()
    before = opened()
    use(settings, NEW, OLD)
    assert opened() == before
    assert figures(sealed_values.count_all()) == (0, 5, 0)
    assert figures(sealed_values.count_all()) == (0, 5, 0)  # to count changes nothing
    assert figures(sealed_values.reseal_all(told.append)) == (0, 5, 0)
    assert figures(sealed_values.reseal_all(told.append)) == (5, 0, 0)
    use(settings, NEW)
    assert opened() == before
    assert Authenticator.objects.get(data__has_key="migrated_codes").data["used_mask"] == 2
    assert Authenticator.objects.get(type="webauthn").data["credential"] == {"id": "gAAAAA"}


def test_a_key_of_its_own_can_be_set_later_and_taken_out_again(settings: Any, told: list[str]) -> None:
    make_one_of_each()
    before = opened()
    use(settings, OLD, own=OWN)
    assert opened() == before
    sealed_values.reseal_all(told.append)
    use(settings, NEW, own=OWN)  # the key of sessions may now change by itself
    assert (opened(), figures(sealed_values.count_all())) == (before, (5, 0, 0))
    use(settings, NEW, own_former=(OWN,))
    assert (opened(), figures(sealed_values.count_all())) == (before, (0, 5, 0))
    sealed_values.reseal_all(told.append)
    use(settings, NEW)
    assert opened() == before


@pytest.mark.parametrize("seed", range(8))
def test_however_keys_follow_each_other_nothing_is_lost(settings: Any, told: list[str], seed: int) -> None:
    chance = random.Random(seed)
    make_one_of_each()
    before = opened()
    keys, own = [OLD], [""]
    for step in range(12):
        match chance.choice(["secret", "own", "no own", "reseal", "end"]):
            case "secret":
                keys.insert(0, f"secret {seed} {step}")
            case "own":
                own.insert(0, f"own {seed} {step}")
            case "no own":
                own.insert(0, "")
            case "reseal":
                sealed_values.reseal_all(told.append)
            case "end":
                sealed_values.reseal_all(told.append)
                keys, own = keys[:1], own[:1]
        use(settings, *keys, own=own[0], own_former=tuple(filter(None, own[1:])))
        assert opened() == before, step
        assert figures(sealed_values.count_all())[2] == 0


def test_a_secret_that_a_version_before_stored_openly_is_sealed(told: list[str]) -> None:
    Authenticator.objects.create(user=builders.make_user(), type="totp", data={"secret": SECRET})
    assert figures(sealed_values.reseal_all(told.append)) == (0, 1, 0)
    assert SECRET not in json.dumps(Authenticator.objects.get().data)
    assert opened() == [SECRET]


def test_what_no_key_opens_is_named_and_left_as_it_is(settings: Any, told: list[str], capsys: Any) -> None:
    make_one_of_each()
    kept = list(Webhook.objects.values_list("sealed_secret", flat=True))
    use(settings, NEW)
    make_webhook()
    counts = sealed_values.reseal_all(told.append)
    assert figures(counts) == (1, 0, 5)
    (name,) = counts["annotation.Webhook.sealed_secret"].lost_rows
    assert re.fullmatch(r"webhook \d+ of .+", name)
    assert set(kept) < set(Webhook.objects.values_list("sealed_secret", flat=True))
    with pytest.raises(SystemExit) as ended:
        call_command("reseal", "--dry-run", "--json")
    value = json.loads(capsys.readouterr().out)
    assert (ended.value.code, value["ok"]) == (1, False)
    assert value["columns"]["mfa.Authenticator.data"]["lost"] == 3


def test_it_goes_on_where_it_was_stopped(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealed_values, "BATCH", 2)
    for _ in range(5):
        make_mail()
    use(settings, NEW, OLD)

    def stop(text: str) -> None:
        if text.startswith("annotation.Mail") and "4 looked at" in text:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sealed_values.reseal_all(stop)
    assert figures(sealed_values.count_all()) == (4, 1, 0)
    assert figures(sealed_values.reseal_all(lambda text: None)) == (4, 1, 0)


def test_each_batch_takes_the_same_few_statements(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealed_values, "BATCH", 4)

    def statements(say: Callable[[str], None] | None) -> int:
        with CaptureQueriesContext(connection) as captured:
            sealed_values.reseal_all(say) if say else sealed_values.count_all()
        return len([query for query in captured if "SAVEPOINT" not in query["sql"]])

    empty = statements(None)
    for _ in range(8):
        make_mail()
    use(settings, NEW, OLD)
    assert statements(None) == empty + 2 * 2  # ids and rows
    assert statements(lambda text: None) == empty + 2 * 3  # and one UPDATE


@pytest.mark.parametrize("value", ["", "ä", {"a": [1, None]}, [], 0])
def test_a_value_stays_what_it_was(settings: Any, value: Any) -> None:
    first = seal(value)
    assert reseal(first) == first
    use(settings, NEW, OLD)
    again = reseal(first)
    assert again != first and unseal(again) == unseal(first) == value
    use(settings, NEW)
    assert unseal(again) == value
    with pytest.raises(CannotOpen):
        reseal(first)


# ── What commands and processes say ───────────────────────────────────────────


def test_the_commands_say_what_a_former_key_still_holds(settings: Any, capsys: Any) -> None:
    make_one_of_each()
    use(settings, NEW, OLD)
    call_command("shared_parts")
    assert "A former key holds 5 secrets in the database: run `manage.py reseal`." in capsys.readouterr().out
    call_command("reseal")
    shown = capsys.readouterr()
    assert "mfa.Authenticator.data: 0 by the current key, 3 by a former one, 0 by no key" in shown.out
    assert "annotation.Mail.sealed_facts: 1 looked at, 1 sealed anew" in shown.err
    call_command("shared_parts", "--json")
    value = json.loads(capsys.readouterr().out)
    assert (value["ok"], value["by_a_former_key"], value["lost"]) == (True, 0, 0)
    use(settings, "a third key")
    with pytest.raises(SystemExit):
        call_command("shared_parts")
    assert "No key that is set opens 5 of them" in capsys.readouterr().out


def test_a_process_with_another_sealing_key_is_told_apart(settings: Any) -> None:
    assert shared_parts.differences() == []
    use(settings, OLD, own=OWN)
    assert shared_parts.differences() == []  # it opens what was sealed before: the key is being changed
    use(settings, OLD)
    assert shared_parts.differences() == ["SEALING_KEY is not the one of the other processes on this database."]
    use(settings, OLD, own_former=(OWN,))
    assert shared_parts.differences() == []


# ── The document ──────────────────────────────────────────────────────────────

OWN_BUSINESS = {"config/settings.py", "config/settings_for_tests.py", "config/shared_parts.py"}
"""They read or compare the key. They make nothing with it that ends."""


@pytest.mark.once
def test_the_document_names_every_place_that_uses_the_key() -> None:
    using = set()
    for path in itertools.chain.from_iterable((Path(site.BASE_DIR) / app).rglob("*.py") for app in APPS):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        words = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        words |= {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        if words & {"SECRET_KEY", "salted_hmac", "signing"}:
            using.add(path.relative_to(site.BASE_DIR).as_posix())
    text = (Path(site.BASE_DIR) / "docs" / "scaling.md").read_text(encoding="utf-8")
    section = text.partition("\n## Keys change\n")[2].partition("\n## ")[0]
    assert using - OWN_BUSINESS == set(
        re.findall(r"`((?:annotation|config|generation|moderation|runs)/\S+\.py)`", section)
    )


def test_what_is_signed_goes_on_with_the_former_key_and_ends_without_it(settings: Any, client: Any) -> None:
    user = builders.make_user()
    client.force_login(user)
    stop, link = stop_token(user, MailKind.ACCESS_ASKED), password_link(user).removeprefix(site.SITE_URL)

    def works() -> tuple[bool, bool, bool]:
        is_signed_in = client.get("/me/").status_code == 200
        opens = Client().get(link).status_code == 302  # to the form, without the secret in its address
        return is_signed_in, opens, read_stop_token(stop) is not None

    use(settings, NEW, OLD)
    assert works() == (True, True, True)
    use(settings, "a third key")
    assert works() == (False, False, False)
