"""The studies that come with the site: templates for the tables of the papers."""

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "study_templates"


@dataclass(frozen=True)
class StudyTemplate:
    """A template by its name; `about` is its first line, without the sign of a comment."""

    name: str
    about: str
    text: str


def study_templates() -> list[StudyTemplate]:
    """Return all templates by name."""
    return [_template(path) for path in sorted(FOLDER.glob("*.toml"))]


def study_template(name: str) -> StudyTemplate | None:
    """Return the template with this name. Returns None if there is none."""
    return next((template for template in study_templates() if template.name == name), None)


def _template(path: Path) -> StudyTemplate:
    text = path.read_text("utf-8")
    return StudyTemplate(path.stem, text.partition("\n")[0].removeprefix("#").strip(), text)
