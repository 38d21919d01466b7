import multiprocessing
import time
from itertools import count
from uuid import uuid4

import pytest
import redis
from django.urls import reverse

import builders
from absent import skip_or_fail
from annotation.domain.choices import Role
from config.web.rate_counters import FileCounters, Full, MemoryCounters, RedisCounters, spend_one
from config.web.rate_limit_table import LIMITS, Rate
from config.web.rate_limits import Place, counters, spend, take_place
from release_builders import make_gold


def _spend_many(folder, times, allowed):
    files = FileCounters(folder)
    for number in range(times):
        if files.spend("submit:user:1", Rate(50, 60), number + 1) is None:
            with allowed.get_lock():
                allowed.value += 1


def test_processes_share_one_count_exactly(tmp_path):
    allowed = multiprocessing.Value("i", 0)
    both = [multiprocessing.Process(target=_spend_many, args=(tmp_path, 40, allowed)) for _ in range(2)]
    for process in both:
        process.start()
    for process in both:
        process.join(120)
    assert allowed.value == 50


def test_a_window_slides():
    rate, spent = Rate(2, 60), []
    spent, full = spend_one(spent, rate, 1, now=100.0)
    assert full is None
    spent, full = spend_one(spent, rate, 2, now=130.0)
    assert full is None
    assert spend_one(spent, rate, 3, now=131.0)[1] == Full(29.0, under_way=True)
    assert spend_one(spent, rate, 3, now=140.0)[1] == Full(20.0, under_way=False)  # left behind by a killed process
    assert spend_one(spent, rate, 3, now=160.0) == ([(130.0, 2), (160.0, 3)], None)


def a_redis():
    server = redis.Redis(port=6379, db=9)
    try:
        server.delete("interplay:rate:t", "interplay:rate:other")
    except redis.ConnectionError:
        skip_or_fail("no Redis on 127.0.0.1:6379")
    return RedisCounters("redis://127.0.0.1:6379/9")


STORES = {"files": FileCounters, "redis": lambda _folder: a_redis(), "memory": lambda _folder: MemoryCounters()}


@pytest.mark.parametrize("name", STORES)
def test_every_store_counts_the_same_way(name, tmp_path):
    store, rate = STORES[name](tmp_path), Rate(2, 60)
    assert [store.spend("t", rate, ticket) for ticket in (1, 2)] == [None, None]
    full = store.spend("t", rate, 3)
    assert 59 < full.wait <= 60 and full.under_way
    assert store.spend("other", rate, 3) is None
    store.settle("t", 1)
    assert store.spend("t", rate, 3).under_way  # of the second
    store.give_back("t", 1)
    store.give_back("t", 99)
    assert store.spend("t", rate, 3) is not None  # what is settled, or another's, is not given back
    store.give_back("t", 2)
    assert store.spend("t", rate, 3) is None
    store.settle("t", 3)
    assert not store.spend("t", rate, 4).under_way


@pytest.mark.parametrize("name", STORES)
def test_every_store_slows_down_where_the_rate_says_so(name, tmp_path):
    store, rate = STORES[name](tmp_path), Rate(2, 3600, slows_to=60)
    assert [store.spend("t", rate, ticket) for ticket in (1, 2)] == [None, None]
    first = store.spend("t", rate, 3)
    assert 0 < first.wait <= 1
    time.sleep(first.wait)
    assert store.spend("t", rate, 3) is None
    assert 1 < store.spend("t", rate, 4).wait <= 2


def test_waits_double_up_to_the_longest():
    rate, spent, now, waits = Rate(3, 3600, slows_to=60), [], 1000.0, []
    for ticket in range(14):
        tried, full = spend_one(spent, rate, ticket, now)
        if full:
            assert tried == spent  # a refused try neither counts nor makes the next one wait longer
            waits.append(full.wait)
            now += full.wait
            tried, full = spend_one(spent, rate, ticket, now)
        assert full is None
        spent = tried
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60]
    assert spend_one(spent, rate, 99, now + 3601)[0] == [(now + 3601, 99)]  # forgotten after an hour


def test_old_counters_are_forgotten(tmp_path):
    files = FileCounters(tmp_path)
    files.spend("a", Rate(1, 60), 1)
    assert files.forget(older_than=3600) == 0
    assert files.forget(older_than=-1) == 1


FIVE_THEN_WAIT = [True] * 5 + [False] * 4


def tries(who):
    return [spend("login", who) is None for _ in range(9)]


def assert_given_back(who):
    for _ in range(9):
        place = take_place("login", who)
        assert isinstance(place, Place)
        place.give_back()


def test_limits_hold_while_redis_is_away(settings, rate_limits):  # F36
    settings.REDIS_URL = "redis://127.0.0.1:9/0"
    counters.cache_clear()
    assert tries("address:1") == FIVE_THEN_WAIT
    assert_given_back("address:3")


def test_limits_hold_while_no_counter_can_be_written(settings, rate_limits, tmp_path):
    (tmp_path / "full").write_text("no folder")
    settings.RATE_LIMITS_FOLDER = tmp_path / "full"
    counters.cache_clear()
    assert tries("address:1") == FIVE_THEN_WAIT
    assert tries("address:2") == FIVE_THEN_WAIT
    assert_given_back("address:3")


def test_counting_in_memory_forgets_what_was_used_least_lately():
    memory, rate = MemoryCounters(), Rate(1, 60)
    memory.MOST_KEYS = 2
    memory.spend("a", rate, 1)
    memory.spend("b", rate, 1)
    assert memory.spend("a", rate, 2) is not None
    memory.spend("c", rate, 1)
    assert memory.spend("a", rate, 2) is not None
    assert memory.spend("b", rate, 2) is None


def test_a_lifted_limit_allows_everything():
    assert [spend("login", "address:1") for _ in range(50)] == [None] * 50


def test_the_limits_are_those_that_were_promised():
    assert {name: (rate.count, rate.seconds) for name, rate in LIMITS.items()} == {
        "login": (5, 60),
        "password": (10, 3600),
        "code": (10, 300),
        "invitation": (10, 60),
        "submit": (60, 60),
        "next": (600, 60),
        "label": (600, 60),
        "trigger": (10, 60),
        "import": (10, 3600),
        "export": (5, 3600),
        "api_read": (300, 60),
        "not_found": (60, 60),
        "access": (5, 3600),
        "score": (30, 60),
        "refused": (120, 60),
    }


@pytest.mark.django_db
def test_after_60_answers_not_found_in_a_minute_comes_429(client, rate_limits):  # B110
    client.force_login(builders.make_user())
    answers = [client.get(f"/p/winter/items/{n}/").status_code for n in range(62)]
    assert answers == [404] * 60 + [429] * 2
    assert client.get("/").status_code == 200


@pytest.mark.django_db
def test_a_household_of_ipv6_has_one_limit_for_wrong_passwords(client, rate_limits):
    login, accounts = reverse("account_login"), count()

    def tried(address):  # each at another account: those have a limit of their own
        fields = {"login": f"wren{next(accounts)}", "password": "wrong"}
        return client.post(login, fields, REMOTE_ADDR=address).status_code

    assert [tried(f"2001:db8:1:2::{number}") for number in range(5)] == [200] * 5
    assert tried("2001:db8:1:2:ffff::1") == 429
    assert tried("2001:db8:1:3::1") == 200
    assert [tried(address) for address in ("::ffff:192.0.2.1", *["192.0.2.1"] * 4)] == [200] * 5
    assert (tried("192.0.2.1"), tried("::ffff:192.0.2.2")) == (429, 200)


@pytest.mark.django_db
def test_the_api_answers_429_as_json_with_the_time_to_wait(client, rate_limits, settings):
    settings.RATE_LIMITS = {"api_read": Rate(2, 60)}
    client.force_login(builders.make_user())
    place = reverse("api:projects")
    assert [client.get(place).status_code for _ in range(2)] == [200, 200]
    refused = client.get(place)
    assert refused.status_code == 429
    assert refused.json()["code"] == "too_many"
    assert int(refused["Retry-After"]) == refused.json()["retry_after"]


@pytest.mark.django_db
@pytest.mark.parametrize("page", ["desk-accept", "desk-item", "appeal", "statement", "group-list-add", "score-start"])
def test_what_reviewers_send_is_counted_too(client, rate_limits, settings, page):
    settings.RATE_LIMITS = dict.fromkeys(("submit", "trigger", "import", "refused"), Rate(1, 60))
    project = builders.make_project("p")
    item = builders.make_item(project, stage="gold")
    client.force_login(builders.make_member(project, Role.REVIEWER).user)
    ids = [] if page in ("desk-accept", "group-list-add") else [item.public_id]
    place = reverse(f"moderation:{page}", args=["p", *ids])
    first, second = client.post(place), client.post(place)
    assert first.status_code != 429
    assert second.status_code == 429


@pytest.mark.django_db
def test_releases_of_nothing_count_in_neither_page_nor_api(client, rate_limits, settings):
    settings.RATE_LIMITS = {"export": Rate(1, 3600)}
    project = builders.make_project("p")
    client.force_login(builders.make_member(project, Role.ADMIN).user)
    page, api = reverse("annotation:releases", args=["p"]), reverse("api:releases", args=["p"])

    def order():
        from_page = client.post(page, {"key": str(uuid4())})
        return from_page.status_code, client.post(api, {}, content_type="application/json").status_code

    assert [order() for _ in range(3)] == [(422, 409)] * 3
    make_gold(project, [builders.make_member(project) for _ in range(3)])
    assert order() == (302, 429)


@pytest.mark.django_db
def test_a_release_form_that_comes_back_is_not_counted_and_a_refusal_says_where_the_words_are(
    client, rate_limits, settings
):
    settings.RATE_LIMITS = {"export": Rate(1, 3600)}
    project = builders.make_project("p")
    make_gold(project, [builders.make_member(project) for _ in range(3)])
    client.force_login(builders.make_member(project, Role.ADMIN).user)
    place = reverse("annotation:releases", args=["p"])
    assert [client.post(place, {"splits": "eighty", "key": str(uuid4())}).status_code for _ in range(3)] == [422] * 3
    assert client.post(place, {"key": str(uuid4())}).status_code == 302
    refused = client.post(place, {"key": str(uuid4())})
    assert refused.status_code == 429
    said = refused.content.decode()
    assert "Wait 60 minutes and try again." in said and "What you wrote is still in the form" in said
