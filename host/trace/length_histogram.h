/* Lengths of zones, counted in steps of 0.05 %: for percentiles of any number of them in bounded memory.
 *
 * Several threads may add to one histogram. Counts are allocated in blocks by the first length in them: most zones of
 * a name have similar lengths. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#define TD_LENGTH_STEPS_LOG2 11u
#define TD_LENGTH_BLOCK      64u /* steps */
#define TD_LENGTH_BLOCKS     ((1u << TD_LENGTH_STEPS_LOG2) / TD_LENGTH_BLOCK)
/* Octave 0: the lengths below 2048; octave k: those from 2048 << (k - 1) on. */
#define TD_LENGTH_OCTAVES (64u - TD_LENGTH_STEPS_LOG2)

struct td_length_octave;

struct td_length_histogram {                             /* all zero: empty */
    struct td_length_octave *octaves[TD_LENGTH_OCTAVES]; /* atomic, as the blocks and counts in them are */
};

/* Counts a length, which is not negative. 0 or TD_E_NOMEM. */
int td_length_histogram_add(struct td_length_histogram *h, int64_t length);
/* The length that the part `fraction` of `count` lengths, which is all that were counted, does not exceed, if those of a
 * step were evenly spaced; within min and max, which are the least and the greatest of them. 0: there are none. */
int64_t td_length_histogram_at(const struct td_length_histogram *h, uint64_t count, double fraction,
                               int64_t min, int64_t max);
void td_length_histogram_free(struct td_length_histogram *h);
