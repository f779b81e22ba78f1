#!/bin/sh
# Makes a fresh checkout ready: npm packages, among them the Node that every script here runs on.
# Does nothing when the lock file is the one that was installed last.
set -eu
cd "$(dirname "$0")/.."

wanted=$(cksum package-lock.json | cut -d' ' -f1,2)
stamp=node_modules/.toolkeep-setup
if [ "$(cat "$stamp" 2>/dev/null || true)" = "$wanted" ] && [ -x node_modules/.bin/node ]; then
  exit 0
fi

echo "setup: installing npm packages, among them Node 24 for this repository (about half a minute)" >&2
# Not `npm ci`: it refuses a lock file that lacks another platform's optional binaries.
if ! npm install --no-save --no-audit --no-fund --loglevel=error >&2; then
  echo "setup: npm could not install the packages above; check the network and the registry, then run this again." >&2
  exit 1
fi
echo "$wanted" > "$stamp"
