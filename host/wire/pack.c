#include "host/wire/pack.h"

#include <lz4.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* LZ4 refers back to this many bytes before a frame. */
#define HISTORY_BYTES ((size_t)64 << 10)

/* The sender writes frames one after the other into a ring of three, where the bytes before a frame stay. */
#define RING_BYTES (3 * TD_WIRE_FRAME_MAX)
#define RING_TURN  (2 * TD_WIRE_FRAME_MAX)

/* The receiver moves the history to the front of its buffer when that has no room for another frame: a
 * smaller buffer stays in the processor's cache. */
#define UNPACKED_BYTES (2 * HISTORY_BYTES + TD_WIRE_FRAME_MAX)

struct td_packer {
    LZ4_stream_t lz4;
    size_t start, used; /* the open frame in ring */
    uint8_t packed[4 + TD_WIRE_PACKED_MAX];
    uint8_t ring[RING_BYTES];
};

/* Not from malloc(), which records allocations in an instrumented program. */
struct td_packer *td_packer_create(void)
{
    struct td_packer *packer =
        mmap(NULL, sizeof *packer, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (packer == MAP_FAILED)
        return NULL;
    td_packer_reset(packer);
    return packer;
}

void td_packer_destroy(struct td_packer *packer)
{
    if (packer)
        munmap(packer, sizeof *packer);
}

void td_packer_reset(struct td_packer *packer)
{
    LZ4_initStream(&packer->lz4, sizeof packer->lz4);
    packer->start = packer->used = 0;
}

uint8_t *td_packer_at(struct td_packer *packer)
{
    return packer->ring + packer->start + packer->used;
}

size_t td_packer_room(const struct td_packer *packer)
{
    return TD_WIRE_FRAME_MAX - packer->used;
}

size_t td_packer_used(const struct td_packer *packer)
{
    return packer->used;
}

void td_packer_add(struct td_packer *packer, size_t bytes)
{
    packer->used += bytes;
}

size_t td_packer_set_aside(struct td_packer *packer, uint8_t *to)
{
    size_t bytes = packer->used;
    memcpy(to, packer->ring + packer->start, bytes);
    packer->used = 0;
    return bytes;
}

size_t td_packer_pack(struct td_packer *packer, const uint8_t **out)
{
    if (!packer->used)
        return 0;
    int n = LZ4_compress_fast_continue(&packer->lz4, (const char *)packer->ring + packer->start,
                                       (char *)packer->packed + 4, (int)packer->used, TD_WIRE_PACKED_MAX, 1);
    uint32_t count = n < 0 ? 0 : (uint32_t)n;
    memcpy(packer->packed, &count, 4);
    packer->start += packer->used;
    packer->used = 0;
    if (packer->start > RING_TURN)
        packer->start = 0;
    *out = packer->packed;
    return 4 + (size_t)count;
}

struct td_unpacker {
    LZ4_streamDecode_t lz4;
    size_t start;      /* in unpacked, of the next frame */
    size_t begin, end; /* in in, of the bytes that are not yet frames */
    bool broken;
    uint8_t in[2 * (4 + TD_WIRE_PACKED_MAX)];
    uint8_t unpacked[UNPACKED_BYTES];
};

struct td_unpacker *td_unpacker_create(void)
{
    struct td_unpacker *unpacker = malloc(sizeof *unpacker);
    if (!unpacker)
        return NULL;
    LZ4_setStreamDecode(&unpacker->lz4, NULL, 0);
    unpacker->start = unpacker->begin = unpacker->end = 0;
    unpacker->broken = false;
    return unpacker;
}

void td_unpacker_destroy(struct td_unpacker *unpacker)
{
    free(unpacker);
}

size_t td_unpacker_room(struct td_unpacker *unpacker, uint8_t **at)
{
    if (unpacker->begin && sizeof unpacker->in - unpacker->end < 4 + TD_WIRE_PACKED_MAX) {
        unpacker->end -= unpacker->begin;
        memmove(unpacker->in, unpacker->in + unpacker->begin, unpacker->end);
        unpacker->begin = 0;
    }
    *at = unpacker->in + unpacker->end;
    return sizeof unpacker->in - unpacker->end;
}

void td_unpacker_fed(struct td_unpacker *unpacker, size_t bytes)
{
    unpacker->end += bytes;
}

size_t td_unpacker_waiting(const struct td_unpacker *unpacker)
{
    return unpacker->end - unpacker->begin;
}

/* Makes room for a frame after the one that was returned last. */
static void make_room(struct td_unpacker *unpacker)
{
    const size_t start = unpacker->start, history = start < HISTORY_BYTES ? start : HISTORY_BYTES;
    if (sizeof unpacker->unpacked - start >= TD_WIRE_FRAME_MAX)
        return;
    memmove(unpacker->unpacked, unpacker->unpacked + start - history, history);
    LZ4_setStreamDecode(&unpacker->lz4, (const char *)unpacker->unpacked, (int)history);
    unpacker->start = history;
}

int td_unpacker_next(struct td_unpacker *unpacker, const uint8_t **frame, struct td_err *err)
{
    size_t have = unpacker->end - unpacker->begin;
    if (unpacker->broken || have < 4)
        return 0;
    uint32_t count;
    memcpy(&count, unpacker->in + unpacker->begin, 4);
    if (!count || count > TD_WIRE_PACKED_MAX) {
        unpacker->broken = true;
        return td_fail(err, TD_E_FORMAT, "network stream: a frame of %u bytes; at most %u are allowed", count,
                       TD_WIRE_PACKED_MAX);
    }
    if (have - 4 < count)
        return 0;
    make_room(unpacker);
    uint8_t *to = unpacker->unpacked + unpacker->start;
    int n = LZ4_decompress_safe_continue(&unpacker->lz4, (const char *)unpacker->in + unpacker->begin + 4,
                                         (char *)to, (int)count, TD_WIRE_FRAME_MAX);
    if (n <= 0) {
        unpacker->broken = true;
        return td_fail(err, TD_E_FORMAT, "network stream: a frame of %u bytes does not decompress", count);
    }
    unpacker->begin += 4 + count;
    if (unpacker->begin == unpacker->end)
        unpacker->begin = unpacker->end = 0;
    unpacker->start += (size_t)n;
    *frame = to;
    return n;
}
