"""Write the newest digests of the images of others into the files that name them, beside their tags.

    python deploy/pin_images.py [--check] [FILE …]

Client and server of PostgreSQL have one major version, which stands here: the command writes it into their tags.

A tag can be moved to other content, a digest cannot. It asks the images' registries by a program that is there: docker
(with buildx), crane or skopeo. Without names of files it takes those of this repository. `--check` asks nobody: it
names what has no digest or another version of PostgreSQL, and ends with 1 if there is any.
"""

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

POSTGRESQL = 16
"""The major version of PostgreSQL: its client in the image of the site, its server in compose and Kubernetes.

Its data files are of one major version: docs/operators.md says how a site comes to another one.
"""
ROOT = Path(__file__).resolve().parent.parent
FILES = (
    "Dockerfile",
    "deploy/proxy/Dockerfile",
    "docker-compose.yml",
    "deploy/kubernetes/example/postgresql.yaml",
    "deploy/kubernetes/example/redis.yaml",
)
PROGRAMS = {
    "docker": ("buildx", "imagetools", "inspect", "{image}", "--format", "{{{{.Manifest.Digest}}}}"),
    "crane": ("digest", "{image}"),
    "skopeo": ("inspect", "--no-tags", "--format", "{{{{.Digest}}}}", "docker://{image}"),
}
"""How each program is asked for a digest: that of the index, which is the same for all kinds of machines."""
_NAMED = re.compile(
    r"(?m)^(?P<before>\s*(?:FROM|image:|- image:)\s+)"
    r"(?P<image>[a-z0-9][\w./-]*:[\w.-]+)(?P<digest>@sha256:[0-9a-f]{64})?(?=\s|$)"
)
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def unpinned(text: str) -> list[str]:
    """Return the images with a tag and no digest, in their order. An image of one's own has no tag there."""
    return [found["image"] for found in _NAMED.finditer(text) if not found["digest"]]


def of_another_version(text: str) -> list[str]:
    """Return the images of PostgreSQL that have another major version than this site's."""
    return [image for image in images(text) if image.startswith("postgres:") and image != _of_our_version(image)]


def _of_our_version(image: str) -> str:
    return re.sub(r"^postgres:\d+(\.\d+)?", f"postgres:{POSTGRESQL}", image)


def pinned(text: str, digests: dict[str, str]) -> str:
    """Return the text with the digest of each image behind its tag, and with our version of PostgreSQL."""

    def named(found: re.Match[str]) -> str:
        image = _of_our_version(found["image"])
        return f"{found['before']}{image}@{digests[image]}"

    return _NAMED.sub(named, text)


def images(text: str) -> list[str]:
    """Return the images with a tag, each once."""
    return list(dict.fromkeys(found["image"] for found in _NAMED.finditer(text)))


def ask(image: str) -> str:
    """Return the digest that the registry has for this tag now. Raises SystemExit with a sentence if there is none."""
    program = next(filter(shutil.which, PROGRAMS), None)
    if program is None:
        raise SystemExit(f"None of {', '.join(PROGRAMS)} is installed here; one of them asks for the digests.")
    command = [program, *(part.format(image=image) for part in PROGRAMS[program])]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    digest = _DIGEST.fullmatch(answer.stdout.strip())
    if answer.returncode or digest is None:
        said = (answer.stderr or answer.stdout).strip()[-300:]
        raise SystemExit(f"{program} has no digest of {image}; no file was changed. It said: {said or 'nothing'}")
    return digest.group()


def main(arguments: Sequence[str]) -> int:
    """Write the digests, or name what has none. Return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="only name images without a digest or of another version")
    parser.add_argument("files", nargs="*", type=Path, default=[ROOT / name for name in FILES])
    options = parser.parse_args(arguments)
    texts = {path: path.read_text(encoding="utf-8") for path in options.files}
    if options.check:
        without = [
            f"{path}: {image}" for path, text in texts.items() for image in [*unpinned(text), *of_another_version(text)]
        ]
        sys.stdout.write("".join(f"{line}\n" for line in without))
        return 1 if without else 0
    digests = {
        image: ask(image)
        for image in sorted({_of_our_version(image) for text in texts.values() for image in images(text)})
    }
    for path, text in texts.items():
        path.write_text(pinned(text, digests), encoding="utf-8")
    sys.stdout.write("".join(f"{image}@{digest}\n" for image, digest in digests.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
