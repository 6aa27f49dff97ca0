#!/bin/bash
# Other kinds of builds than the one that is tested have no warning and no error, in a folder whose path has a space.
#
#   test_builds.sh [KIND...]    default: client; with TD_THOROUGH all of them, which takes a processor half an hour
set -euo pipefail
source=${TD_SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}
kinds=("$@")
if [ $# = 0 ]; then
  kinds=(client)
  [ -z "${TD_THOROUGH:-}" ] || kinds=(client Release MinSizeRel clang gcc-12 no-viewer off)
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
launcher=()
if command -v ccache >/dev/null; then
  launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  export CCACHE_NOHASHDIR=1
fi

build() { # KIND OPTION...
  local folder="$work/build of $1" log="$work/log"
  shift
  if ! { cmake -S "$source" -B "$folder" -G Ninja -DTD_WERROR=ON -DTD_BUILD_TESTS=OFF "${launcher[@]}" "$@" &&
    ninja -C "$folder" && DESTDIR="$work/installed" cmake --install "$folder"; } >"$log" 2>&1; then
    grep -E 'error:|CMake Error|FAILED:' "$log" | head -n 20
    tail -n 20 "$log"
    return 1
  fi
  rm -rf "$folder"
}

for kind in "${kinds[@]}"; do
  echo "$kind"
  case $kind in
  client)
    build client -DTD_CLIENT_ONLY=ON
    [ -z "$(find "$work/installed" -name 'libtendril-host*')" ]
    [ -n "$(find "$work/installed" -name libtendril-client.a)" ]
    ;;
  Release | MinSizeRel) build "$kind" -DCMAKE_BUILD_TYPE="$kind" -DTD_ENABLE_PROFILER=ON ;;
  clang) build clang -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ ;;
  gcc-12) build gcc-12 -DCMAKE_C_COMPILER=gcc-12 -DCMAKE_CXX_COMPILER=g++-12 -DTD_ENABLE_PROFILER=ON ;;
  no-viewer) build no-viewer -DTD_BUILD_VIEWER=OFF -DTD_ENABLE_PROFILER=ON ;;
  off) build off -DTD_BUILD_DEVICE=OFF ;;
  *)
    echo "test_builds.sh: there is no kind '$kind' of build" >&2
    exit 2
    ;;
  esac
done
