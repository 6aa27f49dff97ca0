#!/bin/sh
# In place of the compiler that tt-metal downloads: Debian's. That one knows its cores (-mcpu) and their Tensix instructions,
# which are words here (instructions.h). Kernels that need its headers of SFPI do not compile.
here=$(dirname "$(readlink -f "$0")")
march=rv32im
words=
lto=-flto
wants=
for word in "$@"; do
    case $word in
    -mcpu=tt-bh*) march=rv32im_zicsr ;;
    -mcpu=*) ;;
    -flto=auto) wants=1 ;;
    -std=c++17 | -Werror) ;;
    *) words="$words '$word'" ;;
    esac
    case $word in
    -DKERNEL_BUILD) kernel=1 ;;
    -DCOMPILE_FOR_TRISC=*) compute=1 ;;
    -c | -S) compiles=1 ;;
    *.cpp | *.cc) cxx=1 ;;
    esac
done
# The macro for Tensix instructions is one of a file of assembler code.
if [ -n "${kernel:-}" ] && [ -n "${compute:-}" ]; then
    words="$words -include '$here/instructions.h'"
    lto=
fi
[ -n "$wants" ] || lto=
# The type is missing from one tree, for Wormhole only.
index=
case " $* " in *-DARCH_WORMHOLE*) index=-Dnoc_index_t=uint8_t ;; esac
std="-fno-threadsafe-statics"
[ -z "${cxx:-}" ] || std="$std -std=c++20 -fno-rtti"
libstdcxx=$(riscv64-unknown-elf-g++ -dumpversion)
libstdcxx=${libstdcxx%%.*}
eval "set -- $words"
[ -n "${compiles:-}" ] || exec riscv64-unknown-elf-g++ -march=$march -mabi=ilp32 $lto -w -nodefaultlibs "$@" -Wl,--no-warn-rwx-segments \
    "$TD_NEWLIB/lib/libc.a" -lgcc
# shellcheck disable=SC2086 # several options
exec riscv64-unknown-elf-g++ -march=$march -mabi=ilp32 $lto $std -w -I"$here/stand_in" "$@" $index \
    -isystem "$TD_DEVICE_CXX" -isystem "/usr/include/c++/$libstdcxx" -isystem "/usr/include/x86_64-linux-gnu/c++/$libstdcxx" \
    -isystem "$TD_NEWLIB/include"
