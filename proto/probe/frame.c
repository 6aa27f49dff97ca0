#include "proto/probe/frame.h"

#include "proto/probe/memory.h"

#define RUN_MAX 254

#ifdef __linux__
#include <zlib.h>

uint32_t td_frame_crc(const void *bytes, uint32_t n)
{
    return (uint32_t)crc32(0, bytes, n);
}
#else
/* clang-format off */
/* The remainders of the reflected polynomial 0xedb88320 of a byte with bit 0, 1 ... 7; those of other bytes are their
 * sums. */
#define OF_BYTE(byte)                                                                                             \
    (((byte)&1 ? 0x77073096 : 0) ^ ((byte)&2 ? 0xee0e612c : 0) ^ ((byte)&4 ? 0x076dc419 : 0) ^                    \
     ((byte)&8 ? 0x0edb8832 : 0) ^ ((byte)&16 ? 0x1db71064 : 0) ^ ((byte)&32 ? 0x3b6e20c8 : 0) ^                  \
     ((byte)&64 ? 0x76dc4190 : 0) ^ ((byte)&128 ? 0xedb88320 : 0))
#define OF_4(byte)  OF_BYTE(byte), OF_BYTE((byte) + 1), OF_BYTE((byte) + 2), OF_BYTE((byte) + 3)
#define OF_16(byte) OF_4(byte), OF_4((byte) + 4), OF_4((byte) + 8), OF_4((byte) + 12)
#define OF_64(byte) OF_16(byte), OF_16((byte) + 16), OF_16((byte) + 32), OF_16((byte) + 48)
static const uint32_t crc_table[256] = {OF_64(0), OF_64(64), OF_64(128), OF_64(192)};
/* clang-format on */

uint32_t td_frame_crc(const void *bytes, uint32_t n)
{
    const uint8_t *b = bytes;
    uint32_t crc = UINT32_MAX;
    for (; n; n--, b++)
        crc = crc >> 8 ^ crc_table[(crc ^ *b) & 0xff];
    return ~crc;
}
#endif

/* In place of each 0x00, and before the first byte, is the distance to the next one, which is known only then: so it is
 * written again with each byte. That takes no branch which the data decide. */
struct stuffing {
    uint8_t *run, *to; /* the current run's length byte; where the next byte goes */
};

#ifdef __linux__
/* The highest bit of each byte that is 0. */
static uint64_t zero_bytes(uint64_t word)
{
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    return ~(((word & low) + low) | word | low);
}

/* As many groups of eight bytes as do not end a run of 254. Returns the number of bytes. */
static uint32_t stuff_eights(struct stuffing *s, const uint8_t *bytes, uint32_t n)
{
    uint8_t *run = s->run, *to = s->to;
    uint32_t i = 0;
    for (uint64_t word; n - i >= sizeof word && to - run <= RUN_MAX - (int)sizeof word; i += sizeof word) {
        memcpy(&word, bytes + i, sizeof word);
        memcpy(to, &word, sizeof word);
        for (uint64_t zeros = zero_bytes(word); zeros; zeros &= zeros - 1) {
            uint8_t *zero = to + __builtin_ctzll(zeros) / 8;
            *run = (uint8_t)(zero - run);
            run = zero;
        }
        to += sizeof word;
    }
    s->run = run;
    s->to = to;
    return i;
}
#else
static uint32_t stuff_eights(struct stuffing *s, const uint8_t *bytes, uint32_t n)
{
    (void)s, (void)bytes, (void)n;
    return 0; /* there, one byte at a time is as good */
}
#endif

static void stuff(struct stuffing *s, const uint8_t *bytes, uint32_t n)
{
    for (uint32_t i = stuff_eights(s, bytes, n); i < n; i += stuff_eights(s, bytes + i, n - i)) {
        *s->to = bytes[i];
        *s->run = (uint8_t)(s->to - s->run);
        s->run = bytes[i++] ? s->run : s->to;
        s->to++;
        if (s->to - s->run > RUN_MAX) {
            *s->run = RUN_MAX + 1;
            s->run = s->to++;
        }
    }
}

uint32_t td_frame_encode(const void *message, uint32_t bytes, uint8_t *to)
{
    const uint32_t crc = td_frame_crc(message, bytes);
    const uint8_t check[4] = {(uint8_t)crc, (uint8_t)(crc >> 8), (uint8_t)(crc >> 16), (uint8_t)(crc >> 24)};
    struct stuffing s = {to + 1, to + 2};
    to[0] = 0;
    stuff(&s, message, bytes);
    stuff(&s, check, sizeof check);
    *s.run = (uint8_t)(s.to - s.run);
    *s.to++ = 0;
    return (uint32_t)(s.to - to);
}

void td_frame_decoder_init(struct td_frame_decoder *d, uint8_t *buffer, uint32_t room)
{
    memset(d, 0, sizeof *d);
    d->buffer = buffer;
    d->room = room;
}

/* At the 0x00 that ends a frame. Returns the length of its message; 0: the frame is empty or bad. */
static uint32_t end_frame(struct td_frame_decoder *d)
{
    uint32_t bytes = 0;
    if (d->raw == 0)
        return 0; /* two 0x00 in a row: the end of one frame, the begin of the next */
    if (!d->bad && d->left == 0 && d->filled > 4) {
        const uint8_t *check = d->buffer + d->filled - 4;
        uint32_t crc =
            check[0] | (uint32_t)check[1] << 8 | (uint32_t)check[2] << 16 | (uint32_t)check[3] << 24;
        if (crc == td_frame_crc(d->buffer, d->filled - 4))
            bytes = d->filled - 4;
    }
    if (bytes) {
        d->stats.frames++;
    } else {
        d->stats.bad_frames++;
        d->stats.bad_bytes += d->raw;
    }
    return bytes;
}

static void put_byte(struct td_frame_decoder *d, uint8_t byte)
{
    if (d->filled == d->room)
        d->bad = 1;
    else
        d->buffer[d->filled++] = byte;
}

uint32_t td_frame_decode(struct td_frame_decoder *d, const uint8_t *bytes, uint32_t n, uint32_t *used)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t byte = bytes[i];
        if (byte == 0) {
            uint32_t message = end_frame(d);
            d->filled = d->raw = 0;
            d->left = d->zero_follows = d->bad = 0;
            *used = i + 1;
            if (message)
                return message;
            continue;
        }
        d->raw++;
        if (d->left) {
            d->left--;
            put_byte(d, byte);
            continue;
        }
        if (d->zero_follows)
            put_byte(d, 0);
        d->left = (uint8_t)(byte - 1);
        d->zero_follows = byte <= RUN_MAX;
    }
    *used = n;
    return 0;
}
