#!/bin/bash
# macOS, Windows, 32-bit and big-endian hosts are refused in one line, by CMake and by the headers; programs without
# markers compile there. Usage: test_other_hosts.sh CMAKE COMPILER
set -eu
cmake=$1 compiler=$2
source=${TD_SOURCE_DIR:-$PWD}

refused() { # WORDS VARIABLE...
  local words=$1
  shift
  local said
  said=$("$cmake" "$@" -P "$source/toolchains/hosts.cmake" 2>&1) && { echo "not refused: $*"; exit 1; }
  [[ $said == *"$words: Tendril runs on"* ]] || { echo "$* says: $said"; exit 1; }
}
refused "Darwin is not supported" -DCMAKE_SYSTEM_NAME=Darwin
refused "Windows is not supported" -DCMAKE_SYSTEM_NAME=Windows
linux=(-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SIZEOF_VOID_P=8)
refused "s390x in big-endian order is not supported" "${linux[@]}" -DCMAKE_SYSTEM_PROCESSOR=s390x -DCMAKE_C_BYTE_ORDER=BIG_ENDIAN
refused "addresses of 4 bytes is not supported" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SIZEOF_VOID_P=4 -DCMAKE_SYSTEM_PROCESSOR=armv7l
refused "loongarch64 is not supported" "${linux[@]}" -DCMAKE_SYSTEM_PROCESSOR=loongarch64
for host in x86_64 aarch64 riscv64; do
  "$cmake" "${linux[@]}" -DCMAKE_SYSTEM_PROCESSOR=$host -DCMAKE_C_BYTE_ORDER=LITTLE_ENDIAN -P "$source/toolchains/hosts.cmake"
done

marker() { # OPTION...
  echo '#include "tendril/marker.h"' | "$compiler" "$@" -I "$source/host/client/include" -fsyntax-only -x c - 2>&1
}
for other in -U__linux__ -m32; do
  said=$(marker -DTRACY_ENABLE $other) && { echo "markers compile with $other"; exit 1; }
  [[ $said == *"runs on 64-bit little-endian Linux"* ]] || { echo "$other says: $said"; exit 1; }
  marker $other || { echo "without markers, $other fails"; exit 1; }
done
