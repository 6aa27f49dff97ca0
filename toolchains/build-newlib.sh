#!/bin/bash
# Builds what kernels need of newlib, the C library of the cores, from Debian's newlib-source into a cache folder, once.
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

stamp="parts $(basename "$source_archive") $($triple-gcc -dumpfullversion) $target_flags ${configure_flags[*]}"
if [ -f "$cache/stamp" ] && [ "$(cat "$cache/stamp")" = "$stamp" ]; then
    exit 0
fi

rm -rf "$cache/newlib" "$cache/stamp"
log=$cache/build.log
# newlib's configure knows no folder with a space in its name.
work=$(mktemp -d /tmp/newlib.XXXXXX)
trap 'rm -rf "$work"' EXIT
jobs=${TD_JOBS:-$(nproc)}

# What a variable of a folder's makefile has.
words() { # FOLDER VARIABLE
    # shellcheck disable=SC2016 # for make to expand
    printf 'include Makefile\ntd_words: ; @echo $(%s)\n' "$2" | make -s -C "$1" -f - td_words
}

# The objects that a folder of the build makes, but those whose names match one of the patterns.
objects() { # FOLDER PATTERN...
    local object pattern
    for object in $(words "$1" lib_a_OBJECTS) $(words "$1" lib_a_LIBADD); do
        for pattern in "${@:2}"; do
            # shellcheck disable=SC2053 # a pattern
            [[ ${object#lib_a-} != $pattern ]] || continue 2
        done
        echo "$object"
    done
}

# Compiles the objects of a folder, with the flags also where its own configure lost them, and copies them to where an archive is made from.
compile() { # TO FOLDER PATTERN...
    local list
    list=$(objects "${@:2}")
    # shellcheck disable=SC2086 # many words
    make -C "$2" -j"$jobs" CFLAGS="$flags" $list && (cd "$2" && cp $list "$work/$1/")
}

# Kernels have neither wide characters, complex numbers, nor files: what is only for these is most of the time that
# newlib takes. Of objects of one name the last counts: those of the machine.
build() {
    local folder top flags
    # Settings of an outer make, or of a package that is built, must not reach this one.
    unset MAKEFLAGS MFLAGS MAKELEVEL CC CFLAGS CPPFLAGS LDFLAGS
    export CONFIG_SHELL=/bin/sh
    tar -C "$work" -xf "$source_archive"
    # The archive holds one folder, whose name is not the archive's.
    top=$(find "$work" -mindepth 1 -maxdepth 1 -type d)
    flags="$target_flags -ffile-prefix-map=$top=newlib"
    mkdir "$work/build" "$work/c" "$work/m"
    cd "$work/build"
    "$CONFIG_SHELL" "$top/newlib/configure" --srcdir="$top/newlib" --with-newlib --build="$("$top/config.guess")" \
        --host=$triple --target=$triple --prefix="$work/prefix" --cache-file=./config.cache "${configure_flags[@]}" \
        CC="$triple-gcc -isystem $work/build/targ-include -isystem $top/newlib/libc/include" \
        AR=$triple-ar AS=$triple-as RANLIB=$triple-ranlib CFLAGS="$flags"
    make stmp-targ-include
    compile c libc/stdlib 'wcsto[diu]*' 'wcstol*'
    compile c libc/ctype 'isw*' 'tow*' 'wct*' 'jp2uc*' 'categories*'
    compile c libc/search 'hash*' 'hcreate*' 'ndbm*'
    compile c libc/stdio '*w[cs].o' '*w[cs]_u.o' '*wchar.o' '*wchar_u.o' '*wprintf.o' '*wscanf.o' 'fwide.o' \
        'svfi*' 'vfi*'
    compile c libc/string 'wc*' 'wm*'
    compile c libc/time 'wcsftime*'
    for folder in signal locale reent errno misc ssp syscalls machine/riscv; do
        compile c libc/$folder
    done
    for folder in math common fenv machine/riscv; do
        compile m libm/$folder
    done
    cd "$work/m"
    # shellcheck disable=SC2046 # many words
    cp $(words ../build MATHOBJS_IN_LIBC) ../c/
    $triple-ar rcsD ../build/libm.a ./*.o
    cd ../c
    $triple-ar rcsD ../build/libc.a ./*.o
    make -C ../build -o libc.a -o libm.a install-data-local
}

# Not as a condition: there, `set -e` is without effect.
set +e
(set -e; build) >"$log" 2>&1 </dev/null
result=$?
set -e
if [ $result != 0 ]; then
    tail -n 20 "$log" >&2
    fail "newlib did not build, see $log"
fi
mkdir -p "$cache/newlib/lib"
cp -r "$work/prefix/$triple/include" "$cache/newlib/"
cp "$work/build/libc.a" "$work/build/libm.a" "$cache/newlib/lib/"
cp "$work"/*/COPYING.NEWLIB "$cache/newlib/"
printf '%s\n' "$stamp" >"$cache/stamp"
