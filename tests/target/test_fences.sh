#!/bin/sh
# test_fences.sh OBJDUMP FOLDER: no image for Wormhole has a fence instruction, whether the runtime, a header, the C library or the
# compiler put it there; images for Blackhole have them.
set -e
fences() {
    # objdump takes the linker's word for data, and says `fence` where it is an instruction.
    "$1" -d "$2" | grep -c -E '\.word[[:space:]]+0x0[0-9a-f]{2}0000f|[[:space:]]fence' || true
}
for kernel in atomics library ttmetal; do
    wormhole=$(fences "$1" "$2/t_$kernel.wormhole.elf")
    blackhole=$(fences "$1" "$2/t_$kernel.blackhole.elf")
    echo "$kernel: $wormhole fences for Wormhole, $blackhole for Blackhole"
    [ "$wormhole" -eq 0 ]
    [ "$blackhole" -gt 0 ]
done
