#!/bin/sh
# Install limbik's service from a source tree into a folder, with the machine code of the robots that come along.
#
# sh tools/install_service.sh SOURCE FOLDER [ROBOT ...]
#
# Afterwards nothing is written there any more: LIMBIK_CACHE_DIR=FOLDER/cache FOLDER/bin/limbik serve
set -eu
source=$1 folder=$2
shift 2
python3 -m venv "$folder"
"$folder/bin/pip" install --quiet --no-cache-dir "$source[serve]"
LIMBIK_CACHE_DIR="$folder/cache" "$folder/bin/limbik" warmup "$@"
chmod -R go-w,a+rX "$folder"
