#include "proto/probe/frame.h"

#include "proto/probe/memory.h"

#define RUN_MAX 254

/* clang-format off */
/* X(n, remainders of the reflected polynomial 0xedb88320 of a byte with bit 0, 1 ... 7 that n other bytes follow). Those of
 * other bytes are their sums. Without a C library, where memory is small, one byte at a time is taken. */
#define NO_BYTE_FOLLOWS(X) \
    X(0, 0x77073096, 0xee0e612c, 0x076dc419, 0x0edb8832, 0x1db71064, 0x3b6e20c8, 0x76dc4190, 0xedb88320)
#if __STDC_HOSTED__
#define UP_TO_7_BYTES_FOLLOW(X) NO_BYTE_FOLLOWS(X) \
    X(1, 0x191b3141, 0x32366282, 0x646cc504, 0xc8d98a08, 0x4ac21251, 0x958424a2, 0xf0794f05, 0x3b83984b) \
    X(2, 0x01c26a37, 0x0384d46e, 0x0709a8dc, 0x0e1351b8, 0x1c26a370, 0x384d46e0, 0x709a8dc0, 0xe1351b80) \
    X(3, 0xb8bc6765, 0xaa09c88b, 0x8f629757, 0xc5b428ef, 0x5019579f, 0xa032af3e, 0x9b14583d, 0xed59b63b) \
    X(4, 0x3d6029b0, 0x7ac05360, 0xf580a6c0, 0x30704bc1, 0x60e09782, 0xc1c12f04, 0x58f35849, 0xb1e6b092) \
    X(5, 0xcb5cd3a5, 0x4dc8a10b, 0x9b914216, 0xec53826d, 0x03d6029b, 0x07ac0536, 0x0f580a6c, 0x1eb014d8) \
    X(6, 0xa6770bb4, 0x979f1129, 0xf44f2413, 0x33ef4e67, 0x67de9cce, 0xcfbd399c, 0x440b7579, 0x8816eaf2) \
    X(7, 0xccaa009e, 0x4225077d, 0x844a0efa, 0xd3e51bb5, 0x7cbb312b, 0xf9766256, 0x299dc2ed, 0x533b85da)
#define STEP 8
#else
#define UP_TO_7_BYTES_FOLLOW(X) NO_BYTE_FOLLOWS(X)
#define STEP 1
#endif

#define OF_BYTE(byte, b0, b1, b2, b3, b4, b5, b6, b7)                                                             \
    (((byte)&1 ? (b0) : 0) ^ ((byte)&2 ? (b1) : 0) ^ ((byte)&4 ? (b2) : 0) ^ ((byte)&8 ? (b3) : 0) ^              \
     ((byte)&16 ? (b4) : 0) ^ ((byte)&32 ? (b5) : 0) ^ ((byte)&64 ? (b6) : 0) ^ ((byte)&128 ? (b7) : 0))
#define OF_4(byte, ...)   OF_BYTE(byte, __VA_ARGS__), OF_BYTE((byte) + 1, __VA_ARGS__), \
                          OF_BYTE((byte) + 2, __VA_ARGS__), OF_BYTE((byte) + 3, __VA_ARGS__)
#define OF_16(byte, ...)  OF_4(byte, __VA_ARGS__), OF_4((byte) + 4, __VA_ARGS__), \
                          OF_4((byte) + 8, __VA_ARGS__), OF_4((byte) + 12, __VA_ARGS__)
#define OF_64(byte, ...)  OF_16(byte, __VA_ARGS__), OF_16((byte) + 16, __VA_ARGS__), \
                          OF_16((byte) + 32, __VA_ARGS__), OF_16((byte) + 48, __VA_ARGS__)
#define TABLE(n, ...)     {OF_64(0, __VA_ARGS__), OF_64(64, __VA_ARGS__), OF_64(128, __VA_ARGS__), OF_64(192, __VA_ARGS__)},
static const uint32_t crc_tables[STEP][256] = {UP_TO_7_BYTES_FOLLOW(TABLE)};
/* clang-format on */

uint32_t td_frame_crc(const void *bytes, uint32_t n)
{
    const uint8_t *b = bytes;
    uint32_t crc = UINT32_MAX;
#if STEP == 8
    for (; n >= 8; n -= 8, b += 8) {
        crc ^= b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
        crc = crc_tables[7][crc & 0xff] ^ crc_tables[6][crc >> 8 & 0xff] ^ crc_tables[5][crc >> 16 & 0xff] ^
              crc_tables[4][crc >> 24] ^ crc_tables[3][b[4]] ^ crc_tables[2][b[5]] ^ crc_tables[1][b[6]] ^
              crc_tables[0][b[7]];
    }
#endif
    for (; n; n--, b++)
        crc = crc >> 8 ^ crc_tables[0][(crc ^ *b) & 0xff];
    return ~crc;
}

/* In place of each 0x00, and before the first byte, is the distance to the next one, which is known only then: so it is
 * written again with each byte. That takes no branch which the data decide. */
struct stuffing {
    uint8_t *run, *to; /* the current run's length byte; where the next byte goes */
};

static void stuff(struct stuffing *s, const uint8_t *bytes, uint32_t n)
{
    uint8_t *run = s->run, *to = s->to;
    for (uint32_t i = 0; i < n; i++) {
        *to = bytes[i];
        *run = (uint8_t)(to - run);
        run = bytes[i] ? run : to;
        to++;
        if (to - run > RUN_MAX) {
            *run = RUN_MAX + 1;
            run = to++;
        }
    }
    s->run = run;
    s->to = to;
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
