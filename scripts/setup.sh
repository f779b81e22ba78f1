#!/bin/sh
# Makes a fresh checkout ready. Does nothing that was done before.
#   setup.sh --start   what `npm start` runs on: the packages of users, a Node that runs the sources, and bubblewrap
#   setup.sh           all npm packages, among them the Node 24 that every script here runs on
#   setup.sh --tests   also the Debian packages that the tests and the benches use
#   setup.sh --cluster also those that a local Kubernetes cluster of the tests consists of
set -eu
cd "$(dirname "$0")/.."

wanted=$(cksum package-lock.json | cut -d' ' -f1,2)
stamp=node_modules/.toolkeep-setup
done_before=$(cat "$stamp" 2>/dev/null || true)

install_packages() {
  # Not `npm ci`: it refuses a lock file that lacks another platform's optional binaries.
  if ! npm install --no-save --no-audit --no-fund --loglevel=error "$@" >&2; then
    echo "setup: npm could not install the packages above; check the network and the registry, then run this again." >&2
    exit 1
  fi
}

# What is missing of a list of program:package, as Debian's packages.
missing_of() {
  for pair in "$@"; do
    command -v "${pair%%:*}" >/dev/null 2>&1 || printf ' %s' "${pair#*:}"
  done
}

install_debian() {
  if [ -z "$1" ] || [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then return 0; fi
  echo "setup: installing Debian packages for $2:$1" >&2
  # shellcheck disable=SC2086
  apt-get update -qq >&2 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $1 >/dev/null
}

# Half of what npm unpacks: manuals, maps, tests, the languages of just-bash that no sandbox offers, and what the console
# is built with.
remove_unused() {
  (
    cd node_modules
    rm -rf node-linux-*/[is]* node-darwin-*/[is]* @mixmark-io/domino/test zod/src \
      just-bash/vendor just-bash/dist/bin sql.js quickjs-emscripten quickjs-emscripten-core @jitl \
      vite lightningcss* @codemirror @lezer @xterm @tanstack @preact/signals preact preact-iso marked remend dompurify
    find . -name '*.map' -type f -exec rm -f {} +
  )
}

runs_sources() {
  [ "$(node -p process.features.typescript 2>/dev/null || true)" = strip ]
}

# The console changes with these.
console_sources=$(find console src/api src/kit src/contract -type f ! -path 'console/dist/*' -exec cksum {} + | sort | cksum)

build_console() {
  PATH="$PWD/node_modules/.bin:$PATH" vite build console --logLevel warn >&2
  echo "$console_sources" > console/dist/.built
}

# Whoever has the packages of the tests keeps them.
if [ "${1:-}" = --start ] && [ ! -e node_modules/vitest ]; then
  if [ "$done_before" != "start $wanted $console_sources" ] || ! runs_sources; then
    # The package has these built in: the sources import them, and the console is built from them.
    bundled=$(node -p 'Object.entries(require("./package.json").devDependencies).filter(([name]) => /^(ajv|ajv-formats|vite|(@codemirror|@lezer|@preact|@tanstack|@xterm)\/.+|preact|preact-iso|marked|remend|dompurify)$/.test(name)).map((pair) => pair.join("@")).join(" ")')
    node_package=
    if ! runs_sources; then
      node_package=$(node -p '`node-${process.platform.replace("32", "")}-${process.arch}@` + require("./package.json").devDependencies.node')
    fi
    echo "setup: installing what Toolkeep runs on${node_package:+, with $node_package} (less than half a minute)" >&2
    # shellcheck disable=SC2086
    install_packages --omit=dev --save-prod $bundled $node_package
    build_console
    remove_unused
    echo "start $wanted $console_sources" > "$stamp"
  fi
elif [ "$done_before" != "all $wanted" ] || [ ! -x node_modules/.bin/node ]; then
  echo "setup: installing npm packages, among them Node 24 for this repository (about half a minute)" >&2
  # npm would keep what `npm start` installed, which is not whole, and run on the Node that it replaces.
  [ -e node_modules/vitest ] || rm -rf node_modules
  install_packages
  echo "all $wanted" > "$stamp"
fi

# Where what `npm start` needs is there, the console is too.
if [ -e node_modules/vitest ] && [ "$console_sources" != "$(cat console/dist/.built 2>/dev/null || true)" ]; then
  build_console
fi

if [ "${1:-}" = --start ]; then
  install_debian "$(missing_of bwrap:bubblewrap)" "sandboxes with real programs" ||
    echo "setup: bubblewrap could not be installed; Toolkeep runs without it." >&2
fi

if [ "${1:-}" = --cluster ] && [ -z "${KUBECONFIG:-}" ]; then
  missing=$(missing_of busybox:busybox-static containerd:containerd curl:curl etcd:etcd-server ip:iproute2 openssl:openssl runc:runc unshare:util-linux xz:xz-utils)
  [ -e /usr/lib/cni/bridge ] || missing="$missing containernetworking-plugins"
  install_debian "$missing" "a local cluster"
fi

# program:package. The tests themselves say what is missing where this can't install it.
[ "${1:-}" = --tests ] || exit 0
missing=$(missing_of bwrap:bubblewrap busybox:busybox-static chromium:chromium chromium-headless-shell:chromium-headless-shell dockerd:docker.io ip:iproute2 iptables:iptables podman:podman ps:procps setpriv:util-linux socat:socat espeak-ng:espeak-ng flac:flac lame:lame opusenc:opus-tools pgbouncer:pgbouncer git:git python3:python3)
# Charts in pixels have text only where there is a font.
[ -e /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ] || missing="$missing fonts-dejavu-core"
# Debian keeps the programs of a server out of the PATH.
if ! ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1; then
  missing="$missing postgresql"
  # The tests start servers of their own; Debian would start one more, for as long as the machine runs.
  if [ "$(id -u)" = 0 ] && [ ! -e /etc/postgresql-common/createcluster.conf ] && command -v apt-get >/dev/null 2>&1; then
    mkdir -p /etc/postgresql-common
    echo "create_main_cluster = false" > /etc/postgresql-common/createcluster.conf
  fi
fi
install_debian "$missing" "the tests"
