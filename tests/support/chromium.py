"""Find the Chromium of the browser tests. Run as a program, it prints its path, or that these tests are skipped."""

import os
import shutil
import sys

# The shell without windows comes first: it needs half of a whole browser's processor time.
_NAMES = (
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)

FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    # Chromium's own sandbox does not start as root, as in containers; the pages are our own.
    *(("--no-sandbox",) if hasattr(os, "geteuid") and os.geteuid() == 0 else ()),
)


def find() -> str | None:
    """Return the browser named by CHROMIUM, or else the first one on the PATH."""
    named = os.environ.get("CHROMIUM", "")
    if named:
        return named if os.access(named, os.X_OK) else None
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


if __name__ == "__main__":
    found = find()
    print(f"Browser tests use {found}." if found else "No Chromium: browser tests are skipped (set CHROMIUM=path).")
    sys.exit(0 if found else 1)
