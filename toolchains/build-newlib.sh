#!/bin/bash
# Builds newlib, the C library of the cores, from Debian's newlib-source into a cache folder, once.
#
#   build-newlib.sh DIR [SOURCE]    DIR/newlib/{include,lib} afterwards; SOURCE: newlib-*.tar.xz
#
# A second call with the same source, compiler and flags returns at once. Calls may race: they queue.
set -euo pipefail

cache=${1:?usage: build-newlib.sh DIR [SOURCE]}
source_archive=${2:-}
triple=riscv64-unknown-elf
# tp is the runtime's write pointer into the lane, so no library code may touch it.
target_flags="-Os -march=rv32im -mabi=ilp32 -ffixed-tp -ffunction-sections -fdata-sections"
configure_flags=(
    --disable-multilib
    --disable-newlib-supplied-syscalls
    --enable-newlib-nano-formatted-io
    --enable-newlib-nano-malloc
    --disable-newlib-multithread
    --enable-lite-exit
    --disable-newlib-fvwrite-in-streamio
    --disable-newlib-fseek-optimization
    --disable-newlib-wide-orient
    --disable-newlib-unbuf-stream-opt
    --disable-nls
)

fail() {
    echo "build-newlib.sh: $*" >&2
    exit 1
}

if [ -z "$source_archive" ]; then
    source_archive=$(find /usr/src/newlib -maxdepth 1 -name 'newlib-*.tar.xz' 2>/dev/null | sort | tail -n 1)
fi
[ -r "$source_archive" ] || fail "no newlib source in /usr/src/newlib: apt-get install newlib-source"
command -v $triple-gcc >/dev/null || fail "no $triple-gcc: apt-get install gcc-riscv64-unknown-elf"

mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
exec 9>"$cache/lock"
flock 9

stamp="$(basename "$source_archive") $($triple-gcc -dumpfullversion) $target_flags ${configure_flags[*]}"
if [ -f "$cache/stamp" ] && [ "$(cat "$cache/stamp")" = "$stamp" ]; then
    exit 0
fi

rm -rf "$cache/source" "$cache/build" "$cache/prefix" "$cache/newlib" "$cache/stamp"
mkdir -p "$cache/source" "$cache/build"
log=$cache/build.log
tar -C "$cache/source" -xf "$source_archive"
# The archive holds one folder, whose name is not the archive's.
top=$(find "$cache/source" -mindepth 1 -maxdepth 1 -type d | head -n 1)
jobs=${TD_JOBS:-$(nproc)}
if ! (
    cd "$cache/build"
    # Settings of an outer make must not reach this one.
    unset MAKEFLAGS MFLAGS MAKELEVEL CC CFLAGS LDFLAGS
    "$top/configure" --target=$triple --prefix="$cache/prefix" "${configure_flags[@]}" \
        CFLAGS_FOR_TARGET="$target_flags -ffile-prefix-map=$top=newlib"
    make -j"$jobs" MAKEINFO=true all-target-newlib
    make MAKEINFO=true install-target-newlib
) >"$log" 2>&1 </dev/null; then
    tail -n 20 "$log" >&2
    fail "newlib did not build, see $log"
fi
mkdir -p "$cache/newlib/lib"
cp -r "$cache/prefix/$triple/include" "$cache/newlib/"
cp "$cache/prefix/$triple/lib/libc.a" "$cache/prefix/$triple/lib/libm.a" "$cache/newlib/lib/"
cp "$top/COPYING.NEWLIB" "$cache/newlib/"
rm -rf "$cache/source" "$cache/build" "$cache/prefix"
printf '%s\n' "$stamp" >"$cache/stamp"
