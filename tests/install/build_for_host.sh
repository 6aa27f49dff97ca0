#!/usr/bin/env bash
# Builds the commands for a host of another processor. In QEMU's user mode it compares them with those of this machine
# (try_on_host.py), and runs the tests of base, wire, trace and file. Needs a network, for Debian's packages of that
# processor, which are only unpacked, and a build of this machine with kernels (TD_BINARY_DIR, default: build).
#
#   build_for_host.sh arm64|riscv64 [DIR]    everything is left in DIR (default: a new folder below /tmp)
#
# Takes one build. Debian 12 has no RISC-V: its libraries are those of Debian 13.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
case ${1:-} in
  arm64) host=aarch64 release=bookworm gcc=12 ;;
  riscv64) host=riscv64 release=trixie gcc=14 ;;
  *) echo "usage: $0 arm64|riscv64 [DIR]" >&2; exit 2 ;;
esac
to=${2:-$(mktemp -d "/tmp/tendril-$host.XXXXXX")}
"$source/toolchains/sysroot.sh" "$1" $release "$to/root" libc6-dev libgcc-$gcc-dev libstdc++-$gcc-dev liblz4-dev \
  libzstd-dev zlib1g-dev libelf-dev libdw-dev libinih-dev libcjson-dev libpcre2-dev libusb-1.0-0-dev libcapstone-dev \
  libsqlite3-dev libedit-dev libseccomp-dev libunicorn-dev libcmocka-dev libumockdev-dev
cmake -S "$source" -B "$to/build" -G Ninja --toolchain "$source/toolchains/linux-cross.cmake" -DTD_HOST=$host \
  -DTD_SYSROOT="$to/root" -DTD_BUILD_VIEWER=OFF -DTD_BUILD_DEVICE=OFF -DTD_BUILD_PYTHON=OFF -DTD_BUILD_BENCH=OFF -DTD_WERROR=ON
ninja -C "$to/build" bin/tendril tendril-watch tests/{base,wire,trace,file}/all
export QEMU_LD_PREFIX=$to/root # where the kernel starts the emulator (qemu-user-binfmt)
qemu-$host "$to/build/bin/tendril" --version --verbose
python3 "$source/tests/install/try_on_host.py" "${TD_BINARY_DIR:-$source/build}" "$to/build" qemu-$host
unset TD_STOCK_DIR # tests in the emulator cannot start programs of this machine
# Left out: threads under a sanitizer, and two tests that start programs of the build without the emulator.
ctest --test-dir "$to/build" -L '^(base|wire|trace|file)$' -E 'tsan|test_deep|test_wire_adding' --output-on-failure
