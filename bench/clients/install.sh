#!/bin/sh
# Installs the generators, at the versions that stand here. Java 11 or later runs openapi-generator; what compiles its clients is taken from
# this machine: mvn and a JDK, go.
set -eu
cd "$(dirname "$0")"
npm ci
python3 -m venv .venvs
.venvs/bin/pip install --quiet --requirement requirements.txt
