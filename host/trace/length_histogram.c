#include "host/trace/length_histogram.h"
#include "host/base/err.h"
#include "host/base/percentile.h"

#include <stdlib.h>

#define STEPS (1u << TD_LENGTH_STEPS_LOG2)

struct td_length_octave {
    uint32_t *blocks[TD_LENGTH_BLOCKS];
};

static unsigned step_of(uint64_t length, unsigned *step)
{
    unsigned octave = length < STEPS ? 0 : 64u - TD_LENGTH_STEPS_LOG2 - (unsigned)__builtin_clzll(length);
    *step = (unsigned)(length >> (octave ? octave - 1 : 0)) & (STEPS - 1);
    return octave;
}

/* The least length of a step. */
static uint64_t least_of(unsigned octave, unsigned step)
{
    return octave ? (uint64_t)(STEPS | step) << (octave - 1) : step;
}

/* What `at` points to, made by the first caller. NULL: no memory. */
static void *make_once(void **at, size_t bytes)
{
    void *there = __atomic_load_n(at, __ATOMIC_ACQUIRE);
    if (there)
        return there;
    void *made = calloc(1, bytes);
    if (made && !__atomic_compare_exchange_n(at, &there, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        free(made);
        return there;
    }
    return made;
}

int td_length_histogram_add(struct td_length_histogram *h, int64_t length)
{
    unsigned step, octave = step_of((uint64_t)length, &step);
    struct td_length_octave *o = make_once((void **)&h->octaves[octave], sizeof *o);
    uint32_t *counts =
        o ? make_once((void **)&o->blocks[step / TD_LENGTH_BLOCK], TD_LENGTH_BLOCK * sizeof *counts) : NULL;
    if (!counts)
        return TD_E_NOMEM;
    __atomic_fetch_add(&counts[step % TD_LENGTH_BLOCK], 1, __ATOMIC_RELAXED);
    return 0;
}

/* The length of number `number` in order of length; `none`: there are not so many. */
static int64_t length_at(const struct td_length_histogram *h, uint64_t number, int64_t none)
{
    for (unsigned octave = 0; octave < TD_LENGTH_OCTAVES; octave++) {
        const struct td_length_octave *o = h->octaves[octave];
        for (unsigned step = 0; o && step < STEPS; step++) {
            const uint32_t *counts = o->blocks[step / TD_LENGTH_BLOCK];
            if (!counts) {
                step += TD_LENGTH_BLOCK - 1;
                continue;
            }
            uint64_t count = counts[step % TD_LENGTH_BLOCK];
            if (number >= count) {
                number -= count;
                continue;
            }
            uint64_t wide = octave ? UINT64_C(1) << (octave - 1) : 1;
            return (int64_t)(least_of(octave, step) +
                             (uint64_t)((double)wide * ((double)number + 0.5) / (double)count));
        }
    }
    return none;
}

int64_t td_length_histogram_at(const struct td_length_histogram *h, uint64_t count, double fraction,
                               int64_t min, int64_t max)
{
    if (!count)
        return 0;
    int64_t length = length_at(h, td_percentile_rank(count, fraction), max);
    length = length < min ? min : length;
    return length > max ? max : length;
}

void td_length_histogram_free(struct td_length_histogram *h)
{
    for (unsigned octave = 0; octave < TD_LENGTH_OCTAVES; octave++) {
        for (unsigned b = 0; h->octaves[octave] && b < TD_LENGTH_BLOCKS; b++)
            free(h->octaves[octave]->blocks[b]);
        free(h->octaves[octave]);
        h->octaves[octave] = NULL;
    }
}
