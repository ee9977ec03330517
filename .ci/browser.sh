#!/bin/sh
# Looks for the browser that tests drive. On Debian as root it installs what is
# missing; elsewhere it says which packages to install.
set -eu

missing=
command -v chromium >/dev/null || missing="$missing chromium"
command -v chromedriver >/dev/null || missing="$missing chromium-driver"
[ -n "$missing" ] || exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing the browser of the tests:$missing"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update --quiet=2
    # shellcheck disable=SC2086
    apt-get install --quiet=2 --yes --no-install-recommends $missing >/dev/null
else
    echo "The tests of the dashboard need (Debian's names):$missing" >&2
    exit 1
fi
