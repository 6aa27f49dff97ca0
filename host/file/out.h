/* Writes a trace file: takes the payload's bytes, packs them in threads, and writes blocks of compressed
 * streams. The file does not depend on the number of threads.
 *
 * The first error sticks: after it nothing more is written, and td_out_close() reports it. A td_out
 * belongs to one thread. */
#pragma once
#include "host/base/err.h"
#include "host/base/progress.h"
#include "host/file/bytes.h"
#include "host/file/format.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* How much may be written at once beyond the end of a block; that part moves to the next block. */
#define TD_OUT_RESERVE_BYTES 4096

struct td_out_blocks;
struct td_out_file;
struct td_out_end;

struct td_out_options { /* all zero: the defaults */
    int parallel;       /* 1: the container with several streams (0.11 and later); 0: the classic one */
    enum td_file_packing packing; /* default: Zstd */
    int level;                    /* of Zstd: 1..22; 0: 3 */
    int streams;                  /* of the parallel container, 1..255; 0: 4 */
    int threads;                  /* 0: as many as processors; 1: the caller alone */
    struct td_out_file *file;     /* NULL, or the path opened by the caller, who closes it */
    /* Reports payload bytes written, and td_out.expected. Called in the caller's thread. */
    struct td_progress progress;
};

struct td_out {
    uint8_t *block; /* room for TD_FILE_BLOCK_BYTES + TD_OUT_RESERVE_BYTES */
    size_t at;
    uint64_t before;      /* payload bytes before the block */
    int64_t reference_ns; /* of td_out_time() */
    uint64_t expected;    /* size of the whole payload, for the progress; 0: not known */
    int failed;           /* code of the first error; encoders may check it to end early */
    struct td_out_blocks *blocks;
    struct td_out_file *file, *own_file; /* own_file: to be closed here; NULL: the caller closes `file` */
    struct td_out_end *end;
    struct td_err err;
};

/* Opens a file that replaces `path` when it is complete; standard output ("-"), pipes and devices are written
 * directly. `options` may be NULL. On an error nothing remains open. */
int td_out_open(struct td_out *out, const char *path, const struct td_out_options *options,
                struct td_err *err);
/* Writes the rest and puts the file in its place or, with `abandon` or after an error, removes it. Frees
 * `out`. Reports the first error. */
int td_out_close(struct td_out *out, int abandon, struct td_err *err);

void td_out_flush_(struct td_out *out);
void td_out_bytes(struct td_out *out, const void *data, size_t bytes);

/* Payload bytes written so far. */
static inline uint64_t td_out_offset(const struct td_out *out)
{
    return out->before + out->at;
}

/* For writing many bytes at once: a buffer of at least TD_OUT_RESERVE_BYTES. td_out_commit() writes the first `bytes`
 * of it. */
static inline uint8_t *td_out_reserve(struct td_out *out)
{
    return out->block + out->at;
}
static inline void td_out_commit(struct td_out *out, size_t bytes)
{
    out->at += bytes;
    if (__builtin_expect(out->at >= TD_FILE_BLOCK_BYTES, 0))
        td_out_flush_(out);
}

static inline void td_out_integer_(struct td_out *out, uint64_t value, unsigned bytes)
{
    td_bytes_put(out->block + out->at, value, 8); /* the block always has room for 8 */
    td_out_commit(out, bytes);
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
/* Writes the difference to the reference, which becomes this time. */
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
