#!/usr/bin/env bash
# Compares the numbers of two builds: every built-in scene runs for some twenty steps with both, and all that
# they write must be the same, but for what tells of the program or the machine.
#
#     scripts/bits.sh BEFORE AFTER [SCENE...]
#     scripts/bits.sh --stored PROGRAM      a few quick scenes, with the sums in scripts/bits.sums; CI does this
#     scripts/bits.sh --store PROGRAM       stores them anew, where a commit changes numbers and says why
#
# Sums are those of one kind of machine: sines and exponentials of the C library differ in their last digits from
# version to version, and with the instructions that a processor has. On another kind nothing is compared.
#
# BEFORE and AFTER are two `splashdown` programs. Scenes and times stand in scripts/bits.csv; a scene that BEFORE
# does not have is left out. Of tables those columns count that BEFORE writes: a format may grow, numbers may not
# change. Ends with status 1 if any number differs.
set -euo pipefail

# All that tells of the program or the machine: times, versions, formats of what is only read by the program itself.
only_here='timing.json run.json scene.toml snapshots frames.csv *.png'
table="$(dirname "$0")/bits.csv"
sums="$(dirname "$0")/bits.sums"

# One sum of all that a run wrote.
sum_of() {
    local leave_out=()
    for name in $only_here; do leave_out+=(-not -name "$name" -not -path "*/$name/*"); done
    (cd "$1" && find . -type f "${leave_out[@]}" -print0 | LC_ALL=C sort -z | xargs -0 sha256sum) | sha256sum | cut -c1-16
}

# What the bits depend on besides the program.
machine() {
    local flags=none
    if [ -r /proc/cpuinfo ]; then flags=$(grep -m1 -E '^(flags|Features)' /proc/cpuinfo | grep -oE '\b(fma|avx2)\b' | sort | paste -sd+ || true); fi
    echo "$(uname -sm) $(getconf GNU_LIBC_VERSION 2>/dev/null || echo other) ${flags:-none}"
}

quick=(dam-break-2d hydrostatic-2d rising-sphere sliding-duck card-house soap-bubbles slingshot)

if [[ ${1:-} == --stored || ${1:-} == --store ]]; then
    mode=$1
    program=$(realpath "${2:?a program}")
    set -f # names are patterns for find, not for the shell
    if [ "$mode" = --stored ] && [ "$(head -1 "$sums")" != "$(machine)" ]; then
        echo "skipped: the sums are those of '$(head -1 "$sums")', this is '$(machine)'" >&2
        exit 0
    fi
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    machine >"$work/sums"
    for scene in "${quick[@]}"; do
        until=$(grep "^$scene," "$table" | cut -d, -f2)
        "$program" run "$scene" --until "$until" --out "$work/run" >"$work/said" 2>&1 || { cat "$work/said" >&2; exit 1; }
        echo "$scene $(sum_of "$work/run")" >>"$work/sums"
        rm -rf "$work/run"
    done
    if [ "$mode" = --store ]; then
        cp "$work/sums" "$sums"
    elif ! diff "$sums" "$work/sums"; then
        echo "numbers have changed: if they should, say why and run scripts/bits.sh --store PROGRAM" >&2
        exit 1
    fi
    echo "${#quick[@]} scenes, as stored"
    exit
fi

before=${1:?the program before the change}
after=${2:?the program after the change}
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

set -f
leave_out=()
for name in $only_here; do leave_out+=("--exclude=$name"); done
set +f

# The tables in the folder $2 with the columns that those in the folder $1 have, in their order.
same_columns() {
    local table
    while read -r table; do
        if ! [ -e "$2/$table" ]; then continue; fi
        awk -F, -v wanted="$(head -1 "$1/$table")" '
            NR == 1 { n = split(wanted, names, ","); for (k = 1; k <= NF; k++) place[$k] = k }
            { for (k = 1; k <= n; k++) printf "%s%s", $place[names[k]], k < n ? "," : "\n" }
        ' "$2/$table" >"$work/table"
        mv "$work/table" "$2/$table"
    done < <(cd "$1" && find . -name '*.csv')
}

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
    same_columns "$work/before" "$work/after"
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
