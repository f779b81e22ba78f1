#!/bin/sh
# Makes a fresh checkout ready: npm packages, among them the Node that every script here runs on.
# With --tests also the Debian packages that the tests and the benches use. Does nothing that was done before.
set -eu
cd "$(dirname "$0")/.."

wanted=$(cksum package-lock.json | cut -d' ' -f1,2)
stamp=node_modules/.toolkeep-setup
if [ "$(cat "$stamp" 2>/dev/null || true)" != "$wanted" ] || [ ! -x node_modules/.bin/node ]; then
  echo "setup: installing npm packages, among them Node 24 for this repository (about half a minute)" >&2
  # Not `npm ci`: it refuses a lock file that lacks another platform's optional binaries.
  if ! npm install --no-save --no-audit --no-fund --loglevel=error >&2; then
    echo "setup: npm could not install the packages above; check the network and the registry, then run this again." >&2
    exit 1
  fi
  echo "$wanted" > "$stamp"
fi

[ "${1:-}" = --tests ] || exit 0

# program:package. The tests themselves say what is missing where this can't install it.
missing=
for pair in bwrap:bubblewrap busybox:busybox-static chromium:chromium dockerd:docker.io ip:iproute2 iptables:iptables podman:podman ps:procps setpriv:util-linux socat:socat espeak-ng:espeak-ng flac:flac lame:lame opusenc:opus-tools; do
  command -v "${pair%%:*}" >/dev/null 2>&1 || missing="$missing ${pair#*:}"
done
# Charts in pixels have text only where there is a font.
[ -e /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ] || missing="$missing fonts-dejavu-core"
if [ -n "$missing" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "setup: installing Debian packages for the tests:$missing" >&2
  apt-get update -qq >&2
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi
