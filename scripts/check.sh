#!/usr/bin/env bash
# What CI runs, on your machine.
exec "$(dirname "$0")/../.ci/run" "$@"
