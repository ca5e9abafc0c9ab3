#!/usr/bin/env bash
# Compares the numbers of two builds: every built-in scene runs for some twenty steps with both, and all that
# they write must be the same, but for what tells of the program or the machine.
#
#     scripts/bits.sh BEFORE AFTER [SCENE...]
#
# BEFORE and AFTER are two `splashdown` programs. Scenes and times stand in scripts/bits.csv; a scene that BEFORE
# does not have is left out. Ends with status 1 if any number differs.
set -euo pipefail

before=${1:?the program before the change}
after=${2:?the program after the change}
shift 2
table="$(dirname "$0")/bits.csv"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Times of the machine, versions and formats of what is only read by the program itself.
leave_out=(--exclude=timing.json --exclude=run.json --exclude=scene.toml --exclude=snapshots --exclude=frames.csv
    --exclude='*.png')

known=$("$before" list)
differing=0
compared=0
while IFS=, read -r scene until; do
    if [ $# -gt 0 ] && [[ " $* " != *" $scene "* ]]; then continue; fi
    if ! grep -q "^$scene " <<<"$known"; then continue; fi
    for side in before after; do
        if ! "${!side}" run "$scene" --until "$until" --out "$work/$side" >"$work/$side.txt" 2>&1; then
            echo "$scene: $side failed:" && tail -3 "$work/$side.txt"
        fi
    done
    if diff -rq "${leave_out[@]}" "$work/before" "$work/after" >"$work/differences" 2>&1; then
        echo "$scene: same, $(($(wc -l <"$work/after/log.csv") - 1)) steps"
    else
        echo "$scene: DIFFERENT"
        sed "s|$work/||g; s/^/    /" "$work/differences" | head -5
        differing=$((differing + 1))
    fi
    compared=$((compared + 1))
    rm -rf "$work/before" "$work/after"
done < <(grep -v '^#' "$table")
echo "$compared scenes, $differing differ"
[ "$compared" -gt 0 ] && [ "$differing" -eq 0 ]
