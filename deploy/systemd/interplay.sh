#!/bin/sh
# A command of the site, with its account and its settings: `interplay backup /var/backups/interplay/by-hand`.
# install.sh puts this to /usr/local/bin/interplay. It asks for root, who alone may act as the account.
set -eu
cd /srv/interplay
exec setpriv --reuid interplay --regid interplay --init-groups --no-new-privs \
    env HOME=/var/lib/interplay INTERPLAY_ENV="${INTERPLAY_ENV:-/etc/interplay.env}" \
    .venv/bin/python manage.py "$@"
