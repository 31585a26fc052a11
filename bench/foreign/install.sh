#!/bin/sh
# Installs the servers and the peer, at the versions that stand here: bench/foreign/install.sh [NAME...], all without a name.
set -eu
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- npm schemathesis changedetection chroma phoenix labelstudio
for name; do
  if [ "$name" = npm ]; then
    npm ci --ignore-scripts
    # The one that has to be compiled; the headers come with the project's own Node.
    platform="$(node -p '`${process.platform}-${process.arch}`')"
    export npm_config_nodedir="$PWD/../../node_modules/node/node_modules/node-$platform"
    (cd node_modules/sqlite3 && node node_modules/node-gyp/bin/node-gyp.js rebuild)
  else
    python3 -m venv ".venvs/$name"
    ".venvs/$name/bin/pip" install --no-deps --requirement "requirements/$name.txt"
  fi
done
