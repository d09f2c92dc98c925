#!/usr/bin/env bash
# Installs Chromium for the page tests where that is possible; says why where it is not.
set -euo pipefail
if command -v chromium >/dev/null; then
  echo "chromium: $(command -v chromium)"
  exit 0
fi
if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
  echo "No chromium here, and it cannot be installed without root and apt-get: page tests skip."
  echo "On Debian: sudo apt-get install chromium chromium-driver"
  exit 0
fi
if apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium chromium-driver >/dev/null; then
  echo "chromium: $(command -v chromium)"
else
  echo "chromium could not be installed: page tests skip."
fi
