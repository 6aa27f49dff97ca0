#include "host/tools/export/parquet_encode.h"

#define GROUP      8   /* values that are packed together, and shortest run */
#define BLOCK      128 /* differences */
#define MINIBLOCK  32
#define MINIBLOCKS (BLOCK / MINIBLOCK)

/* ---- packing ---- */

struct parquet_packing {
    uint8_t *to;
    uint64_t bits;
    unsigned held; /* bits that are not written yet; fewer than 32 */
};

static inline void pack_bits(struct parquet_packing *p, uint64_t value, unsigned width)
{
    p->bits |= value << p->held;
    p->held += width;
    while (p->held >= 8) {
        *p->to++ = (uint8_t)p->bits;
        p->bits >>= 8;
        p->held -= 8;
    }
}

/* At most 64 bits. */
static inline void pack_wide(struct parquet_packing *p, uint64_t value, unsigned width)
{
    if (width > 32) {
        pack_bits(p, value & UINT32_MAX, 32);
        value >>= 32;
        width -= 32;
    }
    pack_bits(p, value, width);
}

/* ---- runs and groups ---- */

static size_t run_length(const uint32_t *values, size_t count)
{
    size_t n = 1;
    while (n < count && values[n] == values[0])
        n++;
    return n;
}

static void put_run(struct td_byte_buffer *to, uint32_t value, size_t count, unsigned width)
{
    td_byte_buffer_number(to, (uint64_t)count << 1);
    for (unsigned bits = 0; bits < width; bits += 8)
        td_byte_buffer_byte(to, (uint8_t)(value >> bits));
}

/* Groups until a run begins with one. */
static size_t groups_before_run(const uint32_t *values, size_t count)
{
    size_t at = 0;
    do
        at += GROUP;
    while (at + GROUP <= count && run_length(values + at, GROUP) < GROUP);
    return at / GROUP;
}

static size_t put_groups(struct td_byte_buffer *to, const uint32_t *values, size_t count, unsigned width)
{
    size_t groups = groups_before_run(values, count);
    if (groups * GROUP + GROUP > count && groups * GROUP < count)
        groups++; /* the last values are a group of their own */
    td_byte_buffer_number(to, (uint64_t)groups << 1 | 1);
    struct parquet_packing p = {.to = td_byte_buffer_extend(to, groups * width)};
    for (size_t i = 0; p.to && i < groups * GROUP; i++)
        pack_bits(&p, i < count ? values[i] : 0, width);
    return groups * GROUP;
}

void parquet_put_hybrid(struct td_byte_buffer *to, const uint32_t *values, size_t count, unsigned width)
{
    for (size_t i = 0; i < count;) {
        const size_t run = run_length(values + i, count - i);
        if (run >= GROUP)
            put_run(to, values[i], run, width);
        i += run >= GROUP ? run : put_groups(to, values + i, count - i, width);
    }
}

/* ---- differences ---- */

static void put_miniblock(struct td_byte_buffer *to, const uint64_t *more, unsigned width)
{
    struct parquet_packing p = {.to = td_byte_buffer_extend(to, MINIBLOCK / 8 * width)};
    for (size_t i = 0; p.to && i < MINIBLOCK; i++)
        pack_wide(&p, more[i], width);
}

/* Up to BLOCK values; before[0] is the value before the first. */
static void put_block(struct td_byte_buffer *to, const int64_t *before, size_t count)
{
    uint64_t more[BLOCK] = {0};
    uint8_t width[MINIBLOCKS] = {0};
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < count; i++) {
        more[i] = (uint64_t)before[i + 1] - (uint64_t)before[i];
        least = (int64_t)more[i] < least ? (int64_t)more[i] : least;
    }
    for (size_t i = 0; i < count; i++)
        more[i] -= (uint64_t)least;
    for (size_t m = 0; m < MINIBLOCKS; m++) {
        uint64_t all = 0;
        for (size_t i = 0; i < MINIBLOCK; i++)
            all |= more[m * MINIBLOCK + i];
        width[m] = (uint8_t)parquet_width(all);
    }
    td_byte_buffer_signed(to, least);
    td_byte_buffer_append(to, width, sizeof width);
    for (size_t m = 0; m < MINIBLOCKS && m * MINIBLOCK < count; m++)
        put_miniblock(to, more + m * MINIBLOCK, width[m]);
}

void parquet_put_delta(struct td_byte_buffer *to, const int64_t *values, size_t count)
{
    td_byte_buffer_number(to, BLOCK);
    td_byte_buffer_number(to, MINIBLOCKS);
    td_byte_buffer_number(to, count);
    td_byte_buffer_signed(to, count ? values[0] : 0);
    for (size_t i = 1; i < count; i += BLOCK)
        put_block(to, values + i - 1, count - i < BLOCK ? count - i : BLOCK);
}
