#!/usr/bin/env bash
# Drives the viewer's page in a real browser: scripts/test_viewer.sh [FOLDER FOR SCREENSHOTS]
# With --picture FILE it only takes a picture of the run in VIEWED, for scripts/pictures.sh.
# Needs Chromium, Node.js and npm; installs Chromium where apt-get can. Where the three cannot be had, it
# says so and is content: the page's server has tests of its own. PROGRAM is a program that is built already.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() {
    echo "skipped: $*"
    exit 0
}

command -v node >/dev/null && command -v npm >/dev/null || skip "Node.js and npm are not installed"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$browser" ]; then
    command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] || skip "Chromium is not installed"
    echo "installing chromium"
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive timeout 600 apt-get install -y -qq chromium; } \
        >/dev/null 2>&1 || skip "apt-get cannot install chromium"
    browser=$(command -v chromium) || skip "chromium is not where it should be"
fi
place=target/browser-test
mkdir -p "$place"
if [ ! -d "$place/node_modules/playwright-core" ]; then
    timeout 300 npm install --silent --no-audit --no-fund --prefix "$place" playwright-core@1.64 >/dev/null 2>&1 ||
        skip "npm cannot install playwright-core"
fi
if [ -z "${PROGRAM:-}" ]; then
    cargo build --release --quiet --bin splashdown
    PROGRAM=$PWD/target/release/splashdown
fi
NODE_PATH="$PWD/$place/node_modules" BROWSER="$browser" PROGRAM="$PROGRAM" \
    timeout 900 node scripts/test_viewer.cjs "$@"
