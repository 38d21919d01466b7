import gzip

import pytest
from django.test import Client
from django.urls import get_resolver

import builders
from annotation.domain.choices import Role
from config.web.middleware import CallerAddress
from config.web.rate_limits import ACCOUNT_PAGES


@pytest.fixture
def signed_in(client, db):
    client.force_login(builders.make_user())
    return client


def test_a_compressed_body_is_refused_before_it_is_read(client):  # B36
    bomb = gzip.compress(b"0" * 1_000_000)
    answer = client.post("/api/v1/labels/", bomb, content_type="application/json", headers={"content-encoding": "gzip"})
    assert answer.status_code == 415
    assert answer.json()["code"] == "content_encoding"


@pytest.mark.parametrize("method", ["TRACE", "TRACK", "BREW"])
def test_a_method_that_nothing_here_means_is_405(client, method):  # B103
    answer = client.generic(method, "/accounts/login/")
    assert answer.status_code == 405
    assert "POST" in answer["Allow"]


def test_head_is_answered_wherever_get_is_and_allow_says_so(signed_in):
    project = builders.make_project("winter")
    signed_in.force_login(builders.make_member(project, Role.ADMIN).user)
    for address in ("/", "/p/winter/batches/", "/p/winter/items/", "/p/winter/no-such-page/"):
        page, head = signed_in.get(address), signed_in.head(address)
        assert (head.status_code, head["Content-Type"]) == (page.status_code, page["Content-Type"]), address
        assert not head.content
    assert signed_in.delete("/p/winter/batches/")["Allow"] == "GET, HEAD"
    refused = signed_in.head("/p/winter/batches/campaign/")
    assert (refused.status_code, refused["Allow"]) == (405, "POST")


def test_an_address_without_its_last_slash_leads_on_with_method_and_body(signed_in):
    signed_in.force_login(builders.make_member(builders.make_project("winter"), Role.ADMIN).user)
    body = {"rows": [{"id": "a", "text": "One."}], "dry_run": True}
    sent = signed_in.post("/api/v1/projects/winter/import", body, content_type="application/json", follow=True)
    assert sent.redirect_chain == [("/api/v1/projects/winter/import/", 308)]
    assert sent.json()["items"] == 1
    assert signed_in.get("/p/winter/batches")["Location"] == "/p/winter/batches/"


def test_a_form_with_100_000_fields_is_refused_and_nothing_stored(client, db):  # B33
    answer = client.post("/accounts/login/", {f"f{n}": "1" for n in range(100_000)})
    assert answer.status_code == 413


def test_a_form_with_a_few_too_many_fields_says_so(client, db):
    answer = client.post(
        "/accounts/login/", "&".join(f"f{n}=1" for n in range(1_001)), content_type="application/x-www-form-urlencoded"
    )
    assert answer.status_code == 400
    assert b"too many fields" in answer.content


def test_a_body_over_the_limit_is_413_with_the_limit(client, settings):
    answer = client.post(
        "/api/v1/projects/winter/import/", b" " * (settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1), "application/json"
    )
    assert answer.status_code == 413
    assert answer.json()["limit"] == settings.DATA_UPLOAD_MAX_MEMORY_SIZE


def test_an_upload_over_the_limit_is_413_before_it_is_read(client, settings):  # B32
    settings.UPLOAD_MAX_BYTES = 1000
    answer = client.post("/p/winter/import/", {"file": "x" * 2000})
    assert answer.status_code == 413


def test_a_foreign_host_name_is_400_and_never_repeated(client):  # T19, B113
    answer = client.get("/accounts/login/", headers={"host": "evil.example"})
    assert answer.status_code == 400
    assert b"evil.example" not in answer.content
    assert "evil.example" not in str(answer.headers)


@pytest.mark.parametrize("query", ["q=%00", "q=%ed%a0%80"])
def test_a_character_that_cannot_be_stored_is_refused_in_an_address(client, query):
    assert client.get("/accounts/login/", QUERY_STRING=query).status_code == 400


@pytest.mark.django_db
def test_every_page_has_the_strict_policy_and_no_device_access(client):  # T5, T18
    answer = client.get("/accounts/login/")
    policy = dict(part.strip().split(" ", 1) for part in answer["Content-Security-Policy"].split(";"))
    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self'",
        "connect-src": "'self'",
        "font-src": "'self'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
        "base-uri": "'none'",
    }
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["X-Frame-Options"] == "DENY"
    assert answer["Referrer-Policy"] == "same-origin"
    assert "camera=()" in answer["Permissions-Policy"]


@pytest.mark.django_db
def test_another_origin_is_granted_nothing(client):  # T18
    for place in ("/api/v1/projects/", "/accounts/login/", "/static/app.css"):
        answer = client.get(place, headers={"origin": "https://evil.example"})
        assert not [name for name in answer.headers if name.lower().startswith("access-control-")]


def test_a_post_without_a_token_is_403_in_pages_and_fragments(db):  # T18, B102
    from_elsewhere = Client(enforce_csrf_checks=True)
    user = builders.make_user()
    from_elsewhere.force_login(user)
    for headers in ({}, {"hx-request": "true"}):
        answer = from_elsewhere.post("/me/look/", {"theme": "dark"}, headers=headers)
        assert answer.status_code == 403
    user.refresh_from_db()
    assert user.theme == "system"


def test_the_address_is_the_one_that_the_trusted_proxies_saw(client, db, settings, rate_limits):
    settings.TRUSTED_PROXIES = 1
    # The caller writes what it likes; only the last entry comes from the proxy.
    for n in range(6):
        answer = client.post(
            "/accounts/login/",
            {"login": "x", "password": "y"},
            headers={"x-forwarded-for": f"10.0.0.{n}, 198.51.100.7"},
        )
    assert answer.status_code == 429
    other = {"x-forwarded-for": "198.51.100.8"}
    assert client.post("/accounts/login/", {"login": "x", "password": "y"}, headers=other).status_code == 200


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("198.51.100.7:5678", "198.51.100.7"),
        ("[2001:db8::7]:5678", "2001:db8::7"),
        ("[2001:db8::7]", "2001:db8::7"),
        ("2001:db8::7", "2001:db8::7"),
        ("198.51.100.7", "198.51.100.7"),
        ("2001:DB8:0::7", "2001:db8::7"),
        ("unknown", "192.0.2.1"),
        ("<b>x</b>", "192.0.2.1"),
        ("7" * 5000, "192.0.2.1"),
        ("198.51.100.7 198.51.100.8", "192.0.2.1"),
    ],
)
def test_the_port_that_a_proxy_writes_is_no_part_of_the_address(rf, settings, written, address):
    settings.TRUSTED_PROXIES = 1
    request = rf.get("/", headers={"x-forwarded-for": f"10.0.0.1, {written}"}, REMOTE_ADDR="192.0.2.1")
    CallerAddress(lambda _: None).process_request(request)
    assert request.META["REMOTE_ADDR"] == address


def test_without_trusted_proxies_a_forwarded_address_changes_nothing(client, db, rate_limits):  # T44
    for n in range(6):
        headers = {"x-forwarded-for": f"198.51.100.{n}"}
        answer = client.post("/accounts/login/", {"login": "x", "password": "y"}, headers=headers)
    assert answer.status_code == 429


def test_texts_are_compressed_and_other_files_are_not(signed_in):
    page = signed_in.get("/", headers={"accept-encoding": "gzip"})
    assert page["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in page["Vary"]


def test_every_place_that_is_counted_exists():
    known = {
        f"{namespace}{name}"
        for namespace, resolver in [
            ("", get_resolver()),
            *(
                (f"{name}:", get_resolver().namespace_dict[name][1])
                for name in ("annotation", "moderation", "generation")
            ),
        ]
        for name in resolver.reverse_dict
        if isinstance(name, str)
    }
    assert set(ACCOUNT_PAGES) - known == {"openid_connect_login"}  # it exists only where a provider is set
