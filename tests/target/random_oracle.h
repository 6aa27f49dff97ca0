/* What the kernel of tests/target/kernels/random.c has emitted, by its own words in L1, and whether what arrived from
 * its lane is that. A check that fails ends the running cmocka test. */
#pragma once
#include "tests/target/records.h"

/* Those from SUM1 on are no zones of .td_open: sums, which make one packet each, and a zone that is never
 * off. */
enum { SUM1 = 5, SUM2, MAIN, ZONES };
extern const char *const random_zones[ZONES];

struct random_arrived {
    uint64_t zones, begins, others, exits, opens, sums, summed, told_zones, told_others;
};
/* What the kernel emitted. */
struct random_emitted {
    uint32_t zones, opens, others; /* opens: kinds of zones that were marked as open at an exit */
    uint32_t sums, summed;         /* packets at the launch's end, and zones that they add up */
    uint32_t unsure;               /* of the zones: may neither have arrived nor been lost */
    bool faulted, muted;
};

/* Kinds of zones that are off, as bits. */
uint32_t random_zones_off(uint32_t seed);
uint32_t random_word(const struct machine *m, const char *symbol, unsigned index);
/* stamped: zones before SUM1 are in the timestamper's stream. */
struct random_emitted random_read_emitted(const struct machine *m, uint32_t off, bool stamped);
/* Each line that arrived is that of a marker after those of the lines before it; `gaps`: some may lack. */
struct random_arrived random_check_lines(const struct records *r, const uint8_t *kinds, uint32_t emitted,
                                         bool gaps);
void random_check_counts(const struct machine *m, const struct random_arrived *a,
                         const struct random_emitted *e, enum td_policy policy);
