import importlib
import os
import re
import sys
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from config.environment import env, env_database, env_models
from config.secret_key import load_or_create_key


@pytest.mark.parametrize(
    ("raw", "expected"), [("on", True), (" True ", True), ("0", False), ("off", False), ("", True)]
)
def test_a_flag_is_on_or_off(raw, expected):
    assert env.flag("DEBUG", default=True, environ={"DEBUG": raw}) is expected


@pytest.mark.parametrize(
    ("read", "raw"),
    [
        (lambda e: env.flag("X", default=False, environ=e), "yes please"),
        (lambda e: env.whole("X", default=1, least=1, most=9, environ=e), "10"),
        (lambda e: env.whole("X", default=1, environ=e), "-1"),
        (lambda e: env.whole("X", default=1, environ=e), "１２"),
        (lambda e: env.choice("X", among={"a", "b"}, default="a", environ=e), "c"),
        (lambda e: env.site_url("X", default="http://a", environ=e), "labels.example.org"),
        (lambda e: env.site_url("X", default="http://a", environ=e), "https://labels.example.org/site"),
        (lambda e: env_database.database("X", default=Path("d"), environ=e), "mysql://u:hush-hush@h/n"),
        (lambda e: env_database.database("X", default=Path("d"), environ=e), "postgres://u:hush-hush@h:port/n"),
        (lambda e: env.folder("X", default=Path("d"), environ=e), __file__),
        (lambda e: env_models.prices("X", environ=e), "openai:m=2.5"),
        (lambda e: env_models.prices("X", environ=e), "openai:m=2.5/10/1/1"),
        (lambda e: env_models.prices("X", environ=e), "openai:m=2.5/10/"),
        (lambda e: env_models.prices("X", environ=e), "openai:m=2.5/-1"),
        (lambda e: env_models.prices("X", environ=e), "m=2.5/10"),
        (lambda e: env_models.model_servers("X", environ=e), "lab"),
        (lambda e: env_models.model_servers("X", environ=e), "lab openai"),
        (lambda e: env_models.model_servers("X", environ=e), "lab openai http://h/v1 /no/such/file"),
        (lambda e: env_models.model_servers("X", environ=e), "lab openai http://h/v1 a b"),
        (lambda e: env_models.model_servers("X", environ=e), "lab soap http://h/v1"),
        (lambda e: env_models.model_servers("X", environ=e), "lab openai h/v1"),
        (lambda e: env_models.model_servers("X", environ=e), "lab openai http://u:hush-hush@h/v1"),
        (lambda e: env_models.model_servers("X", environ=e), "Lab openai http://h/v1"),
        (lambda e: env_models.model_servers("X", environ=e), "openai openai http://h/v1"),
        (lambda e: env_models.model_servers("X", environ=e), "lab openai http://h/v1, lab openai http://i/v1"),
        (lambda e: env_models.model_profiles("X", environ=e), "/no/such/file"),
        (lambda e: env_models.answer_tokens("X", roles={"judge"}, default=1, environ=e), "many"),
        (lambda e: env_models.answer_tokens("X", roles={"judge"}, default=1, environ=e), "judge=0"),
        (lambda e: env_models.answer_tokens("X", roles={"judge"}, default=1, environ=e), "jury=900"),
        (lambda e: env.denied("X", "Y", environ=e), "203.0.113.0/33"),
        (lambda e: env.denied("X", "Y", environ=e), "203.0.113"),
        (lambda e: env.denied("X", "Y", environ=e), "203.0.113.0/24 198.51.100.0/24"),
        (lambda e: env.denied("X", "Y", environ=e), "https://a.example"),
        (lambda e: env.denied("X", "Y", environ=e), "a.example/path"),
        (lambda e: env.denied("X", "Y", environ=e), "a..example"),
        (lambda e: env.denied("Y", "X", environ=e), "64:ff9b::/95"),
        (lambda e: env.denied("Y", "X", environ=e), "10.0.0.0/8"),
    ],
)
def test_nonsense_stops_the_start_with_a_sentence_that_names_the_variable(read, raw):
    with pytest.raises(ImproperlyConfigured, match="X ") as stop:
        read({"X": raw})
    assert "hush-hush" not in str(stop.value)


@pytest.mark.parametrize(
    "options",
    [
        *("sslmode=require", "sslmode=verify-full&sslrootcert=system", "sslrootcert=/no/such", "connect_timeout=9"),
        *("host=/run/postgresql", "host=a,b&port=1,2&target_session_attrs=read-write", "hostaddr=192.0.2.1", "port=1"),
        *("options=-c%20statement_timeout=5s", "application_name=", "assume_role=site", "gssencmode=require"),
    ],
)
def test_options_of_a_database_that_its_driver_knows_are_taken(options):
    row = env_database.database("X", default=Path("d"), environ={"X": f"postgres://who:hush-hush@h/n?{options}"})
    assert row["OPTIONS"].items() >= dict(parse_qsl(options, keep_blank_values=True)).items()


# What each setting of one kind refuses, as an operator may mistype it.
NO_WEB_ADDRESS = [
    *("foo", "localhost:8080", "ftp://h.example", "https://", "https://[::1", "https://h.example:99999"),
    *("https://h.example:0", "https://h.example:abc", "https://h.example#a", "https://who:hush-hush@h.example"),
    *("https://who@h.example", "https://*", "https://*.example", "https://a b", "https://h..example", "//h.example"),
]


def settings_read_by(*readers: str) -> list[str]:
    """Return the variables that the settings read with one of these readers of `config.environment.env`."""
    source = (Path(settings.BASE_DIR) / "config" / "settings.py").read_text(encoding="utf-8")
    return list(re.findall(rf"env\w*\.(?:{'|'.join(readers)})\(\s*[\"']([A-Z_0-9]+)[\"']", source))


def refused_by_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, value: str) -> str:
    """Read the settings as a process does that begins, with one variable set. Return the sentence that stops it."""
    for other in [other for other in os.environ if other.startswith(("MODEL_", "DATABASE_", "CELERY_"))]:
        monkeypatch.delenv(other)
    monkeypatch.setenv("VAR_DIR", str(tmp_path))
    monkeypatch.setenv(name, value)
    monkeypatch.delitem(sys.modules, "config.settings", raising=False)
    with pytest.raises(ImproperlyConfigured) as stop:
        importlib.import_module("config.settings")
    sentence = str(stop.value)
    assert "\n" not in sentence and "hush-hush" not in sentence
    return sentence


@pytest.mark.parametrize("value", NO_WEB_ADDRESS)
def test_every_setting_that_is_an_address_refuses_what_is_none(monkeypatch, tmp_path, value):
    names = settings_read_by("url", "site_url", "origins")
    urls = {name for name in settings.__dir__() if name.endswith(("_URL", "_ENDPOINT"))}
    others = {
        "STATIC_URL",
        "MEDIA_URL",
        "LOGIN_URL",
        "LOGIN_REDIRECT_URL",
        "ACCOUNT_LOGOUT_REDIRECT_URL",
        "LOGOUT_REDIRECT_URL",
    }
    assert urls - others - {"REDIS_URL", "CELERY_BROKER_URL"} - {
        "CELERY_BROKER_READ_URL",
        "CELERY_BROKER_WRITE_URL",
    } <= {*names}
    for name in [*names, "MEDIA_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"]:
        assert refused_by_settings(monkeypatch, tmp_path, name, value).startswith(f"{name} must")
        monkeypatch.delenv(name)


@pytest.mark.parametrize("name", ["REDIS_URL", "CELERY_BROKER_URL"])
@pytest.mark.parametrize(
    "value",
    ["foo", "foo://x", "localhost:6379", "127.0.0.1:6379", "redis://127.0.0.1:abc/0", "redis://h/first", "redis://[::1"]
    + ["redis:h", "redis://who:hush-hush@h:99999/0"],
)
def test_the_address_of_a_broker_or_store_is_one_of_a_known_kind(monkeypatch, tmp_path, name, value):
    assert refused_by_settings(monkeypatch, tmp_path, name, value).startswith(f"{name} must look like")


@pytest.mark.parametrize(
    "value",
    ["redis://queue", "rediss://:p%40@queue:6379/15", "amqp://who:p@queue:5672/site", "amqp://a;amqp://b", "memory://"]
    + ["filesystem://localhost//", "sentinel://a:26379;sentinel://b:26379", "redis+socket:///run/redis.sock", ""],
)
def test_the_addresses_of_brokers_that_exist_are_taken(value):
    schemes = "redis rediss amqp sentinel redis+socket filesystem memory"
    assert env.server_url("X", schemes=schemes, environ={"X": value}) == value


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SITE_URL", "https://labels.example.org/site"),
        ("SITE_URL", "https://labels.example.org?a=b"),
        ("DATABASE_URL", "postgres://who:hush-hush@[::1/ops"),
        ("DATABASE_URL", "postgres://who:hush-hush@h:99999/ops"),
        ("DATABASE_URL", "postgres://who:hush-hush@h/ops?sslmod=require"),
        ("DATABASE_URL", "postgres://who:hush-hush@h/ops?sslmode=required"),
        ("DATABASE_URL", "postgres://who:hush-hush@h/ops?sslmode"),
        ("DATABASE_URL", "postgres://who:hush-hush@h/ops?connect_timeout=soon"),
        ("DATABASE_URL", "postgres://who:hush-hush@h/ops?pool=off"),
        ("DATABASE_URL", "sqlite:///ops.sqlite3?timeout=5"),
        ("TIME_ZONE", "Mars/Phobos"),
        ("TIME_ZONE", "../../etc/passwd"),
        ("VAR_DIR", "/proc/x"),
        ("STATIC_ROOT", "/proc/x"),
        ("ALLOWED_HOSTS", "https://x.example"),
        ("ALLOWED_HOSTS", "x.example:8000"),
        ("EMAIL_FROM", "bad"),
        ("EMAIL_FROM", "a@b\nBcc: c@d"),
        ("ADMIN_PATH", "/"),
        ("ADMIN_PATH", "a b"),
        ("MODEL_EMBEDDING", "foo:bar"),
        ("MODEL_EMBEDDING", "foo"),
        ("MODEL_ALLOWED", "foo"),
        ("MODEL_TEXT", "nosuch:model"),
        ("MODEL_JUDGE", "openai:"),
        ("MODEL_SERVERS", "lab openai https://[::1"),
        ("UPLOAD_MAX_BYTES", "0"),
        ("ARCHIVE_MAX_BYTES", "0"),
        ("PICTURE_MAX_PIXELS", "0"),
        ("UPLOAD_MAX_PIXELS", "0"),
        ("OTEL_TRACES_SAMPLER", "foo"),
    ],
)
def test_a_setting_that_makes_no_sense_stops_the_start(monkeypatch, tmp_path, name, value):
    assert name in refused_by_settings(monkeypatch, tmp_path, name, value)


def test_settings_that_make_sense_are_taken():
    e = {"X": "https://[::1]:8443/realms/lab?a=b"}
    assert env.url("X", environ=e) == e["X"]
    assert env.hosts("X", environ={"X": "a.example, .b.example, [::1], *"}) == ["a.example", ".b.example", "[::1]", "*"]
    assert env.mailbox("X", default="i@h", environ={"X": "Labels <a@b>"}) == "Labels <a@b>"
    assert env_models.model("X", servers={"lab"}, environ={"X": "lab:a:free"}) == "lab:a:free"
    assert env_models.model_patterns("X", environ={"X": "lab:*, openai:a"}) == ["lab:*", "openai:a"]
    assert env.time_zone("X", default="UTC", environ={"X": "Asia/Seoul"}) == "Asia/Seoul"


def test_a_database_address_gives_every_part_unquoted():
    found = env_database.database(
        "X", default=Path("d"), environ={"X": "postgres://a%40b:p%2Fw@db.example.org:5433/labels?sslmode=require"}
    )
    assert (found["USER"], found["PASSWORD"], found["HOST"], found["PORT"], found["NAME"]) == (
        "a@b",
        "p/w",
        "db.example.org",
        "5433",
        "labels",
    )
    assert found["OPTIONS"]["sslmode"] == "require"
    assert found["OPTIONS"]["pool"]["max_size"] == 8


def test_without_an_address_the_database_is_a_file_that_takes_its_write_lock_at_once(tmp_path):
    found = env_database.database("X", default=tmp_path / "a.sqlite3", environ={})
    assert found["NAME"] == str(tmp_path / "a.sqlite3")
    assert found["OPTIONS"]["transaction_mode"] == "IMMEDIATE"


def test_a_secret_may_lie_in_a_file(tmp_path):
    (tmp_path / "key").write_text("sk-from-a-file\n")
    assert env.secret("KEY", environ={"KEY_FILE": str(tmp_path / "key")}) == "sk-from-a-file"
    with pytest.raises(ImproperlyConfigured, match="not both"):
        env.secret("KEY", environ={"KEY": "a", "KEY_FILE": str(tmp_path / "key")})
    with pytest.raises(ImproperlyConfigured, match="cannot be read"):
        env.secret("KEY", environ={"KEY_FILE": str(tmp_path / "nothing")})


def test_several_secrets_are_separated_by_commas_also_in_a_file(tmp_path):
    (tmp_path / "keys").write_text("one, two,\n")
    assert env.secrets("KEYS", environ={"KEYS_FILE": str(tmp_path / "keys")}) == ["one", "two"]
    assert env.secrets("KEYS", environ={"KEYS": "three"}) == ["three"]
    assert env.secrets("KEYS", environ={}) == []


SHORTENED, QUOTED, ODD = "shortened", "quotation marks", "no header of HTTP can carry"


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("sk-abc…def", SHORTENED),
        ("sk-abc...def", SHORTENED),
        ("sk-***", SHORTENED),
        ('"sk-abc"', QUOTED),
        ("'sk-abc'", QUOTED),
        ("“sk-abc”", QUOTED),
        ("sk-abc\u200bdef", ODD),
        ("sk-ключ", ODD),
        ("sk-abc\ndef", "line break"),
        ("Bearer sk-abc", "Bearer"),
    ],
)
@pytest.mark.parametrize("is_file", [False, True])
def test_a_key_that_no_service_gave_stops_the_start_and_is_not_repeated(tmp_path, key, said, is_file):
    (tmp_path / "key").write_text(key, encoding="utf-8")
    environ = {"KEY_FILE": str(tmp_path / "key")} if is_file else {"KEY": key}
    with pytest.raises(ImproperlyConfigured, match=f"^KEY.*{said}") as refused:
        env.secret("KEY", key=True, environ=environ)
    assert "sk-" not in str(refused.value)
    servers = {"S": f"lab openai https://models.example.org/v1 {tmp_path / 'key'}"}
    with pytest.raises(ImproperlyConfigured, match=f"^S, whose key of lab stands in .*{said}"):
        env_models.model_servers("S", environ=servers)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("sk-abc", []),
        ("sk-abc\r\n", []),
        ("\ufeffsk-abc\n", ["KEY_FILE has a byte-order mark around its key: it is used without."]),
        ("sk-abc \n", ["KEY_FILE has white space around its key: it is used without."]),
        ("\n\nsk-abc", ["KEY_FILE has white space around its key: it is used without."]),
        ("", []),
        ("\n", []),
    ],
)
def test_what_is_left_out_around_a_key_is_told(tmp_path, monkeypatch, written, told):
    monkeypatch.setattr(env, "mended", [])
    (tmp_path / "key").write_bytes(written.encode())
    assert env.secret("KEY", key=True, environ={"KEY_FILE": str(tmp_path / "key")}) == (
        "sk-abc" if "sk" in written else ""
    )
    assert env.mended == told
    assert env.secret("KEY", key=True, environ={"KEY": " sk-abc"}) == "sk-abc"
    assert env.mended == [*told, "KEY has white space around its key: it is used without."]


def test_what_stands_around_a_key_is_left_out(tmp_path):
    (tmp_path / "key").write_bytes("\ufeff sk-abc\r\n".encode())
    assert env.secret("KEY", key=True, environ={"KEY_FILE": str(tmp_path / "key")}) == "sk-abc"
    servers = env_models.model_servers("S", environ={"S": f"lab openai https://h.example/v1 {tmp_path / 'key'}"})
    assert servers["lab"].key == "sk-abc"


@pytest.mark.parametrize(
    ("address", "right"),
    [
        ("https://h.example/v1/chat/completions", "https://h.example/v1"),
        ("https://h.example/v1/chat/completions/", "https://h.example/v1"),
        ("https://h.example/v1/embeddings", "https://h.example/v1"),
        ("https://h.example/v1/completions", "https://h.example/v1"),
        ("https://h.example/v1/models", "https://h.example/v1"),
        ("http://127.0.0.1:11434/api/chat", "http://127.0.0.1:11434"),
        ("https://h.example/api/v1/services/aigc/text-generation/generation", "https://h.example/api/v1"),
        ("https://h.example/openai/v1?api-version=2024-10-21", "https://h.example/openai/v1"),
        ("https://h.example/v1?key=hush-hush", "https://h.example/v1"),
    ],
)
def test_an_address_of_one_call_or_with_a_query_stops_the_start_with_the_right_one(address, right):
    for read in (
        lambda: env.url("X", models=True, environ={"X": address}),
        lambda: env_models.model_servers("X", environ={"X": f"lab openai {address}"}),
    ):
        with pytest.raises(ImproperlyConfigured) as refused:
            read()
        assert f"write {right}" in str(refused.value)
        assert "hush-hush" not in str(refused.value)


@pytest.mark.parametrize(
    "address", ["https://h.example/v1", "https://h.example/v1/", "http://h:8000", "https://h/api/v1"]
)
def test_an_address_of_all_calls_is_taken(address):
    assert env.url("X", models=True, environ={"X": address}) == address


def test_the_key_is_made_once_and_only_its_owner_may_read_it(tmp_path):
    first = load_or_create_key(tmp_path / "var" / "secret_key")
    assert len(first) > 50
    assert load_or_create_key(tmp_path / "var" / "secret_key") == first
    assert (tmp_path / "var" / "secret_key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in (tmp_path / "var").iterdir()] == ["secret_key"]


@pytest.mark.parametrize("password", ["plain", "p@ss:w/rd?#%", "\u00e4 b", "a+b&c"])
def test_a_password_beside_an_address_is_escaped_into_it(password):
    address = env.with_password("redis://queue:6379/0", password)
    assert (urlsplit(address).scheme, urlsplit(address).path) == ("redis", "/0")
    assert (urlsplit(address).hostname, urlsplit(address).port) == ("queue", 6379)
    assert unquote(urlsplit(address).password) == password
    given = {"DATABASE_URL": "postgres://interplay@db:5432/interplay", "DATABASE_PASSWORD": password}
    row = env_database.database("DATABASE_URL", default=Path("x"), environ=given)
    assert (row["USER"], row["PASSWORD"], row["HOST"], row["PORT"]) == ("interplay", password, "db", "5432")


def test_an_address_with_a_password_keeps_it_and_one_without_a_host_stays():
    assert env.with_password("redis://:a@queue/0", "b") == "redis://:a@queue/0"
    assert env.with_password("filesystem://", "b") == "filesystem://"
    assert env.with_password("redis://queue/0", "") == "redis://queue/0"


@pytest.mark.parametrize("password", ["interplay", "postgres", "Password", "guest"])
def test_a_site_that_others_reach_does_not_start_on_a_password_that_everybody_knows(password):
    address = f"postgres://interplay:{password}@db/interplay"
    env.refuse_public_password("DATABASE_URL", address, deployed=False)
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL is one that everybody knows") as refused:
        env.refuse_public_password("DATABASE_URL", address, deployed=True)
    assert address not in str(refused.value)
    env.refuse_public_password("DATABASE_URL", "postgres://interplay:of-our-own@db/interplay", deployed=True)


def test_servers_are_named_with_protocol_address_and_the_file_of_the_key(tmp_path):
    key = tmp_path / "key"
    key.write_text("hush-hush\n")
    raw = f"lab openai http://127.0.0.1:8000/v1, far-1 dashscope https://models.example.org/api/v1 {key}"
    servers = env_models.model_servers("X", environ={"X": raw})
    assert [(name, server.protocol, server.address, server.key) for name, server in servers.items()] == [
        ("lab", "openai", "http://127.0.0.1:8000/v1", ""),
        ("far-1", "dashscope", "https://models.example.org/api/v1", "hush-hush"),
    ]
    assert "hush-hush" not in repr(servers)
    assert env_models.model_servers("X", environ={}) == {}


def test_a_file_says_what_models_take(tmp_path):
    file = tmp_path / "models.toml"
    file.write_text('["lab:*"]\ntemperature = false\njson = "object"\n')
    assert env_models.model_profiles("X", environ={"X": str(file)}) == (
        ("lab:*", {"temperature": False, "json": "object"}),
    )
    assert env_models.model_profiles("X", environ={}) == ()


@pytest.mark.parametrize("content", ["[lab", '["lab:*"]\njson = "xml"\n', "json = 1\n"])
def test_a_file_that_makes_no_sense_stops_the_start_with_a_sentence(tmp_path, content):
    file = tmp_path / "models.toml"
    file.write_text(content)
    with pytest.raises(ImproperlyConfigured, match="X: "):
        env_models.model_profiles("X", environ={"X": str(file)})


def test_the_most_tokens_of_an_answer_are_a_number_and_numbers_of_roles():
    assert env_models.answer_tokens("X", roles={"judge"}, default=16, environ={}) == {"": 16}
    given = env_models.answer_tokens("X", roles={"judge"}, default=16, environ={"X": "900, Judge=3000"})
    assert given == {"": 900, "judge": 3000}


def test_prices_are_of_tokens_in_and_out_and_if_known_of_cached_ones():
    read = env_models.prices("X", environ={"X": "openai:small=2.5/10, lab:a=b:large=1/4/0.1"})
    assert read == {"openai:small": (2.5, 10.0), "lab:a=b:large": (1.0, 4.0, 0.1)}
