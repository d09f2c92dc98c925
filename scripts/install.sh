#!/usr/bin/env bash
# Installs into an environment by uv, and by pip where uv cannot: uv is fast, but reads no settings
# of pip, such as a folder of wheels or a certificate.
# Usage: install.sh BIN ARGUMENTS, with the environment's folder of programs and what pip is given.
set -euo pipefail
bin=$1
shift
index=${UV_DEFAULT_INDEX:-${PIP_INDEX_URL:-$("$bin/python" -m pip config get global.index-url 2>/dev/null || true)}}
if ! env ${index:+UV_DEFAULT_INDEX="$index"} "$bin/uv" pip install --quiet --python "$bin/python" "$@"; then
  echo "uv cannot install this here; pip tries, which takes longer." >&2
  "$bin/python" -m pip install --quiet --disable-pip-version-check "$@"
fi
