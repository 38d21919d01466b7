"""The site: settings, URLs, middleware. Each process imports this first, whatever it is for."""

from config import late_modules
from config.server import gc_freeze

late_modules.install()
gc_freeze.relax_while_loading()
