"""Take the screenshots of the README from a fresh sample site: `make screenshots`."""

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
SHOTS = ROOT / "docs" / "screenshots"
sys.path.insert(0, str(ROOT / "tests" / "support"))

from chromium import FLAGS, find  # noqa: E402  (beside the tests, which drive the same browser)

PORT = 8123
ADDRESS = f"http://127.0.0.1:{PORT}"
WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}


@contextmanager
def sample_site() -> Any:
    """Start a site with the sample campaign in a temporary folder. Yield the logins by role."""
    with tempfile.TemporaryDirectory() as folder:
        site = os.environ | {"VAR_DIR": folder, "DEMO": "on", "RATE_LIMITED": "off", "SITE_URL": ADDRESS}
        manage = [sys.executable, str(ROOT / "manage.py")]
        subprocess.run([*manage, "migrate", "--verbosity", "0"], env=site, check=True)
        shown = subprocess.run([*manage, "demo", "--json"], env=site, check=True, stdout=subprocess.PIPE)
        server = subprocess.Popen([*manage, "runserver", str(PORT), "--noreload"], env=site, stderr=subprocess.DEVNULL)
        try:
            _wait()
            yield {login["role"]: login for login in json.loads(shown.stdout)["logins"]}
        finally:
            server.terminate()
            server.wait()


def _wait() -> None:
    for _try in range(100):
        try:
            with urlopen(f"{ADDRESS}/livez", timeout=2):  # noqa: S310  # this machine's own site
                return
        except (URLError, ConnectionError):
            time.sleep(0.2)
    raise SystemExit("The sample site did not start.")


def signed_in(browser: Browser, login: dict[str, str], **how: Any) -> Page:
    """Return a page of a user who has signed in."""
    page = browser.new_context(**how).new_page()
    page.goto(f"{ADDRESS}/accounts/login/")
    page.fill("[name=login]", login["username"])
    page.fill("[name=password]", login["password"])
    page.click("main button[type=submit]")
    return page


def shoot(page: Page, path: str, name: str) -> None:
    """Open a page and save a screenshot, in few colours so that the repository stays small."""
    page.goto(f"{ADDRESS}{path}")
    page.wait_for_load_state("networkidle")
    keep(page, name)


def keep(page: Page, name: str) -> None:
    """Save a screenshot of the page as it stands."""
    file = SHOTS / f"{name}.png"
    page.screenshot(path=file)
    Image.open(file).convert("RGB").quantize(192, dither=Image.Dither.NONE).save(file, optimize=True)
    print(f"docs/screenshots/{name}.png, {file.stat().st_size // 1024} KB")


def annotate(page: Page, project: str) -> None:
    """Give the consent once and open the first item."""
    page.goto(f"{ADDRESS}/p/{project}/label/")
    if "/consent/" in page.url:
        for box in page.query_selector_all("main input[type=checkbox]"):
            box.check()
        page.click("main button[type=submit]")


def trial(page: Page) -> None:
    """Open the sample ARCADE debate about a metaphor with its rounds unfolded and its text shown."""
    page.goto(f"{ADDRESS}/p/neighbourhood/debates/")
    page.locator("main tr", has_text="ARCADE").get_by_role("link", name="nb-008").last.click()  # the newer one is slow
    for number in (1, 2):
        page.get_by_text(f"Round {number}", exact=True).click()
    page.get_by_text("Text", exact=True).click()
    page.mouse.move(0, 0)
    page.evaluate("scrollTo(0, 0)")
    keep(page, "debate")


def main() -> None:
    """Take all screenshots."""
    SHOTS.mkdir(exist_ok=True)
    with sample_site() as logins, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=find(), args=list(FLAGS))
        annotator = signed_in(browser, logins["annotator"], viewport=WIDE)
        annotate(annotator, "neighbourhood")
        shoot(annotator, "/p/neighbourhood/label/", "annotator")
        phone = signed_in(browser, logins["annotator"], viewport=PHONE, color_scheme="dark", is_mobile=True)
        shoot(phone, "/p/neighbourhood/label/", "annotator-phone")
        admin = signed_in(browser, logins["admin"], viewport=WIDE)
        shoot(admin, "/p/neighbourhood/dashboard/", "dashboard")
        shoot(admin, "/p/neighbourhood/import/", "import")
        shoot(admin, "/p/neighbourhood/releases/1/", "release")
        reviewer = signed_in(browser, logins["reviewer"], viewport=WIDE)
        shoot(reviewer, "/p/neighbourhood/desk/", "review")
        trial(reviewer)
        browser.close()


if __name__ == "__main__":
    main()
