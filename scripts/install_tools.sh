#!/usr/bin/env bash
# Installs what some tests use, where that is possible; says which tests skip where it is not.
set -euo pipefail

install() { # COMMAND WHAT-SKIPS PACKAGE...
  local command=$1 skipping=$2
  shift 2
  if command -v "$command" >/dev/null; then
    echo "$command: $(command -v "$command")"
  elif ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
    echo "No $command here, and it cannot be installed without root and apt-get: $skipping skip."
    echo "On Debian: sudo apt-get install $*"
  elif { apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1 || {
    apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@" >/dev/null
  }; }; then
    echo "$command: $(command -v "$command")"
  else
    echo "$command could not be installed: $skipping skip."
  fi
}

install chromium "page tests" chromium
install chromium-headless-shell "no tests (Chromium does for all)" chromium-headless-shell
install strace "tests of kills, power cuts and full disks" strace
