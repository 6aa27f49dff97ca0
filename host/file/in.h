/* Reads a trace file: unpacks the blocks of its compressed streams and gives the payload's bytes.
 *
 * The file is not trusted: every length is checked. The first error sticks: after it, all functions return
 * zeros, so loops over counts from the file only need to check `failed`.
 *
 * The caller's thread decodes small files. For others, threads decode blocks in advance. A td_in belongs to
 * one thread. */
#pragma once
#include "host/base/err.h"
#include "host/base/progress.h"
#include "host/file/bytes.h"
#include "host/file/format.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct td_in_blocks;

struct td_in_options { /* all zero: the defaults */
    int threads;       /* 0: as many as processors; 1: the caller alone */
    /* Gets the bytes read and the size of the file (0 for a pipe). Called in the caller's thread. */
    struct td_progress progress;
};

struct td_in {
    const uint8_t *block; /* decoded; valid until the next one */
    size_t at, bytes;
    uint64_t before;      /* payload bytes before the block; see td_in_offset() */
    int64_t reference_ns; /* of td_in_time() */
    uint32_t version;     /* of the payload, set by its reader */
    int failed;           /* code of the first error */
    const char *section;  /* for error messages */
    struct td_in_blocks *blocks;
    const char *path; /* the file's name in messages */
    struct td_err *err;
};

/* Opens a file, or standard input ("-"). `options` may be NULL. `path` and `err` must live as long as `in`;
 * `err` also gets the first error of all later calls. On an error `in` is closed. */
int td_in_open(struct td_in *in, const char *path, const struct td_in_options *options, struct td_err *err);
void td_in_close(struct td_in *in);

/* Make `in` fail unless it has already; the first with "'PATH' is damaged: WHAT (in SECTION)". */
void td_in_damaged(struct td_in *in, const char *what);
void td_in_no_memory(struct td_in *in);
/* Goes to the next block. Returns 0, or the negative `in->failed`. */
int td_in_next_block_(struct td_in *in);
uint64_t td_in_slow_(struct td_in *in, unsigned bytes);
void td_in_bytes(struct td_in *in, void *to, size_t bytes);
void td_in_skip(struct td_in *in, uint64_t bytes);

/* Payload bytes read so far; does not change after an error. */
static inline uint64_t td_in_offset(const struct td_in *in)
{
    return in->before + in->at;
}

/* The next `bytes` bytes in one piece: in the block or, if they continue in the next block, copied to `room`,
 * which has as many bytes. Zeros after an error. */
static inline const uint8_t *td_in_item(struct td_in *in, size_t bytes, uint8_t *room)
{
    if (__builtin_expect(in->bytes - in->at < bytes, 0)) {
        td_in_bytes(in, room, bytes);
        return room;
    }
    in->at += bytes;
    return in->block + in->at - bytes;
}

static inline uint64_t td_in_integer_(struct td_in *in, unsigned bytes)
{
    if (__builtin_expect(in->bytes - in->at < 8, 0))
        return td_in_slow_(in, bytes);
    uint64_t value = td_bytes_get(in->block + in->at, 8);
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
/* A time, kept as a difference to the reference, which becomes this time. */
static inline int64_t td_in_time(struct td_in *in)
{
    in->reference_ns = (int64_t)((uint64_t)in->reference_ns + td_in_u64(in));
    return in->reference_ns;
}
