/* The file being written: payload bytes in, blocks of several Zstd streams out, compressed by a thread each.
 *
 * Errors stick: after the first one all puts do nothing, and td_out_finish() reports it. */
#ifndef TD_HOST_FILE_OUT_H
#define TD_HOST_FILE_OUT_H
#include "host/base/err.h"
#include "host/file/format.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct td_out_lane;

struct td_out {
    uint8_t *block; /* room for TD_FILE_BLOCK_BYTES + 8 */
    size_t at;
    int64_t reference_ns; /* of put_time() */
    struct td_out_lane *lanes;
    int streams, lane, failed;
    int fd;
    uint8_t *pending; /* bytes on their way to the file */
    size_t pending_bytes;
    char *path, *temporary;
    struct td_err err;
};

/* Opens a temporary file beside `path`. On an error nothing is left behind. */
int td_out_open(struct td_out *out, const char *path, int streams, int level, struct td_err *err);
/* Finishes and puts the file in its place, or (abandon, or after an error) removes it. `err` gets the first
 * error. */
int td_out_finish(struct td_out *out, int abandon, struct td_err *err);

void td_out_flush_(struct td_out *out);
void td_out_bytes(struct td_out *out, const void *data, size_t bytes);

static inline void td_out_integer_(struct td_out *out, uint64_t value, unsigned bytes)
{
    uint8_t *at = out->block + out->at; /* a block has room for 8 more */
    for (unsigned i = 0; i < 8; i++)
        at[i] = (uint8_t)(value >> 8 * i);
    out->at += bytes;
    if (__builtin_expect(out->at >= TD_FILE_BLOCK_BYTES, 0))
        td_out_flush_(out);
}
static inline void td_out_u8(struct td_out *out, uint32_t value)
{
    td_out_integer_(out, value, 1);
}
static inline void td_out_u16(struct td_out *out, uint32_t value)
{
    td_out_integer_(out, value, 2);
}
static inline void td_out_u24(struct td_out *out, uint32_t value)
{
    td_out_integer_(out, value, 3);
}
static inline void td_out_u32(struct td_out *out, uint32_t value)
{
    td_out_integer_(out, value, 4);
}
static inline void td_out_u64(struct td_out *out, uint64_t value)
{
    td_out_integer_(out, value, 8);
}
static inline void td_out_f64(struct td_out *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    td_out_u64(out, bits);
}
/* Difference to the reference, which becomes this time. */
static inline void td_out_time(struct td_out *out, int64_t time_ns)
{
    td_out_u64(out, (uint64_t)time_ns - (uint64_t)out->reference_ns);
    out->reference_ns = time_ns;
}
static inline void td_out_text(struct td_out *out, const char *text, size_t bytes)
{
    td_out_u64(out, bytes);
    td_out_bytes(out, text, bytes);
}
#endif
