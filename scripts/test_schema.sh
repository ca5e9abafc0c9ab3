#!/usr/bin/env bash
# Checks every built-in scene as an editor does: scripts/test_schema.sh
# Needs Node.js and npm for @taplo/cli, which editors use for TOML; where it cannot be had, says so and is content.
# PROGRAM is a program that is built already.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() {
    echo "skipped: $*"
    exit 0
}

command -v node >/dev/null && command -v npm >/dev/null || skip "Node.js and npm are not installed"
place=$PWD/target/schema-test
mkdir -p "$place/scenes"
if [ ! -x "$place/node_modules/.bin/taplo" ]; then
    timeout 300 npm install --silent --no-audit --no-fund --prefix "$place" @taplo/cli@0.7.0 >/dev/null 2>&1 ||
        skip "npm cannot install @taplo/cli"
fi
if [ -z "${PROGRAM:-}" ]; then
    cargo build --release --quiet --bin splashdown
    PROGRAM=$PWD/target/release/splashdown
fi
cd "$place/scenes"
rm -f ./*.toml
"$PROGRAM" schema >splashdown.schema.json
for name in $("$PROGRAM" list 2>/dev/null | cut -d' ' -f1); do
    "$PROGRAM" show "$name" >"$name.toml"
done
lint() { NO_COLOR=1 RUST_LOG=error "$place/node_modules/.bin/taplo" lint "$@"; }
lint ./*.toml
count=$(find . -name '*.toml' | wc -l)
[ "$count" -gt 50 ] || { echo "only $count scenes were shown"; exit 1; }

# A check that lets everything pass would be none.
for mistake in 's/^spacing/spacig/' 's/^spacing = .*/spacing = -1/' 's/^spacing = .*/spacing = "fine"/'; do
    sed "$mistake" dam-break.toml >mistake.toml
    if lint mistake.toml >/dev/null 2>&1; then
        echo "taplo does not notice: $mistake"
        exit 1
    fi
done
echo "$count scenes are as the schema says, and mistakes are noticed"
