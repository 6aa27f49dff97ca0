/* The file being read: blocks of one or several compressed streams in, payload bytes out.
 *
 * Nothing that the file says is trusted: every length is checked, and the first error sticks: from then on
 * all gets give zeros, so loops over counts from the file need only look at `failed`. */
#ifndef TD_HOST_FILE_IN_H
#define TD_HOST_FILE_IN_H
#include "host/base/err.h"
#include "host/file/format.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct td_in_lane;

struct td_in {
    const uint8_t *block; /* decoded */
    size_t at, bytes;
    int64_t reference_ns; /* of td_in_time() */
    uint32_t version;     /* of the payload, set by its reader */
    int failed;           /* code of the first error */
    const char *section;  /* for error messages */
    struct td_in_lane *lanes;
    int streams, lane, compression, last;
    uint8_t *packed;
    FILE *file;
    const char *path;
    struct td_err *err;
};

int td_in_open(struct td_in *in, const char *path, struct td_err *err);
void td_in_close(struct td_in *in);

/* Refuses the file: "'PATH' is damaged: WHAT (in SECTION)". */
void td_in_damaged(struct td_in *in, const char *what);
void td_in_no_memory(struct td_in *in);
int td_in_next_block_(struct td_in *in);
uint64_t td_in_slow_(struct td_in *in, unsigned bytes);
void td_in_bytes(struct td_in *in, void *to, size_t bytes);
void td_in_skip(struct td_in *in, uint64_t bytes);
/* Skips `count` items of `bytes` each. */
void td_in_skip_items(struct td_in *in, uint64_t count, uint64_t bytes);

static inline uint64_t td_in_integer_(struct td_in *in, unsigned bytes)
{
    if (__builtin_expect(in->bytes - in->at < 8, 0))
        return td_in_slow_(in, bytes);
    const uint8_t *from = in->block + in->at;
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++)
        value |= (uint64_t)from[i] << 8 * i;
    in->at += bytes;
    return bytes == 8 ? value : value & ((UINT64_C(1) << 8 * bytes) - 1);
}
static inline uint8_t td_in_u8(struct td_in *in)
{
    return (uint8_t)td_in_integer_(in, 1);
}
static inline uint16_t td_in_u16(struct td_in *in)
{
    return (uint16_t)td_in_integer_(in, 2);
}
static inline uint32_t td_in_u24(struct td_in *in)
{
    return (uint32_t)td_in_integer_(in, 3);
}
static inline uint32_t td_in_u32(struct td_in *in)
{
    return (uint32_t)td_in_integer_(in, 4);
}
static inline uint64_t td_in_u64(struct td_in *in)
{
    return td_in_integer_(in, 8);
}
static inline double td_in_f64(struct td_in *in)
{
    uint64_t bits = td_in_u64(in);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
/* A difference to the reference, which becomes this time. */
static inline int64_t td_in_time(struct td_in *in)
{
    in->reference_ns = (int64_t)((uint64_t)in->reference_ns + td_in_u64(in));
    return in->reference_ns;
}
#endif
