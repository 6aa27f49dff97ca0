#include "host/base/checksum.h"

#include <string.h>

static const uint64_t prime1 = UINT64_C(0x9e3779b185ebca87), prime2 = UINT64_C(0xc2b2ae3d27d4eb4f),
                      prime3 = UINT64_C(0x165667b19e3779f9), prime4 = UINT64_C(0x85ebca77c2b2ae63),
                      prime5 = UINT64_C(0x27d4eb2f165667c5);

static uint64_t turn(uint64_t value, int bits)
{
    return value << bits | value >> (64 - bits);
}

static uint64_t load64(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint64_t mix(uint64_t sum, uint64_t word)
{
    return turn(sum + word * prime2, 31) * prime1;
}

static uint64_t join_sums(uint64_t all, uint64_t sum)
{
    return (all ^ mix(0, sum)) * prime1 + prime4;
}

/* The bytes after the last whole 32. */
static uint64_t mix_rest(uint64_t all, const uint8_t *at, size_t count)
{
    for (; count >= 8; at += 8, count -= 8)
        all = turn(all ^ mix(0, load64(at)), 27) * prime1 + prime4;
    if (count >= 4) {
        uint32_t word;
        memcpy(&word, at, sizeof word);
        all = turn(all ^ word * prime1, 23) * prime2 + prime3;
        at += 4;
        count -= 4;
    }
    for (; count; at++, count--)
        all = turn(all ^ *at * prime5, 11) * prime1;
    return all;
}

uint64_t td_checksum(const void *bytes, size_t count)
{
    const uint8_t *at = bytes;
    uint64_t all = prime5;
    size_t left = count;
    if (count >= 32) {
        uint64_t sum[4] = {prime1 + prime2, prime2, 0, -prime1};
        for (; left >= 32; at += 32, left -= 32)
            for (int i = 0; i < 4; i++)
                sum[i] = mix(sum[i], load64(at + 8 * i));
        all = turn(sum[0], 1) + turn(sum[1], 7) + turn(sum[2], 12) + turn(sum[3], 18);
        for (int i = 0; i < 4; i++)
            all = join_sums(all, sum[i]);
    }
    all = mix_rest(all + count, at, left);
    all = (all ^ all >> 33) * prime2;
    all = (all ^ all >> 29) * prime3;
    return all ^ all >> 32;
}
