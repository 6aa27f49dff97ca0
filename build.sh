#!/usr/bin/env bash
# Builds, demonstrates and tests Tendril. See --help.
set -euo pipefail
cd "$(dirname "$0")"

build_dir=build
type=RelWithDebInfo
profiler=OFF
asan=OFF
viewer=ON
aliases=OFF
demo=0
tests=0
area=
quick=0
thorough=0
bench=0
bench_name=
guest=0
guest_name=

usage() {
  cat <<'EOF'
Usage: ./build.sh [options]

  --enable-profiler   compile the markers into the examples' kernels and host programs
  --demo              build what it needs, run the example pipeline on the simulated board, write build/demo.tracy
                      and build/demo.png, and open the viewer where there is a display
  --test [AREA]       build everything and run all tests, or those of one folder of tests/
  --quick             with --test: leave out tests that take long
  --thorough          with --test: run all cases of the tests that else run one of each kind
  --test-guest [NAME] build and run all tests in a virtual machine, or one (docs/guest-tests.md)
  --bench [NAME]      build and run all benchmarks, or one
  --build-dir DIR     where to build (default: build)
  --debug             without optimisation
  --asan              with AddressSanitizer and UndefinedBehaviorSanitizer
  --no-viewer         leave out the viewer and what it needs
  --install-aliases   also make links to tendril by the names that scripts call: capture-release, tracy-csvexport ...
  --help              this text

Programs land in DIR/bin, libraries in DIR/lib, examples in DIR/examples, benchmarks in DIR/bench.
EOF
}

die() {
  echo "build.sh: $*" >&2
  exit 1
}

# Each step says when it begins, in seconds since the start.
step() {
  printf '== %4d s  %s\n' $SECONDS "$*"
}

while [ $# -gt 0 ]; do
  case $1 in
  --enable-profiler) profiler=ON ;;
  --demo) demo=1 ;;
  --test)
    tests=1
    if [ $# -gt 1 ] && [ "${2#-}" = "$2" ]; then
      area=$2
      [ -r "tests/$area/CMakeLists.txt" ] || die "no area '$area' of tests (an area is a folder of tests/)"
      shift
    fi
    ;;
  --quick) quick=1 ;;
  --thorough) thorough=1 ;;
  --test-guest)
    guest=1
    if [ $# -gt 1 ] && [ "${2#-}" = "$2" ]; then
      guest_name=$2
      shift
    fi
    ;;
  --bench)
    bench=1
    if [ $# -gt 1 ] && [ "${2#-}" = "$2" ]; then
      bench_name=$2
      shift
    fi
    ;;
  --build-dir)
    [ $# -gt 1 ] || die "--build-dir needs a directory"
    build_dir=$2
    shift
    ;;
  --debug) type=Debug ;;
  --asan) asan=ON ;;
  --no-viewer) viewer=OFF ;;
  --install-aliases) aliases=ON ;;
  --help | -h)
    usage
    exit 0
    ;;
  *) die "unknown option '$1' (see ./build.sh --help)" ;;
  esac
  shift
done
# The tests and the benchmarks need instrumented kernels.
[ $tests = 0 ] && [ $bench = 0 ] && [ $guest = 0 ] || profiler=ON
[ $quick = 0 ] || [ $tests = 1 ] || die "--quick needs --test"
[ $thorough = 0 ] || [ $tests = 1 ] || [ $guest = 1 ] || die "--thorough needs --test or --test-guest"
[ $thorough = 0 ] || export TD_THOROUGH=1
[ $demo = 0 ] || [ $profiler = ON ] || die "--demo needs markers: use ./build.sh --enable-profiler --demo"

apt_install() {
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@"
}

# Installs what toolchains/packages.txt lists and this machine lacks.
install_packages() {
  command -v dpkg-query >/dev/null || return 0
  local missing=() lean=() line package
  while read -r line; do
    case $line in '' | '#'*) continue ;; esac
    package=${line%% *}
    [ $viewer = ON ] || [ "${line%# viewer}" = "$line" ] || continue
    [ $tests = 1 ] || [ $guest = 1 ] || [ "${line%# test}" = "$line" ] || continue
    [ $tests = 1 ] || [ $guest = 1 ] || [ "${line%# guest}" = "$line" ] || continue
    [ $tests = 1 ] || [ "${line%# gpu}" = "$line" ] || continue
    [ $tests = 1 ] || [ "${line%# browser}" = "$line" ] || continue
    [ $tests = 1 ] || [ "${line%# manual}" = "$line" ] || continue
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' && continue
    if [ "${line%# browser}" = "$line" ]; then missing+=("$package"); else lean+=("$package"); fi
  done <toolchains/packages.txt
  [ $((${#missing[@]} + ${#lean[@]})) -gt 0 ] || return 0
  if [ "$(id -u)" != 0 ]; then
    echo "build.sh: packages are missing; install them with:" >&2
    [ ${#missing[@]} = 0 ] || echo "  sudo apt-get install -y ${missing[*]}" >&2
    [ ${#lean[@]} = 0 ] || echo "  sudo apt-get install -y --no-install-recommends ${lean[*]}" >&2
    exit 1
  fi
  step "installing $((${#missing[@]} + ${#lean[@]})) packages"
  local log
  log=$(mktemp)
  if ! { apt-get update -qq && apt_install "${missing[@]}" && apt_install --no-install-recommends "${lean[@]}"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    die "apt-get could not install: ${missing[*]} ${lean[*]}"
  fi
  rm -f "$log"
}

# Runs a command quietly; shows its output only if it fails.
quiet() {
  local log=$build_dir/last-step.log
  if ! "$@" >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    die "failed: $*"
  fi
}

# Builds with a line for every tenth of the work; the log has all lines. A failed build prints the end of the log.
build() {
  NINJA_STATUS='[%p %f/%t] ' ninja -C "$build_dir" "$@" 2>&1 | tee "$build_dir/build.log" |
    awk '/^\[ *[0-9]+% / { tenth = int(substr($0, 2) / 10); if (tenth > last) { last = tenth; print "   " substr($0, 1, index($0, "]")); fflush() } }' ||
    { tail -n 60 "$build_dir/build.log" >&2; die "the build failed, see $build_dir/build.log"; }
}

install_packages
mkdir -p "$build_dir"
build_dir=$(cd "$build_dir" && pwd)

# Tests and benchmarks are most of the build. A folder that has them keeps them. Whether warnings are errors is
# decided once for a folder: another decision compiles all of it again.
parts=()
[ -e "$build_dir/CMakeCache.txt" ] || parts=(-DTD_BUILD_TESTS=OFF -DTD_BUILD_BENCH=OFF "-DTD_WERROR=$tests")
[ -e "$build_dir/CMakeCache.txt" ] || ! command -v ccache >/dev/null || parts+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
[ $bench = 0 ] || parts+=(-DTD_BUILD_BENCH=ON)
[ $tests = 0 ] && [ $guest = 0 ] || parts+=(-DTD_BUILD_TESTS=ON -DTD_BUILD_BENCH=ON)
targets=(all)
[ $demo = 0 ] || [ $tests = 1 ] || targets=(demo)

step "configuring $build_dir"
quiet cmake -S . -B "$build_dir" -G Ninja -DCMAKE_BUILD_TYPE=$type -DTD_ENABLE_PROFILER=$profiler -DTD_ASAN=$asan \
  -DTD_BUILD_VIEWER=$viewer -DTD_INSTALL_ALIASES=$aliases "${parts[@]}"
step "building (log: $build_dir/build.log)"
build "${targets[@]}"

if [ $profiler = ON ]; then
  step "cost of the markers"
  for elf in "$build_dir"/examples/matmul/*.elf; do
    [ ! -e "$elf" ] || "$build_dir/bin/tendril" size "$elf"
  done
fi

if [ $demo = 1 ]; then
  step "running examples/matmul on the simulated board"
  "$build_dir/bin/tendril" record -b tensix_sim -o "$build_dir/demo.tracy" -- "$build_dir/examples/matmul/matmul"
  if [ $viewer = ON ]; then
    quiet "$build_dir/bin/tendril" view "$build_dir/demo.tracy" --screenshot "$build_dir/demo.png" --size 1600x900
    echo "picture: $build_dir/demo.png"
    echo "questions: $build_dir/bin/tendril info $build_dir/demo.tracy"
    echo "a kernel of your own: docs/instrumenting-kernels.md"
    if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
      step "opening the viewer"
      "$build_dir/bin/tendril" view "$build_dir/demo.tracy"
    else
      echo "view it: $build_dir/bin/tendril view $build_dir/demo.tracy"
    fi
  fi
fi

# Tests that take long, with their seconds.
long_tests() {
  grep -v '^#' tests/long.txt
}

# ctest begins with the tests that took longest. In a new folder it does not know them.
tell_costs() {
  local folder=$build_dir/Testing/Temporary
  [ ! -e "$folder/CTestCostData.txt" ] || return 0
  mkdir -p "$folder"
  { long_tests | awk '{ print $1, 1, $2 }' && echo ---; } >"$folder/CTestCostData.txt"
}

# Many tests wait for programs, so that there are 5 of them for 2 processors. Emulated machines share the processors
# with other tests and programs. So a test that fails runs once more, alone, and its name is printed.
run_tests() {
  local choice=() failed
  [ -z "$area" ] || choice+=(-L "^$area\$")
  [ $quick = 0 ] || choice+=(-E "^($(long_tests | cut -d' ' -f1 | paste -sd'|'))\$")
  tell_costs
  ctest --test-dir "$build_dir" --output-on-failure -j $((($(nproc) * 5 + 1) / 2)) "${choice[@]}" && return
  failed=$(cut -d: -f2 "$build_dir/Testing/Temporary/LastTestsFailed.log")
  step "these tests failed and run once more, alone:"
  echo "$failed"
  ctest --test-dir "$build_dir" --output-on-failure --rerun-failed || return
  step "flaky, failed first and passed alone: $(echo "$failed" | wc -l) tests: $(echo "$failed" | tr '\n' ' ')"
}

if [ $tests = 1 ]; then
  step "testing"
  run_tests
fi

if [ $guest = 1 ]; then
  step "testing in a virtual machine"
  TD_BINARY_DIR=$build_dir python3 tests/guest/run.py ${guest_name:+"$guest_name"}
fi

if [ $bench = 1 ]; then
  step "measuring"
  if [ -n "$bench_name" ]; then
    [ -x "$build_dir/bench/$bench_name" ] || die "no benchmark '$bench_name' (there are: $(cd "$build_dir/bench" && find . -maxdepth 1 -type f -perm -u+x -printf '%f '))"
    "$build_dir/bench/$bench_name"
  else
    for b in "$build_dir"/bench/*; do
      if [ -f "$b" ] && [ -x "$b" ]; then
        echo "-- $(basename "$b")"
        "$b"
      fi
    done
  fi
fi
