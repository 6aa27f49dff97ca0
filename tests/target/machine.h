/* One core of the simulated board in a test: real firmware in Unicorn, a clock that the test moves, a
 * consumer that the test implements. L1, local RAM and the clock have the addresses of boards/tensix_sim.
 * With test registers a kernel moves its clock:
 *
 *   0xffb12f00  write n: the clock advances by n ticks
 *   0xffb12f04  write n: ... by n << 16 ticks
 *   0xffb12f08  write k: the clock's low half wraps right after the k-th clock read from now on
 *   0xffb12f10  write n: the clock's low half is n
 *   0xffb12f0c  write n: appended to `notes`, which the test reads
 */
#pragma once
#include "proto/device/lane.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unicorn/unicorn.h>

#define MACHINE_L1_BYTES    1499136
#define MACHINE_LANE_BASE   0x400
#define MACHINE_LANES       5
#define MACHINE_RING_SLOTS  256
#define MACHINE_LOCAL_BASE  0xffb00000u
#define MACHINE_LOCAL_BYTES 4096

struct machine;
/* Called when the core reads its lane's head: the moment at which a waiting core sees what the consumer did.
 */
typedef void machine_head_read(struct machine *m, void *self);
/* Called when the core writes a register that the machine does not have. */
typedef void machine_other_write(struct machine *m, uint32_t address, uint32_t value, void *self);

struct machine {
    uc_engine *uc;
    uint8_t *l1, *local;
    uint64_t ticks, ticks_per_read;
    uint32_t wrap_after; /* clock reads; 0: off */
    uint32_t core, entry, park;
    uint32_t notes[64];
    size_t note_count;
    /* Counted if `counts` is set before a launch: from a note that is not 0 to one that is 0, or `counts_all`. */
    bool counts, counts_all, counting;
    uint64_t instructions, stores; /* stores: to L1 */
    machine_head_read *head_read;
    void *head_read_self;
    uint64_t head_reads;
    machine_other_write *other_write;
    void *other_write_self;
    /* The slots that the consumer took. */
    uint32_t *words;
    size_t slots, slots_room;
    void *elf;
    size_t elf_bytes;
};

/* Fails the running cmocka test if the machine cannot be set up. */
struct machine *machine_create(void);
void machine_destroy(struct machine *m);
/* Loads an ELF of core number `core`; the lane stays as it is. */
void machine_load(struct machine *m, const char *elf, uint32_t core);
/* Runs a launch to its end; false: it did not end within `limit` instructions, or faulted. */
int machine_run(struct machine *m, uint32_t op, uint32_t arg, uint64_t limit);
uint32_t machine_lane(const struct machine *m, uint32_t offset);
void machine_set_lane(struct machine *m, uint32_t offset, uint32_t value);
uint32_t *machine_ring(struct machine *m);
/* Takes up to `most` valid slots, clears them, advances head. */
size_t machine_drain(struct machine *m, size_t most);
/* Takes what a core has left in its lane with `overwrite`, from the oldest slot on. */
void machine_drain_overwritten(struct machine *m);
/* Slots that the core has given up with `overwrite` and that no marker had written, by the lane's words. */
uint32_t machine_spoilt(const struct machine *m);
/* machine_head_read that drains everything. */
void machine_drain_all(struct machine *m, void *self);
/* A lane as it is before a run: empty, with this policy. */
void machine_reset_lane(struct machine *m, enum td_policy policy);
/* Address and size of a symbol; false: none. */
int machine_symbol(const struct machine *m, const char *name, uint32_t *address, uint32_t *bytes);
/* A section's contents; NULL: none. */
const void *machine_section(const struct machine *m, const char *name, uint32_t *address, size_t *bytes);
