#!/usr/bin/env bash
# The agents that the slow tests hold memcli against, each release in a virtual environment of its own below $PEERS.
set -euo pipefail
cd "$(dirname "$0")/.."
peers=${PEERS:-$PWD/.peers}
mkdir -p "$peers"
for version in 0.3.5 0.2.2; do
  venv=$peers/nanobot-$version
  test -e "$venv/complete" && "$venv/bin/python" -c '' 2>/dev/null && continue
  python3 -m venv --clear "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "nanobot-ai==$version"
  touch "$venv/complete"
done
