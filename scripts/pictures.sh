#!/usr/bin/env bash
# Makes all pictures of README.md and docs/ anew, in full colour: scripts/pictures.sh [NAME ...]
# NAME is a picture in docs/images without its ending; all of them take some minutes on two cores. Runs stay in target/pictures and
# are used again. The picture of the viewer needs what test_viewer.sh needs and is left as it is where that is missing.
# PROGRAM is a program that is built already.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${PROGRAM:-}" ]; then
    cargo build --release --quiet --bin splashdown
    PROGRAM=$PWD/target/release/splashdown
fi
place=target/pictures
mkdir -p "$place"

# run SCENE SECONDS: simulates a built-in scene, unless it has been.
run() {
    [ -f "$place/$1.done" ] && return
    "$PROGRAM" run "$1" --set "simulation.duration=$2" --quiet --force --out "$place/$1"
    touch "$place/$1.done"
}

# picture NAME SCENE SECONDS FRAME SIZE [OPTION ...]
picture() {
    run "$2" "$3"
    "$PROGRAM" render "$place/$2" --frame "$4" --size "$5" --samples 3 --out "docs/images/$1.png" "${@:6}"
}

make() {
    case $1 in
    dam-break) picture dam-break dam-break 1.2 15 960x540 --surface ;;
    particles) picture particles dam-break 1.2 15 960x540 ;;
    droplets-on-slopes) picture droplets-on-slopes droplets-on-slopes 0.2 5 960x540 ;;
    pin-on-water) picture pin-on-water water-strider 0.15 15 640x360 ;;
    tumbling-boards) picture tumbling-boards tumbling-boards 0.12 4 900x560 ;;
    statue-rain) picture statue-rain statue-rain 0.24 12 900x700 ;;
    viewer)
        run dam-break 1.2
        VIEWED="$PWD/$place/dam-break" PROGRAM="$PROGRAM" scripts/test_viewer.sh --picture docs/images/viewer.png
        ;;
    *)
        echo "there is no picture $1: dam-break, particles, droplets-on-slopes, pin-on-water, tumbling-boards, statue-rain, viewer"
        exit 2
        ;;
    esac
}

[ $# -gt 0 ] || set -- dam-break particles droplets-on-slopes pin-on-water tumbling-boards statue-rain viewer
for name in "$@"; do
    make "$name"
done
