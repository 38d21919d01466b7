"""The numbers that the site promises: where each stands in the figures of its bench, its goal and its ratios."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

REFERENCES = ("bare Django", "the database", "ideal")
"""What a number is compared with; each is measured in the same run, if it makes sense for this number."""

Figures = Mapping[str, Mapping[str, Any]]
"""What the benches printed, by their names."""


@dataclass(frozen=True)
class Number:
    """One promised number. Paths name a figure within its bench, with dots: "plain.items_per_second".

    `ratios` are paths of figures by their reference: the share of the reference's speed that the site reaches.
    """

    bench: str
    title: str
    path: str
    unit: str
    goal: float
    at_least: bool = False
    """Whether more is better; else the goal is the most that is allowed."""
    ratios: Mapping[str, str] = field(default_factory=dict)

    def value(self, figures: Figures) -> float | None:
        """Return the number. Returns None if its bench did not measure it."""
        return at(figures.get(self.bench, {}), self.path)

    def reaches_goal(self, value: float) -> bool:
        return value >= self.goal if self.at_least else value <= self.goal

    def ratios_in(self, figures: Figures) -> dict[str, float]:
        """Return the measured ratios by their reference."""
        found = {name: at(figures.get(self.bench, {}), path) for name, path in self.ratios.items()}
        return {name: ratio for name, ratio in found.items() if ratio is not None}


def at(figures: Any, path: str) -> float | None:
    """Return the number at a path. Returns None if there is none."""
    for part in path.split("."):
        if not isinstance(figures, Mapping):
            return None
        figures = figures.get(part)
    return float(figures) if isinstance(figures, int | float) and not isinstance(figures, bool) else None


def ratios(numbers: Sequence[Number], figures: Figures) -> dict[str, float]:
    """Return all measured ratios, under names that bench/baseline.json uses."""
    return {
        f"{number.title}: of {reference}": ratio
        for number in numbers
        for reference, ratio in number.ratios_in(figures).items()
    }


def table(numbers: Sequence[Number], figures: Figures, commit: str) -> Iterator[str]:
    """Yield the lines of one table in Markdown: a number a line, as far as they were measured."""
    yield f"| at {commit} | measured | goal | reached | {' | '.join(f'of {name}' for name in REFERENCES)} |"
    yield "| " + " | ".join(["---"] * (4 + len(REFERENCES))) + " |"
    for number in numbers:
        value = number.value(figures)
        if value is None:
            continue
        found = number.ratios_in(figures)
        cells = [
            number.title,
            f"{value:,.4g} {number.unit}" if value < 1000 else f"{value:,.0f} {number.unit}",
            f"{'≥' if number.at_least else '≤'} {number.goal:,g}",
            "yes" if number.reaches_goal(value) else "NO",
            *(f"{found[name]:.3g}" if name in found else "–" for name in REFERENCES),
        ]
        yield f"| {' | '.join(cells)} |"


def _runs(title: str, figure: str, goal: float) -> Number:
    """Return the throughput of runs: a share of what places reach that only wait for the model."""
    path = f"{figure}.of_ideal"
    return Number("runs", title, path, "of ideal", goal, at_least=True, ratios={"ideal": path})


NUMBERS = (
    Number(
        *("start", "a command starts (processor time)", "processor_seconds", "s", 0.8),
        ratios={"bare Django": "of_bare"},
    ),
    Number("site_start", "web, worker and beat, idle", "memory.pss_mb", "MB", 300),
    Number("site_start", "first page of a new site", "new.first_page_seconds", "s", 15),
    Number("site_start", "first page of a site with a database", "existing.first_page_seconds", "s", 6),
    Number("page_weight", "annotator's page, cold", "cold_kb", "KB", 60),
    Number("page_weight", "annotator's page, cold: requests", "cold_requests", "", 8),
    Number("page_weight", "annotator's page, warm", "warm_kb", "KB", 8),
    Number(
        *("import_items", "import", "plain.items_per_second", "items/s", 12_000),
        at_least=True,
        ratios={"bare Django": "references.of_bare", "the database": "references.of_database"},
    ),
    Number(
        *("release_items", "release with hashes and card", "release_seconds", "s", 20),
        ratios={"bare Django": "references.of_bare", "the database": "references.of_database"},
    ),
    Number("release_items", "export with labels", "export_seconds", "s", 10),
    Number(
        *("analytics", "agreement, quality and influence", "seconds", "s", 5),
        ratios={"bare Django": "of_bare", "the database": "of_database"},
    ),
    Number(
        *("claim_and_submit", "labels", "labels_per_second", "loops/s", 150),
        at_least=True,
        ratios={"bare Django": "of_bare", "the database": "of_database"},
    ),
    Number("claim_and_submit", "loop at 100,000 items, p95", "p95_ms.100000", "ms", 300),
    _runs("runs of eight questions, 256", "runs", 0.8),
    _runs("ARCADE, 64 runs", "arcade_burst", 0.87),
    _runs("ARCADE, 256 runs", "arcade", 0.8),
    _runs("priors, one call a run, 256", "priors", 0.6),
)
BENCHES = tuple(dict.fromkeys(number.bench for number in NUMBERS))
"""The benches of the table, in its order; the others are run by their names."""
