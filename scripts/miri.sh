#!/usr/bin/env bash
# Runs the tests of the files with `unsafe` code under Miri, which finds reads out of bounds, unaligned or freed
# memory: once as every processor computes, once with AVX2. Needs a nightly toolchain with Miri:
#     rustup toolchain install nightly --component miri,rust-src
set -euo pipefail
cd "$(dirname "$0")/.."

if ! cargo +nightly miri --version >/dev/null 2>&1; then
    echo "skipped: there is no Miri (rustup toolchain install nightly --component miri,rust-src)" >&2
    exit 0
fi
file=$(git ls-files 'crates/*/particles/simd.rs')
export PROPTEST_CASES=${PROPTEST_CASES:-8} # an interpreter is some hundred times slower
export MIRIFLAGS="-Zmiri-disable-isolation ${MIRIFLAGS:-}"
for features in "" "-C target-feature=+avx2"; do
    printf '\n== Miri, RUSTFLAGS="%s"\n' "$features"
    RUSTFLAGS=$features cargo +nightly miri test --manifest-path "${file%/src/*}/Cargo.toml" --lib -- \
        particles::simd particles::pair particles::fours
done
