"""Measure the bytes that one ARCADE debate about a photograph of twelve megapixels sends to a model server.

    .venv/bin/python bench/picture_bytes.py [--json]

The photograph is drawn here, imported like any other, and debated over HTTP in three rounds: six speeches and the
judge, each of which is shown it. Every request is counted as it arrives, headers left out. `as_stored` sends the
photograph as people uploaded it (MODEL_PICTURE_SIDE=0), `sides_of_2048` is the site's default, and `sides_of_1568` and
`sides_of_1120` are what the profiles of two families say. Goal: by default less than a fifth of the bytes.
"""

import argparse
import io
import json
import os
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

from PIL import Image, ImageChops

from wire.server import WireServer

SIZE = (4000, 3000)
SIDES = {"as_stored": 0, "sides_of_2048": 2048, "sides_of_1568": 1568, "sides_of_1120": 1120}
WANTED = 5
MEGABYTE = 1_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, WireServer() as server:
        os.environ |= {
            "VAR_DIR": name,
            "TMPDIR": name,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "OPENAI_BASE_URL": server.openai_url,
            "MODEL_VISION": "openai:wire-sensible",
            "LOG_LEVEL": "ERROR",
        }
        figures = measured(server, Path(name))
    print(json.dumps(figures) if options.json else "\n".join(f"{name}: {value}" for name, value in figures.items()))
    sys.exit(not figures["ok"])


def measured(server: WireServer, folder: Path) -> dict[str, Any]:
    """Return the calls and bytes of one debate for each longest side."""
    import_module("django").setup()
    settings = import_module("django.conf").settings
    photograph = drawn_photograph()
    (folder / "photo.jpg").write_bytes(photograph)
    (folder / "posts.csv").write_text("id,text,image\np-1,A remark about weeds.,photo.jpg\n", encoding="utf-8")
    manage("migrate", verbosity=0)
    manage("create_project", "garden")
    manage("import_items", "garden", str(folder / "posts.csv"), images=str(folder))
    figures: dict[str, Any] = {"photograph_mb": megabytes(len(photograph))}
    for name, side in SIDES.items():
        settings.MODEL_PICTURE_SIDE = side
        server.forget()
        manage("run", "arcade", "garden", track="deep", rounds=3, again=True, wait=True)
        sent = [int(heard.headers["content-length"]) for heard in server.heard]
        figures[name] = {"calls": len(sent), "mb_a_debate": megabytes(sum(sent)), "mb_a_call": megabytes(max(sent))}
    less = figures["as_stored"]["mb_a_debate"] / figures["sides_of_2048"]["mb_a_debate"]
    return figures | {"times_less_by_default": round(less, 1), "ok": less >= WANTED}


def drawn_photograph() -> bytes:
    """Return a JPEG as cameras write it: light, soft shapes and the noise of a sensor."""
    light = Image.linear_gradient("L").resize(SIZE)
    shapes = Image.effect_noise((40, 30), 120).resize(SIZE, Image.Resampling.BICUBIC)
    channels = [
        ImageChops.add(ImageChops.blend(light, shapes, 0.5), Image.effect_noise(SIZE, 22), scale=1, offset=-128)
        for _channel in "RGB"
    ]
    out = io.BytesIO()
    Image.merge("RGB", channels).save(out, "JPEG", quality=92)
    return out.getvalue()


def manage(*arguments: str, **options: Any) -> None:
    """Run a management command without its output."""
    import_module("django.core.management").call_command(*arguments, stdout=io.StringIO(), **options)


def megabytes(count: int) -> float:
    return round(count / MEGABYTE, 2)


if __name__ == "__main__":
    main()
