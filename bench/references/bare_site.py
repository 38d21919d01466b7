"""Settings for bench/claim_and_submit.py: the site, with one bare view to compare its pages with."""

from config.settings import *  # noqa: F403  all of them

ROOT_URLCONF = "bench.references.bare_pages"
