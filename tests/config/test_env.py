from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import env
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
        (lambda e: env.database("X", default=Path("d"), environ=e), "mysql://u:hush-hush@h/n"),
        (lambda e: env.database("X", default=Path("d"), environ=e), "postgres://u:hush-hush@h:port/n"),
        (lambda e: env.folder("X", default=Path("d"), environ=e), __file__),
        (lambda e: env.prices("X", environ=e), "openai:m=2.5"),
        (lambda e: env.prices("X", environ=e), "openai:m=2.5/10/1/1"),
        (lambda e: env.prices("X", environ=e), "openai:m=2.5/10/"),
        (lambda e: env.prices("X", environ=e), "openai:m=2.5/-1"),
        (lambda e: env.prices("X", environ=e), "m=2.5/10"),
        (lambda e: env.model_servers("X", environ=e), "lab"),
        (lambda e: env.model_servers("X", environ=e), "lab openai"),
        (lambda e: env.model_servers("X", environ=e), "lab openai http://h/v1 /no/such/file"),
        (lambda e: env.model_servers("X", environ=e), "lab openai http://h/v1 a b"),
        (lambda e: env.model_servers("X", environ=e), "lab soap http://h/v1"),
        (lambda e: env.model_servers("X", environ=e), "lab openai h/v1"),
        (lambda e: env.model_servers("X", environ=e), "lab openai http://u:hush-hush@h/v1"),
        (lambda e: env.model_servers("X", environ=e), "Lab openai http://h/v1"),
        (lambda e: env.model_servers("X", environ=e), "openai openai http://h/v1"),
        (lambda e: env.model_servers("X", environ=e), "lab openai http://h/v1, lab openai http://i/v1"),
        (lambda e: env.model_profiles("X", environ=e), "/no/such/file"),
        (lambda e: env.answer_tokens("X", roles={"judge"}, default=1, environ=e), "many"),
        (lambda e: env.answer_tokens("X", roles={"judge"}, default=1, environ=e), "judge=0"),
        (lambda e: env.answer_tokens("X", roles={"judge"}, default=1, environ=e), "jury=900"),
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


def test_a_database_address_gives_every_part_unquoted():
    found = env.database(
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
    found = env.database("X", default=tmp_path / "a.sqlite3", environ={})
    assert found["NAME"] == str(tmp_path / "a.sqlite3")
    assert found["OPTIONS"]["transaction_mode"] == "IMMEDIATE"


def test_a_secret_may_lie_in_a_file(tmp_path):
    (tmp_path / "key").write_text("sk-from-a-file\n")
    assert env.secret("KEY", environ={"KEY_FILE": str(tmp_path / "key")}) == "sk-from-a-file"
    with pytest.raises(ImproperlyConfigured, match="not both"):
        env.secret("KEY", environ={"KEY": "a", "KEY_FILE": str(tmp_path / "key")})
    with pytest.raises(ImproperlyConfigured, match="cannot be read"):
        env.secret("KEY", environ={"KEY_FILE": str(tmp_path / "nothing")})


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
    row = env.database("DATABASE_URL", default=Path("x"), environ=given)
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
    servers = env.model_servers("X", environ={"X": raw})
    assert [(name, server.protocol, server.address, server.key) for name, server in servers.items()] == [
        ("lab", "openai", "http://127.0.0.1:8000/v1", ""),
        ("far-1", "dashscope", "https://models.example.org/api/v1", "hush-hush"),
    ]
    assert "hush-hush" not in repr(servers)
    assert env.model_servers("X", environ={}) == {}


def test_a_file_says_what_models_take(tmp_path):
    file = tmp_path / "models.toml"
    file.write_text('["lab:*"]\ntemperature = false\njson = "object"\n')
    assert env.model_profiles("X", environ={"X": str(file)}) == (("lab:*", {"temperature": False, "json": "object"}),)
    assert env.model_profiles("X", environ={}) == ()


@pytest.mark.parametrize("content", ["[lab", '["lab:*"]\njson = "xml"\n', "json = 1\n"])
def test_a_file_that_makes_no_sense_stops_the_start_with_a_sentence(tmp_path, content):
    file = tmp_path / "models.toml"
    file.write_text(content)
    with pytest.raises(ImproperlyConfigured, match="X: "):
        env.model_profiles("X", environ={"X": str(file)})


def test_the_most_tokens_of_an_answer_are_a_number_and_numbers_of_roles():
    assert env.answer_tokens("X", roles={"judge"}, default=16, environ={}) == {"": 16}
    given = env.answer_tokens("X", roles={"judge"}, default=16, environ={"X": "900, Judge=3000"})
    assert given == {"": 900, "judge": 3000}


def test_prices_are_of_tokens_in_and_out_and_if_known_of_cached_ones():
    read = env.prices("X", environ={"X": "openai:small=2.5/10, lab:a=b:large=1/4/0.1"})
    assert read == {"openai:small": (2.5, 10.0), "lab:a=b:large": (1.0, 4.0, 0.1)}
