"""Pages of sample injection: off until terms are accepted, prepared without a key, decided by people, told nobody."""

import json
import re
from io import BytesIO
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from PIL import Image

from annotation.domain.choices import Role
from annotation.models import Event, Item, Membership, Picture, Project, Skip
from builders import category, make_item, make_member, make_picture, make_project
from config.web.rate_limit_table import Rate
from generation.domain.injection.states import SampleState
from generation.injection import batches, material, review
from generation.injection import settings as injection_settings
from generation.models import (
    InjectionBatch,
    InjectionConsent,
    InjectionRules,
    PicturePool,
    PlanRow,
    PoolPicture,
    Sample,
    Trigger,
)
from injection_models import GROUP, TEXT, entry, make_injecting_project, make_pool
from injection_models import make_sample as waiting
from runs.models import Run

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _built_in_only(settings: Any) -> None:
    settings.MODEL_BINDINGS = {}
    settings.MODEL_ALLOWED = []


@pytest.fixture
def admin() -> Membership:
    return make_injecting_project()[1]


@pytest.fixture
def project(admin: Membership) -> Project:
    return admin.project


@pytest.fixture
def pool(admin: Membership) -> PicturePool:
    return make_pool(admin)


def client_of(member: Membership) -> Client:
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    return client


def address(name: str, *args: Any) -> str:
    return reverse(f"generation:{name}", args=["garden", *args])


def text_of(answer: Any) -> str:
    text: str = answer.content.decode()
    return text


def drawn(colour: str) -> bytes:
    made = BytesIO()
    Image.new("RGB", (64, 48), colour).save(made, "PNG")
    return made.getvalue()


# ── The switch ────────────────────────────────────────────────────────────────


def test_it_is_off_until_an_admin_accepts_the_terms_and_that_is_written_down() -> None:
    project = make_project("garden")
    admin, reviewer = make_member(project, Role.ADMIN), make_member(project, Role.REVIEWER)
    client = client_of(admin)
    assert "Sample injection is off" in text_of(client.get(address("injection")))
    assert "Only an admin" in text_of(client_of(reviewer).get(address("injection")))
    refused = client.post(address("injection-switch"), {"version": 1})
    assert refused.status_code == 422 and not InjectionConsent.objects.exists()
    old = client.post(address("injection-switch"), {"version": 0, "accepted": "on"})
    assert old.status_code == 409 and "terms have changed" in text_of(old) and not injection_settings.is_on(project)
    client.post(address("injection-switch"), {"version": 1, "accepted": "on"})
    row = InjectionConsent.objects.get()
    assert (row.member, row.version, injection_settings.is_on(project)) == (admin, 1, True)
    event = Event.objects.get(verb="injection_on")
    assert (event.actor, event.facts) == (admin, {"terms": 1})
    assert "Plan of samples" in text_of(client.get(address("injection")))
    client.post(address("injection-switch"), {"on": "0"})
    assert not injection_settings.is_on(project) and Event.objects.filter(verb="injection_off").count() == 1


def test_new_terms_switch_it_off_until_somebody_accepts_them(project: Project, monkeypatch: Any) -> None:
    monkeypatch.setattr(injection_settings, "TERMS_VERSION", 2)
    assert not injection_settings.is_on(project)


def test_while_it_is_off_every_form_leads_back_and_changes_nothing(admin: Membership, pool: PicturePool) -> None:
    sample = waiting(pool)
    picture = pool.pictures.first()
    assert picture is not None
    batch = InjectionBatch.objects.get()
    injection_settings.switch_off(admin)
    before = Event.objects.count()
    client = client_of(admin)
    posts: dict[str, tuple[list[Any], dict[str, Any]]] = {
        "injection-targets": ([], {"010-0": 3}),
        "injection-add": ([], entry()),
        "injection-file": ([], {"plan": SimpleUploadedFile("plan.json", json.dumps([entry()]).encode())}),
        "injection-begin": ([], {"language": "English", "key": uuid4()}),
        "injection-go-on": ([batch.public_id], {}),
        "pools": ([], {"name": "square", "licence": "CC0"}),
        "pool-items": ([pool.public_id], {"ids": "post-1"}),
        "pool-files": ([pool.public_id], {"files": SimpleUploadedFile("a.png", drawn("red"))}),
        "pool-priors": ([pool.public_id], {}),
        "pool-picture": ([picture.public_id], {"category": "2"}),
        "injection-triggers": ([], {"trigger_group": GROUP, "texts": "Ivy again."}),
        "injection-words": ([], {"word_group": GROUP, "words": "<slur>"}),
        "sample-accept": ([sample.public_id], {}),
        "sample-reject": ([sample.public_id], {"reason": "No."}),
    }
    for name, (parts, given) in posts.items():
        answer = client.post(address(name, *parts), given)
        assert (answer.status_code, answer["Location"]) == (302, address("injection")), name
    sample.refresh_from_db()
    picture.refresh_from_db()
    assert (sample.state, PlanRow.objects.count(), Trigger.objects.count(), PicturePool.objects.count()) == (
        "waiting", 0, 0, 1,
    )  # fmt: skip
    assert picture.category == category(admin.project, 1) and not Run.objects.exists()
    assert InjectionRules.objects.get().lexicon == {} and Event.objects.count() == before
    for name in ("samples", "injection-report", "sample-review", "pools", "injection-material"):
        assert "Sample injection is off" in text_of(client.get(address(name)))


# ── Without a key: prepare everything, lose nothing ───────────────────────────


def test_without_a_key_everything_is_prepared_the_page_says_what_is_missing_and_the_plan_stays(
    admin: Membership, project: Project
) -> None:
    client = client_of(admin)
    page = text_of(client.get(address("injection")))
    assert "The built-in baseline writes no samples: set MODEL_SAMPLE_WRITER or MODEL_VISION" in page
    assert "No picture pool yet" in page and "The plan is empty" in page
    made = client.post(address("pools"), {"name": "street", "target_group": GROUP, "licence": "CC BY 4.0"})
    pool = PicturePool.objects.get()
    assert made["Location"] == address("pool", pool.public_id)
    files = [SimpleUploadedFile(f"{colour}.png", drawn(colour)) for colour in ("red", "green", "red")]
    broken = SimpleUploadedFile("broken.png", b"no picture")
    client.post(address("pool-files", pool.public_id), {"files": [*files, broken], "category": "1"})
    assert sorted(pool.pictures.values_list("name", "category__code", "model")) == [
        ("green.png", 1, "admin"), ("red.png", 1, "admin"),
    ]  # fmt: skip
    page = client.get(address("pool", pool.public_id))
    assert "broken.png: " in text_of(page)
    asked = client.post(address("pool-priors", pool.public_id), follow=True)
    assert "No model is set up that sees pictures" in text_of(asked)
    added = client.post(address("injection-add"), entry())
    assert added["Location"] == address("injection") + "#plan" and PlanRow.objects.get().entry == entry()
    begun = client.post(address("injection-begin"), {"language": "English", "key": uuid4()})
    assert begun.status_code == 422 and "writes no samples" in text_of(begun)
    assert PlanRow.objects.count() == 1 and not InjectionBatch.objects.exists() and not Run.objects.exists()
    for name in ("sample-review", "samples", "injection-report", "injection-material"):
        assert client.get(address(name)).status_code == 200


def test_a_bad_entry_or_file_is_told_in_one_sentence_and_nothing_is_kept(admin: Membership, pool: PicturePool) -> None:
    client = client_of(admin)
    wrong = client.post(address("injection-add"), entry(strategy="plain"))
    assert wrong.status_code == 422 and "Plain does not make 010; for that pattern choose one of" in text_of(wrong)
    cases = [
        (json.dumps([entry(), entry(pool="square")]).encode(), "Entry 2: there is no picture pool"),
        (b'[{"pattern": ', "line 1, column 14"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[" * 100_000, "no JSON that can be read"),
        (json.dumps({"pattern": "010"}).encode(), "A plan is a list of entries"),
    ]
    for content, said in cases:
        answer = client.post(address("injection-file"), {"plan": SimpleUploadedFile("plan.json", content)})
        assert answer.status_code == 422 and said in text_of(answer), said
    assert not PlanRow.objects.exists()
    good = SimpleUploadedFile("plan.json", json.dumps([entry(n=2), entry("100", "opposition")]).encode())
    client.post(address("injection-file"), {"plan": good})
    assert PlanRow.objects.count() == 2
    client.post(address("injection-remove", PlanRow.objects.first().public_id))
    assert [row.entry["pattern"] for row in PlanRow.objects.all()] == ["100"]


def test_wanted_numbers_show_what_is_missing(admin: Membership, pool: PicturePool) -> None:
    client = client_of(admin)
    waiting(pool)
    client.post(address("injection-targets"), {"110-0": "5", "001-1": "2", "110-1": "9"})
    assert injection_settings.targets_of(admin.project) == {("001", 1): 2, ("110", 0): 5}
    page = text_of(client.get(address("injection")))
    assert '<b title="missing">4</b>' in page and '<b title="missing">2</b>' in page
    bad = client.post(address("injection-targets"), {"110-0": "-1"})
    assert bad.status_code == 422 and "whole number from 0 up" in text_of(bad)
    assert injection_settings.targets_of(admin.project)["110", 0] == 5


def test_the_same_form_twice_is_one_batch(admin: Membership, pool: PicturePool, settings: Any) -> None:
    settings.MODEL_BINDINGS = {"MODEL_SAMPLE_WRITER": "openai:writer"}
    settings.OPENAI_BASE_URL = "http://127.0.0.1:9/v1"
    client = client_of(admin)
    batches.add_rows(admin, [entry(n=2)])
    form = {"language": "German", "key": uuid4()}
    first, second = (client.post(address("injection-begin"), form) for _ in range(2))
    batch = InjectionBatch.objects.get()
    assert first["Location"] == second["Location"] == address("injection-batch", batch.public_id)
    assert (batch.options["language"], Sample.objects.count(), Run.objects.count()) == ("German", 2, 2)
    assert not PlanRow.objects.exists() and batch.started_by == admin
    page = text_of(client.get(first["Location"]))
    assert "0 of 2 samples" in page and 'hx-trigger="every 2s"' in page
    client.post(address("injection-cancel", batch.public_id))
    page = text_of(client.get(address("injection-progress", batch.public_id)))
    assert "hx-trigger" not in page and "Continue with the rest" in page
    client.post(address("injection-go-on", batch.public_id))
    assert Run.objects.filter(state="queued").count() == 2


# ── Pools ─────────────────────────────────────────────────────────────────────


def test_pictures_of_items_bring_their_licence_and_prior_and_excluded_ones_stay_out(
    admin: Membership, project: Project
) -> None:
    pool = material.make_pool(project, "posts", licence="CC0")
    shown = make_item(project, picture=make_picture(project), external_id="w-1", batch="pilot", licence="CC BY-SA 4.0")
    shown.priors.create(modality="image", category=category(project, 2), explanation="A slogan.", model="openai:seer")
    make_item(project, picture=make_picture(project), external_id="w-2", batch="pilot", stage="excluded")
    make_item(project, picture=make_picture(project), external_id="w-3", batch="other")
    client = client_of(admin)
    client.post(address("pool-items", pool.public_id), {"batch": "pilot"})
    row = PoolPicture.objects.get()
    assert (row.name, row.licence_in_force, row.category, row.explanation) == (
        "w-1", "CC BY-SA 4.0", category(project, 2), "A slogan.",
    )  # fmt: skip
    for form, said in (
        ({}, "one of the two"),
        ({"batch": "pilot", "ids": "w-3"}, "one of the two"),
        ({"ids": "nobody"}, "No item of that name has a picture"),
    ):
        answer = client.post(address("pool-items", pool.public_id), form)
        assert answer.status_code == 422 and said in text_of(answer)
    client.post(address("pool-picture", row.public_id), {"category": "0"})
    row.refresh_from_db()
    assert (row.category, row.model) == (category(project, 0), "admin")
    client.post(address("pool-picture", row.public_id), {"do": "out"})
    assert not PoolPicture.objects.exists() and Picture.objects.count() == 3


def test_names_of_no_picture_are_told_and_the_others_come_in(admin: Membership, pool: PicturePool) -> None:
    make_item(admin.project, external_id="post-1", picture=make_picture(admin.project))
    make_item(admin.project, external_id="post-2")
    client = client_of(admin)
    sent = client.post(address("pool-items", pool.public_id), {"ids": "post-1\npost-2\nposte-3"}, follow=True)
    assert "1 picture was added." in text_of(sent)
    assert "no item of that name has a picture: post-2, poste-3." in text_of(sent)


def test_a_hundred_pictures_come_in_at_a_time_and_more_are_refused_in_one_sentence(
    admin: Membership, pool: PicturePool
) -> None:
    client, before = client_of(admin), pool.pictures.count()
    colours = [f"#{number:02x}0000" for number in range(101)]
    files = [SimpleUploadedFile(f"{each}.png", drawn(each), "image/png") for each in colours]
    sent = client.post(address("pool-files", pool.public_id), {"files": files[:100], "category": "1"}, follow=True)
    assert "100 pictures were added." in text_of(sent) and "At most 100 at a time." in text_of(sent)
    for file in files:
        file.seek(0)
    refused = client.post(address("pool-files", pool.public_id), {"files": files, "category": "1"})
    assert refused.status_code == 400 and "At most 100 files can be sent at a time" in text_of(refused)
    assert pool.pictures.count() == before + 100


def test_whoever_changes_a_picture_is_led_back_to_it(admin: Membership, pool: PicturePool) -> None:
    client, picture = client_of(admin), pool.pictures.first()
    assert picture is not None
    changed = client.post(address("pool-picture", picture.public_id), {"category": "1", "page": "2"})
    assert changed["Location"] == address("pool", pool.public_id) + f"?page=2#p-{picture.public_id}"
    page = text_of(client.get(address("pool", pool.public_id)))
    assert f'id="p-{picture.public_id}"' in page and '<input type="hidden" name="page" value="1">' in page


def test_a_picture_that_samples_were_made_from_stays(admin: Membership, pool: PicturePool) -> None:
    sample = waiting(pool)
    client = client_of(admin)
    answer = client.post(address("pool-picture", sample.pool_picture.public_id), {"do": "out"}, follow=True)
    assert "so it stays" in text_of(answer) and PoolPicture.objects.filter(pk=sample.pool_picture_id).exists()


def test_texts_and_words_are_kept_counted_and_never_shown_again(admin: Membership, project: Project) -> None:
    client = client_of(admin)
    texts = {"trigger_group": GROUP, "texts": "The ivy is back.\n\nThe ivy is back.\nCount the spoons."}
    client.post(address("injection-triggers"), texts)
    client.post(address("injection-triggers"), texts)
    client.post(address("injection-words"), {"word_group": GROUP, "words": "blorks"})
    page = text_of(client.get(address("injection-material")))
    assert "2 texts" in page and "1 word<" in page
    assert "The ivy" not in page and "blorks" not in page
    assert "blorks" not in str(list(Event.objects.values_list("facts", flat=True)))
    client.post(address("injection-words"), {"word_group": GROUP, "words": ""})
    assert InjectionRules.objects.get().lexicon == {}


def test_a_group_may_be_called_like_a_method_of_a_dict(admin: Membership, project: Project) -> None:
    client = client_of(admin)
    client.post(address("injection-triggers"), {"trigger_group": "items", "texts": "The ivy is back."})
    page = text_of(client.get(address("injection-material")))
    assert "<bdi>items</bdi>" in page and "1 text<" in page


# ── Review ────────────────────────────────────────────────────────────────────


def test_a_reviewer_goes_from_sample_to_sample_and_decides(
    admin: Membership, project: Project, pool: PicturePool
) -> None:
    reviewer = make_member(project, Role.REVIEWER)
    first, second = waiting(pool), waiting(pool, "Amber clouds hang over the harbour, <insult>.")
    client = client_of(reviewer)
    assert client.get(address("injection"))["Location"] == address("sample-review")
    page = text_of(client.get(address("sample-review")))
    assert "They put &lt;insult&gt; on our letterbox" in page
    assert reverse("annotation:media-blurred", args=[first.pool_picture.picture.public_id]) in page
    assert 'src="' + reverse("annotation:media", args=[first.pool_picture.picture.public_id]) + '"' not in page
    assert "Amber clouds" in text_of(client.get(address("sample-review") + f"?after={first.order}"))
    done = client.post(address("sample-accept", first.public_id))
    assert done["Location"] == address("sample-review") + f"?after={first.order}"
    assert Item.objects.get().external_id == f"s-{first.public_id.hex[:12]}"
    empty = client.post(address("sample-reject", second.public_id), {"reason": " "})
    assert empty.status_code == 422 and "Say why it is rejected" in text_of(empty)
    client.post(
        address("sample-reject", second.public_id), {"said": "It does not read like a post", "reason": "Stiff."}
    )
    second.refresh_from_db()
    assert (second.reason, second.decided_by) == ("It does not read like a post: Stiff.", reviewer)
    again = client.post(address("sample-accept", second.public_id), follow=True)
    assert "Somebody else has already decided" in text_of(again) and "No sample waits" in text_of(again)
    late = client.post(address("sample-reject", second.public_id), {"reason": "Too stiff by half."})
    assert (
        late.status_code == 409
        and "Somebody else has already decided" in text_of(late)
        and "Too stiff by half." in text_of(late)
    )
    header = re.search(r'<a href="[^"]+"[^>]*aria-current="page"[^>]*>Items</a>', text_of(late))
    assert header, "the header says where one is, also where something was refused"


def test_what_was_passed_by_comes_again_when_the_others_are_done(admin: Membership, pool: PicturePool) -> None:
    _first, second, third = (
        waiting(pool, f"{word} stand by the gate, <insult>.") for word in ("Ash", "Birch", "Cedar")
    )
    client = client_of(admin)
    following = client.post(address("sample-accept", second.public_id), follow=True)  # after the first was passed by
    assert "Cedar stand by" in text_of(following)
    at_the_end = client.post(address("sample-reject", third.public_id), {"reason": "Stiff."}, follow=True)
    assert "Ash stand by" in text_of(at_the_end)


def test_a_decided_sample_is_found_in_the_log(admin: Membership, project: Project, pool: PicturePool) -> None:
    reviewer = make_member(project, Role.REVIEWER)
    first, second = waiting(pool), waiting(pool, "Amber clouds hang over the harbour, <insult>.")
    client = client_of(reviewer)
    client.post(address("sample-reject", second.public_id), {"reason": "Stiff."})
    log = text_of(client.get(address("samples") + "?state=rejected"))
    assert str(second.public_id)[:8] in log and str(first.public_id)[:8] not in log and "Stiff." in log


@pytest.mark.parametrize(
    "name", ["sample-accept", "sample-reject", "injection-begin", "injection-file", "pool-files", "pool-priors"]
)
def test_what_is_sent_is_counted(
    admin: Membership, pool: PicturePool, rate_limits: None, settings: Any, name: str
) -> None:
    settings.RATE_LIMITS = dict.fromkeys(("submit", "trigger", "import", "refused"), Rate(1, 60))
    sample = waiting(pool)
    parts = {"sample": [sample.public_id], "pool": [pool.public_id]}.get(name.partition("-")[0], [])
    client = client_of(admin)
    first, second = (client.post(address(name, *parts)) for _ in range(2))
    assert first.status_code != 429 and second.status_code == 429


def test_the_text_is_folded_for_whoever_wants_that(admin: Membership, pool: PicturePool) -> None:
    assert admin.user is not None
    admin.user.fold_text = True
    admin.user.save()
    waiting(pool)
    page = text_of(client_of(admin).get(address("sample-review")))
    assert page.index('<details class="fold is-text"') < page.index("They put &lt;insult&gt;")


def test_somebody_who_also_labels_sees_no_sample_whose_item_is_open(
    admin: Membership, project: Project, pool: PicturePool
) -> None:
    both = make_member(project, Role.REVIEWER, Role.ANNOTATOR)
    sample = waiting(pool)
    item = review.accept(sample, admin)
    client = client_of(both)
    assert client.get(address("sample", sample.public_id)).status_code == 404
    assert str(sample.public_id)[:8] not in text_of(client.get(address("samples")))
    assert client_of(admin).get(address("sample", sample.public_id)).status_code == 200
    other = waiting(pool, "Amber clouds hang over the harbour, <insult>.")
    assert client.get(address("sample", other.public_id)).status_code == 200
    review.accept(other, admin)
    assert Skip.objects.get().annotator == both
    Item.objects.filter(pk=item.pk).update(stage="gold")
    assert client.get(address("sample", sample.public_id)).status_code == 200


def test_a_sample_whose_item_was_reported_is_shown_to_nobody(admin: Membership, pool: PicturePool) -> None:
    sample = waiting(pool)
    item = review.accept(sample, admin)
    Item.objects.filter(pk=item.pk).update(stage="excluded", excluded_for="reported")
    client = client_of(admin)
    assert client.get(address("sample", sample.public_id)).status_code == 404
    assert str(sample.public_id)[:8] not in text_of(client.get(address("samples")))
    left = material.usable(admin.project).values_list("pk", flat=True)
    assert sample.pool_picture_id not in left and len(left) == 3


def test_annotators_are_told_nothing(admin: Membership, project: Project, pool: PicturePool) -> None:
    Project.objects.filter(pk=project.pk).update(new_batches="open")
    project.refresh_from_db()
    admin.project = project
    annotator = make_member(project)
    review.accept(waiting(pool), admin)
    client = client_of(annotator)
    for name in ("injection", "sample-review", "samples", "injection-report", "pools", "injection-material"):
        assert client.get(address(name)).status_code == 404
    told = [
        text_of(client.get(reverse(f"annotation:{name}", args=["garden"]))) for name in ("label", "ahead", "history")
    ]
    assert "letterbox" in "".join(told)
    for word in ("injected", "victim", "newcomers", "Samples", "110"):
        assert not re.search(rf"\b{word}\b", "".join(told)), word  # whole words: ids of a page have any digits


def test_the_report_draws_shares_with_intervals(admin: Membership, pool: PicturePool) -> None:
    assert "Nothing was made yet" in text_of(client_of(admin).get(address("injection-report")))
    waiting(pool)
    waiting(pool, "", state=SampleState.REFUSED)
    page = text_of(client_of(admin).get(address("injection-report")))
    assert "Victim perspective" in page and "not labelled yet" in page


def test_pages_ask_the_database_no_more_for_more_samples(
    admin: Membership, pool: PicturePool, django_assert_max_num_queries: Any
) -> None:
    client = client_of(admin)
    for number in range(30):
        waiting(pool, f"Number {number}.")
    for name, most in (
        ("injection", 32),
        ("samples", 14),
        ("sample-review", 15),
        ("injection-report", 16),
        ("pools", 14),
    ):
        with django_assert_max_num_queries(most):
            assert client.get(address(name)).status_code == 200, name
    assert TEXT not in text_of(client.get(address("samples")))
