"""What the site promises to the people who label: in pages, messages, e-mails, invitation, consent and documents.

A sentence counts as a promise if it has a word that promises.
"""

import ast
import json
import re
from collections.abc import Iterator

from catalogues import ROOT, marked_in_code, marked_in_page

TABLE = ROOT / "tests/whole_site/promises.txt"
READ = ROOT / "tests/whole_site/promises_read.json"
"""The Korean and Chinese of each promise, as somebody read them against the English."""

NOT_ONE = "Promises nothing: "
"""How the heading of sentences begins that promise nothing; the reason follows."""
_PROMISES = re.compile(
    r"\b(never|nobody|no one|no page|only you|you alone|at any time|without a reason|no reason|need not|erase[ds]?|"
    r"gone|removed|told|tells|private|against (you|anybody)|not count|cannot|nothing|stays?|kept|keeps?|lost|"
    r"pseudonyms?|your name|no longer|at once|whenever|optional|voluntary|can still|always|nor|neither|not see|"
    r"not shown|sees?|until|reserved|any more|for good|everywhere|in every|yours|blur(red)?|no (ranking|more|hurry)|"
    r"as long as|you choose|goes back|locked|others see|as often as)\b",
    re.I,
)
PAGES_OF_ADMINS = [
    "_batch*",
    "batch*",
    "_bulk*",
    "bulk*",
    "_import*",
    "import*",
    "_release*",
    "release*",
    "_prior*",
    "priors*",
    "models*",
    "project_*",
    "design*",
    "glossary*",
    "_glossary*",
    "guideline_*",
    "guidelines_edit*",
    "_guideline_*",
    "webhook*",
    "searches*",
    "items*",
    "item*",
    "_item*",
    "influence*",
    "_influence*",
    "dashboard*",
    "_dashboard*",
    "_figures*",
    "figures*",
    "teams*",
    "training_setup*",
    "_known*",
    "item_known*",
    "public_*",
    "_picture*",
    "_reading*",
    "_quality*",
    "_life*",
    "review_*",
    "_access*",
    "_days*",
    "queues*",
]
"""Pages that no annotator reads and that say nothing to or of one."""
MODULES = ("members/**/*", "labelling/**/*", "wellbeing/**/*", "training/**/*", "projects/consent_texts")


def is_promise(sentence: str) -> bool:
    """Return whether a sentence has a word that promises something."""
    return bool(_PROMISES.search(sentence))


def table() -> dict[str, list[str]]:
    """Return the promises of the table, each with the tests that try it, and what promises nothing with its reason."""
    rows: dict[str, list[str]] = {}
    heading = ""
    for line in TABLE.read_text("utf-8").splitlines():
        if line.startswith("  "):
            rows.setdefault(json.loads(f'"{line.strip()}"'), []).append(heading)
        elif line and not line.startswith("#"):
            heading = line
    return rows


def on_pages() -> Iterator[tuple[str, str]]:
    """Yield the file and the text of every promise of pages, messages and e-mails, as it is marked for translation."""
    for page in sorted(page for page in (ROOT / "templates").rglob("*.*") if page.suffix in (".html", ".txt")):
        of_admins = any(page.match(f"annotation/{name}") for name in PAGES_OF_ADMINS)
        if page.parent.name in ("annotation", "components", "mail", "templates") and not of_admins:
            for _context, text in marked_in_page(page):
                if is_promise(text):
                    yield page.name, text
    for pattern in MODULES:
        for source in sorted((ROOT / "annotation").glob(f"{pattern}.py")):
            for _context, text in marked_in_code(source):
                if is_promise(text):
                    yield source.name, text


def in_documents() -> Iterator[tuple[str, str]]:
    """Yield every sentence that promises in the document for annotators, the sample's consent, the first guidelines."""
    document = (ROOT / "docs/annotators.md").read_text("utf-8")
    sample = json.loads((ROOT / "annotation/demo/data/campaign.json").read_text("utf-8"))
    created = ast.parse((ROOT / "annotation/projects/create.py").read_text("utf-8"))
    first = next(
        node.value.value
        for node in created.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "FIRST_GUIDELINES"
    )
    for name, text in (
        ("annotators.md", document), ("campaign.json", sample["consent"]), ("campaign.json", sample["content_warning"]),
        ("create.py", first),
    ):  # fmt: skip
        for sentence in sentences(text):
            if is_promise(sentence):
                yield name, sentence


def sentences(text: str) -> list[str]:
    """Return the sentences, rows of tables and points of lists of a text in Markdown, each on one line."""
    blocks = re.split(r"\n\s*\n|\n(?=\s*[-|]|\s*\d+\. )", text)
    whole = [" ".join(re.sub(r"^\s*([-|]|\d+\.)\s*", "", block).split()) for block in blocks]
    return [sentence for block in whole for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z*“])", block) if sentence]
