#!/bin/bash
# Installs the device runtime of a build and makes kernels with it outside of the tree: by make with one line, by CMake with
# one. Usage: build_installed.sh BUILD FOLDER; the images are FOLDER/make/kernel.elf, cpp.elf, off.elf and FOLDER/cmake/build/kernel.elf.
set -euo pipefail
build=$1
folder=$2

rm -rf "$folder"
mkdir -p "$folder/make" "$folder/cmake"
cmake --install "$build" --component device --prefix "$folder/prefix" >/dev/null
# The prefix can be moved.
mv "$folder/prefix" "$folder/moved"

cat >"$folder/make/kernel.c" <<'END'
#include <stdio.h>
#include <tendril/tendril.h>

int main(void)
{
    ZoneScopedN("from outside");
    TD_LOG("argument %u", td_arg());
    printf("hello\n");
    return 5;
}
END
cp "$folder/make/kernel.c" "$folder/cmake/kernel.c"
cp "$folder/make/kernel.c" "$folder/make/cpp.cpp"
if [ -d "/usr/include/c++/$(riscv64-unknown-elf-g++ -dumpversion | cut -d. -f1)" ]; then
    sed -i '1i #include <algorithm>\n#include <cmath>\n#include <optional>' "$folder/make/cpp.cpp"
fi
cp "$folder/make/kernel.c" "$folder/make/off.c"

PKG_CONFIG_PATH=$(dirname "$(find "$folder/moved" -name tendril-device.pc)")
export PKG_CONFIG_PATH
unset MAKEFLAGS MAKELEVEL
# shellcheck disable=SC2016
echo 'include $(shell pkg-config --variable=mk tendril-device)' >"$folder/make/Makefile"
make -s -C "$folder/make" kernel.elf cpp.elf
# A kernel as it is written for tt-metal: the include of the profiler and the definitions come from the build.
cat >"$folder/make/ttmetal.cpp" <<'END'
#ifdef COMPILE_FOR_BRISC
void kernel_main() { DeviceZoneScopedN(NAME); }
#endif
#if COMPILE_FOR_TRISC == 2
#include "compute_kernel_api.h"
namespace NAMESPACE { void MAIN { DeviceZoneScopedN(NAME); } }
#endif
END
for core in BRISC TRISC2; do
    make -s -C "$folder/make" ttmetal.elf CORE=$core \
        CXXFLAGS="-include tools/profiler/kernel_profiler.hpp -DNAME='\"tile\"'"
    mv "$folder/make/ttmetal.elf" "$folder/make/ttmetal_$core.elf"
done
# One that relies on the whole API, and on its arguments at compile time.
cat >"$folder/make/moves.cpp" <<'END'
void kernel_main()
{
    static_assert(get_compile_time_arg_val(1) == 4);
    constexpr auto args = TensorAccessorArgs<0>();
    const auto pages = TensorAccessor(args, get_arg_val<uint32_t>(0), get_tile_size(tt::CBIndex::c_0));
    noc_async_read_tile(get_compile_time_arg_val(1), pages, get_write_ptr(tt::CBIndex::c_0));
    noc_async_read_barrier();
    DPRINT << "moved" << ENDL();
}
END
# One that asks for an argument in #if, by tt-metal's path of before 2025, and needs the size of a tile.
cat >"$folder/make/old.cpp" <<'END'
#include "dataflow/dataflow_api.h"
#include "debug/assert.h"
#define IS_FOUR get_compile_time_arg_val(1) == 4
#if !(IS_FOUR)
#error "the build gives the arguments one by one"
#endif
void kernel_main()
{
    static uint32_t tile[get_tile_size(0) / 4] TD_L1;
    ASSERT(tile[0] == 0);
    noc_async_read(get_noc_addr(MEM_ZEROS_BASE), reinterpret_cast<uintptr_t>(tile), MEM_ZEROS_SIZE);
    noc_async_read_barrier();
}
END
cp "$folder/make/moves.cpp" "$folder/make/old.cpp" "$folder/cmake/"
for profile in 1 0; do
    make -s -C "$folder/make" -B moves.elf TTMETAL=1 ARGS=2,4 PROFILE=$profile
done
make -s -C "$folder/make" old.elf TTMETAL=1 ARGS=2,4 CXXFLAGS="-DTD_NUMBERED_ARGS -DKERNEL_CB_FORMATS=5"
make -s -C "$folder/make" off.elf PROFILE=0

cat >"$folder/cmake/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.20)
project(outside C CXX)
tendril_add_kernel(kernel BRISC kernel.c)
tendril_add_kernel(moves NCRISC moves.cpp TTMETAL ARGS 2 4)
tendril_add_kernel(old NCRISC old.cpp TTMETAL ARGS 2 4)
target_compile_definitions(old PRIVATE TD_NUMBERED_ARGS KERNEL_CB_FORMATS=5 WATCHER_ENABLED)
END
cmake -S "$folder/cmake" -B "$folder/cmake/build" \
    -DCMAKE_TOOLCHAIN_FILE="$(pkg-config --variable=toolchain tendril-device)" >/dev/null
cmake --build "$folder/cmake/build" >/dev/null

# A guest, built as tt-metal's build calls its compiler.
device=$(pkg-config --variable=device tendril-device)
export TENDRIL_GUEST_COMPILER=riscv64-unknown-elf-g++ TENDRIL_GUEST_LANES=0x14000
guest() {
    "$device/guest-compiler.sh" -march=rv32im -mabi=ilp32 -std=c++17 -flto -ffast-math -fno-exceptions -Wall -Werror \
        -isystem "$device/newlib/include" "$@"
}
mkdir -p "$folder/guest/metal/tools/profiler"
cp "$(dirname "$0")/../firmware/kernel.ld" "$folder/guest/kernel_brisc.ld"
echo '#define DeviceZoneScopedN(name)' >"$folder/guest/metal/tools/profiler/kernel_profiler.hpp"
cat >"$folder/guest/kernel.cpp" <<'END'
#include "tools/profiler/kernel_profiler.hpp"
extern "C" void _start()
{
    DeviceZoneScopedN("tile");
}
END
guest -I"$folder/guest/metal" -Os -c "$folder/guest/kernel.cpp" -o "$folder/guest/kernel.o" -DKERNEL_BUILD -DCOMPILE_FOR_BRISC
guest -Os -nostartfiles -nostdlib "-T$folder/guest/kernel_brisc.ld" -Wl,--defsym=kernel_at=0x28000 -Wl,--emit-relocs \
    "$folder/guest/kernel.o" -o "$folder/guest/kernel.elf" -Wl,--no-warn-rwx-segments
# Firmware is passed on.
guest -I"$folder/guest/metal" -Os -c "$folder/guest/kernel.cpp" -o "$folder/guest/firmware.o" -DFW_BUILD -DCOMPILE_FOR_BRISC

# Programs that must not build fail with a message.
refused() {
    # shellcheck disable=SC2086 # a target and variables
    if make -s -C "$folder/make" $1 >"$folder/make/said" 2>&1; then
        echo "$1 should not build" >&2
        exit 1
    fi
    if ! grep -q "$2" "$folder/make/said"; then
        cat "$folder/make/said" >&2
        exit 1
    fi
}
cat >"$folder/make/wide.c" <<'END'
#include <tendril/tendril.h>
int main(void)
{
    TD_LOG("%d", 1ull);
    return 0;
}
END
# A board without a timestamper; one with it, and the data in L1.
cp "$folder/make/off.c" "$folder/make/stamped.c"
cp "$folder/make/off.c" "$folder/make/no_stamps.c"
make -s -C "$folder/make" stamped.elf STAMPED=1 IN_L1=1
refused "no_stamps.elf STAMPED=1 BOARD=tensix_sim_p150" "this board has no timestamper"
refused wide.elf "an argument is 32 bits wide"
cat >"$folder/make/many.c" <<'END'
__asm__(".pushsection .td_ids,\"\",@nobits\n.skip 0x7c010000\n.popsection");
int main(void)
{
    return 0;
}
END
refused many.elf "31744"
