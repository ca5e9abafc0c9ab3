#!/usr/bin/env bash
# Compares pictures by wgpu with those of the CPU: scripts/test_gpu.sh
# Needs a Vulkan driver; installs Mesa's, which needs no graphics card, where apt-get can. Where there is none,
# the test says so and is content.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! compgen -G "/usr/share/vulkan/icd.d/*.json" >/dev/null && ! compgen -G "/etc/vulkan/icd.d/*.json" >/dev/null; then
    if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
        echo "installing mesa-vulkan-drivers"
        { apt-get update -qq && DEBIAN_FRONTEND=noninteractive timeout 300 apt-get install -y -qq libvulkan1 mesa-vulkan-drivers; } \
            >/dev/null 2>&1 || echo "apt-get cannot install mesa-vulkan-drivers"
    fi
fi
# Not optimised: it is compiled in a fraction of the time and draws small pictures only.
timeout 1800 cargo test --profile quick --package splashdown-render --features gpu --test gpu -- --nocapture
