#!/bin/sh
# Make the account, its folders and the units of a site whose code is in /srv/interplay. Run it as root, also again after
# an upgrade: /etc/interplay.env and what is below /var stay as they are.
#
#   deploy/systemd/install.sh [--root FOLDER]
#
# --root puts everything below another folder, for an image or a look at it, and starts nothing.
set -eu

root=
case "${1-}" in
    --root) root=${2:?"--root needs a folder"} ;;
    "") ;;
    *) echo "Usage: install.sh [--root FOLDER]" >&2; exit 2 ;;
esac
if [ -z "$root" ] && [ "$(id -u)" != 0 ]; then
    echo "Run this as root: it makes an account and units." >&2
    exit 1
fi
for program in systemd-sysusers systemd-tmpfiles; do
    command -v "$program" >/dev/null || { echo "$program is missing: install systemd (Debian: systemd)." >&2; exit 1; }
done
from=$(cd "$(dirname "$0")" && pwd)
units=$root/etc/systemd/system

install -d "$units" "$root/etc/sysusers.d" "$root/etc/tmpfiles.d" "$root/usr/local/bin"
install -m 644 "$from/sysusers.conf" "$root/etc/sysusers.d/interplay.conf"
install -m 644 "$from/tmpfiles.conf" "$root/etc/tmpfiles.d/interplay.conf"
install -m 755 "$from/interplay.sh" "$root/usr/local/bin/interplay"
for unit in "$from"/*.service "$from"/*.socket "$from"/*.timer; do
    install -m 644 "$unit" "$units/$(basename "$unit")"
done
# systemd reads what lies in NAME.d, and in PREFIX-.d for all names with that prefix.
for folder in interplay.service.d interplay-.service.d; do
    install -d "$units/$folder"
    install -m 644 "$from/hardening.conf" "$units/$folder/10-hardening.conf"
done

systemd-sysusers ${root:+"--root=$root"} interplay.conf
systemd-tmpfiles ${root:+"--root=$root"} --create interplay.conf
if [ ! -e "$root/etc/interplay.env" ]; then
    group=$(awk -F: '$1 == "interplay" {print $3}' "$root/etc/group")
    install -m 640 -g "$group" "$from/interplay.env" "$root/etc/interplay.env"
fi
[ -n "$root" ] || [ ! -d /run/systemd/system ] || systemctl daemon-reload  # a chroot has no systemd running

cat <<END
The account interplay, its folders /var/lib/interplay and /var/backups/interplay, and the units are there. Next:
  edit /etc/interplay.env (SITE_URL at least)
  interplay migrate && COLLECTING=on interplay collectstatic --no-input && interplay createsuperuser
  systemctl enable --now interplay.socket interplay.service interplay-backup.timer
END
