"""Settings for bench/handing_out.py: the site, with one bare view beside its pages to compare them with."""

from config.settings import *  # noqa: F403

ROOT_URLCONF = "bench.bare_pages"
