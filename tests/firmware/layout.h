/* Where the test firmware has what, in a tile's L1 and in a core's local RAM. For the firmware and the host
 * program. */
#pragma once
#include <stdint.h>

#define MAILBOX         0x1f000 /* one struct mailbox */
#define LANES           0x3000  /* lane_base of firmware.board */
#define CODE_STRIDE     0x20000 /* between two cores */
#define KERNEL_BYTES    0x8000
#define STAGED_AT(core) (0xc0000u + (core)*CODE_STRIDE)

struct mailbox_core {
    uint32_t go;           /* the host: another number for each run of a kernel */
    uint32_t image, bytes; /* the kernel's image */
    uint32_t at;           /* where it runs */
    uint32_t arg;
    uint32_t done;   /* the firmware: the number of the run that has ended */
    uint32_t result; /* what the kernel returned */
    uint32_t wrong;  /* runs after which a register of the firmware had another value */
};
struct mailbox {
    uint32_t lanes; /* address of the tile's lanes; the firmware writes it when it starts */
    uint32_t unused[7];
    struct mailbox_core core[5];
};
