"""Every page fits a phone: nothing makes it wider than the screen, in any language, and nothing is refused."""

from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, Page

from annotation.consensus.close import close_item
from annotation.domain.choices import Modality, Role
from annotation.models import Import, ImportState, Item, Label, Prior, Project, User
from annotation.releases import publication
from annotation.releases.build import release
from annotation.releases.request import Selection
from annotation.review.adjudicate import decide_item
from builders import make_item, make_labelled_item, make_member, make_open_item, make_picture, make_project, make_user
from generation.counterspeech import replies
from generation.counterspeech import request as counterspeech
from generation.domain.counterspeech.intents import Intent
from generation.injection import settings as injection_settings
from generation.models import Candidate, InjectionBatch, PicturePool, PlanRow
from injection_models import entry, make_pool, make_sample
from moderation.desk import appeals
from moderation.models import Evaluation
from runs.control import start as run_start
from runs.domain.states import RunState

pytestmark = pytest.mark.django_db(transaction=True)

WIDTH = 390
# Names of a table's rows that stand in a column of a few letters, where the table could scroll.
SQUEEZED = """[...document.querySelectorAll(".scroll > table tbody th")]
    .filter(name => name.textContent.trim().length > 12 && name.offsetWidth > 0 && name.offsetWidth < 64)
    .map(name => name.textContent.trim())"""
# Links and buttons less than 24 pixels high, but for links within a sentence.
SMALL = """[...document.querySelectorAll("a[href], button, summary")].filter((each) => {
    const box = each.getBoundingClientRect();
    const beside = [...each.parentElement.childNodes].some(node => node.nodeType === 3 && node.data.trim().length > 1);
    return box.width > 2 && box.height < 23.9 && each.checkVisibility({ visibilityProperty: true })
        && !each.closest(".visually-hidden, .skip-link") && !(beside && getComputedStyle(each).display === "inline");
}).map(each => `${each.parentElement.tagName} > ${each.tagName} ${each.textContent.trim()}`.slice(0, 60))"""
LONG = "Weeds in the white roses again, and " + "unbreakable" * 12


@pytest.fixture
def person() -> User:
    """Somebody with every role in the project, whose name is as long as names get."""
    return make_user("somebody-with-a-rather-long-name", is_staff=True)


@pytest.fixture
def project(person: User) -> Project:
    """A project with something on each of its pages."""
    project = make_project("garden", name="A campaign with a name that goes on for quite a while")
    make_member(project, *Role, user=person, pseudonym="somebody", consent_version=0)
    for category in project.categories.all():
        category.name = f"Group {category.code} › Subgroup of many kinds of insult, mild or not"
        category.save()
    trio = [make_member(project) for _ in range(3)]
    for codes in ((1, 1, 1), (0, 1, 0), (0, 1, 2), (0, 0, None)):
        picture = None if len({*codes}) < 3 and None not in codes else make_picture(project)
        item = make_labelled_item(project, trio, codes, text=LONG, picture=picture)
        for modality in Modality:
            Prior.objects.create(item=item, modality=modality, category=project.categories.get(code=0), model="a:b")
        close_item(item)
    make_open_item(project, LONG, picture=make_picture(project))
    make_item(project, LONG, batch="a batch with a long name " * 3)
    release(project, None, Selection())
    admin = project.memberships.get(user=person)
    injection_settings.switch_on(admin, injection_settings.TERMS_VERSION)
    pool = make_pool(admin, "a pool with a long name " * 3)
    make_sample(pool, LONG + " <insult>", target_group="people with a long name " * 5)
    PlanRow.objects.create(project=project, entry=entry(pool=pool.name))
    Evaluation.objects.create(project=project, name="baseline, arcade, antihateagent · garden", task="six")
    Import.objects.create(
        project=project, public_id=uuid4(), file_name="posts" * 30 + ".zip", size=1, sha256="0" * 64,
        state=ImportState.CANCELLED,
    )  # fmt: skip
    return project


def addresses(project: Project) -> list[str]:
    """The pages that the person may open, those of items once for each stage."""
    home = f"/p/{project.slug}/"
    of_project = [
        "items",
        "batches",
        "batches/teams",
        "import",
        "priors",
        "models",
        "dashboard",
        "releases",
        "releases/1",
    ]
    of_project += ["settings", "design", "people", "desk", "guidelines", "history", "pause", "help", "leave", "consent"]
    of_project += ["care", "care/settings", "check-in", "hours", "hours/mine", "influence"]
    of_project += ["releases/terms", "debates", "evaluations", "scores", "documents"]
    of_project += ["glossary", "glossary/new", "glossary/import"]
    of_project += ["quality", "guidelines/edit", "guidelines/versions", "guidelines/versions/1"]
    of_project += [f"injection/{page}".strip("/") for page in ("", "pools", "material", "review", "samples", "report")]
    of_project += [f"injection/pools/{row.public_id}" for row in PicturePool.objects.all()]
    of_project += [f"injection/batches/{row.public_id}" for row in InjectionBatch.objects.all()]
    pages = ["/", "/me/", "/me/tokens/", f"{home}items/?stage=gold", *(f"{home}{page}/" for page in of_project)]
    pages += [f"{home}import/{row.public_id}/" for row in Import.objects.all()]
    pages += [f"{home}quality/people/{label.annotator.public_id}/" for label in Label.objects.all()[:1]]
    for item in Item.objects.all():
        pages.append(f"{home}items/{item.public_id}/")
        if item.stage == "disputed":
            pages.append(f"{home}desk/{item.public_id}/")
    return pages


def signed_in(browser: Browser, person: User, origin: str, language: str) -> Page:
    context = browser.new_context(
        viewport={"width": WIDTH, "height": 844}, locale=language, is_mobile=True, base_url=origin
    )
    client = Client()
    client.force_login(person)
    key = client.cookies[settings.SESSION_COOKIE_NAME].value
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": key, "url": origin}])
    return context.new_page()


@pytest.mark.parametrize("language", ["en-GB", "ko", "zh-CN"])
def test_no_page_is_wider_than_a_phone(
    project: Project, person: User, browser: Browser, live_server: Any, language: str
) -> None:
    page = signed_in(browser, person, live_server.url, language)
    faults: list[str] = []
    page.on("console", lambda said: faults.extend([f"{page.url}: {said.text}"] * (said.type == "error")))
    page.on("pageerror", lambda error: faults.append(f"{page.url}: {error}"))
    wide, squeezed, small = {}, {}, {}
    for address in addresses(project):
        answer = page.goto(address)
        assert answer is not None and answer.status == 200, address
        width = page.evaluate("document.documentElement.scrollWidth")
        if width > WIDTH:
            wide[address] = width
        if names := page.evaluate(SQUEEZED):
            squeezed[address] = names
        if targets := page.evaluate(SMALL):
            small[address] = targets
    page.context.close()
    assert (wide, squeezed, small, faults) == ({}, {}, {}, [])


def test_words_that_people_write_are_broken_wherever_they_stand(
    project: Project, person: User, browser: Browser, live_server: Any
) -> None:
    word, link = "W" * 300, "See https://example.org/" + "a" * 140
    admin, reviewer = project.memberships.get(user=person), make_member(project, Role.REVIEWER)
    torn, other = project.items.filter(stage="disputed").order_by("pk")[:2]
    for item in (torn, other):
        decide_item(item, reviewer, item.version, word, project.categories.get(code=0))
    appeals.appeal(torn, admin, "G" * 300, "Author" + "W" * 90)
    shown = publication.publish(project.releases.get(), admin)
    asked = publication.request_access(shown, "N" * 60, f"a@{'b' * 50}.example", "A" * 60, "P" * 60).request
    publication.decide(shown.release, asked, admin, False, "R" * 200)
    exchange = counterspeech.open_on_item(other)
    written = []
    for place, (author, intent, text) in enumerate(
        ((reviewer, Intent.INFORMATIVE, link), (admin, Intent.POSITIVE, word[:150]))
    ):
        suggested = Candidate.objects.create(
            exchange=exchange, run_id=uuid4(), intent=intent, place=place, rank=1, text="Let us share.", model="a:b"
        )
        reply = replies.begin(exchange, author, intent, suggested)
        written.append(replies.write(reply, author, text, intent, reply.version))
    replies.submit(written[0], reviewer)
    home = "/p/garden/"
    pages = [f"{home}{page}/" for page in ("releases/1", "desk/appeals", "counterspeech", "settings", "design")]
    pages += [f"{home}guidelines/", f"/data/{shown.key}/"]
    pages += [f"{home}items/{item.public_id}/" for item in (torn, other)]
    pages += [f"{home}desk/{torn.public_id}/", f"{home}desk/{torn.public_id}/?tab=history"]
    pages += [f"{home}counterspeech/{exchange.public_id}/"]
    pages += [f"{home}counterspeech/replies/{reply.public_id}/" for reply in written]
    page = signed_in(browser, person, live_server.url, "en-GB")
    wide = {}
    for size in (WIDTH, 1440):
        page.set_viewport_size({"width": size, "height": 844})
        for address in pages:
            answer = page.goto(address)
            assert answer is not None and answer.status == 200, address
            if (width := page.evaluate("document.documentElement.scrollWidth")) > size:
                wide[size, address] = width
    assert wide == {}


def test_agreement_among_repeats_scrolls_in_its_card(
    project: Project, person: User, browser: Browser, live_server: Any
) -> None:
    """Fresh data has no repeats, so the walk through all pages sees no table there."""
    stances = [
        {"perspective": f"p{number}", "name": f"Perspective {number}", "stance": "hate", "label": "", "reason": ""}
        for number in range(1, 8)
    ]
    for item in project.items.all()[:2]:
        for repeat in range(3):
            wish = run_start.RunRequest("predict", project.public_id, item.public_id, {"judge": "a:b"}, "v", repeat)
            run = run_start.build_run(wish)
            outcome = {"hateful": repeat == 1, "reason": "", "category": None, "stances": stances}
            run.state, run.outcome = RunState.SUCCEEDED, outcome
            run.save()
    page = signed_in(browser, person, live_server.url, "en-GB")
    page.goto("/p/garden/debates/repeats/")
    page.get_by_role("region", name="Agreement among repeats").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") == WIDTH
