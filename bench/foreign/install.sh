#!/bin/sh
# Installs the servers and the peer, at the versions that stand here: bench/foreign/install.sh [NAME...]. Without a name: the peer and
# the servers that were read; with `held-out` or `unseen`: the peer and the servers of that set.
set -eu
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- npm schemathesis changedetection chroma phoenix labelstudio
[ "$*" != held-out ] || set -- held-out-npm schemathesis airflow evidently langgraph pretalx
[ "$*" != unseen ] || set -- unseen-npm schemathesis superset lnbits pygeoapi
for name; do
  case $name in
    npm)
      npm ci --ignore-scripts
      # The one that has to be compiled; the headers come with the project's own Node.
      platform="$(node -p '`${process.platform}-${process.arch}`')"
      export npm_config_nodedir="$PWD/../../node_modules/node/node_modules/node-$platform"
      (cd node_modules/sqlite3 && node node_modules/node-gyp/bin/node-gyp.js rebuild)
      ;;
    held-out-npm)
      npm ci --ignore-scripts --prefix held-out
      # The one that has to be compiled where its makers' own binary cannot be had.
      npm rebuild sqlite3 --prefix held-out
      ;;
    unseen-npm)
      npm ci --ignore-scripts --prefix unseen
      ;;
    *)
      python3 -m venv ".venvs/$name"
      ".venvs/$name/bin/pip" install --no-deps --requirement "requirements/$name.txt"
      ;;
  esac
done
