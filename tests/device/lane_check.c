#include "tests/device/lane_check.h"

#include "host/device/unpack.h"

#include <stdlib.h>
#include <string.h>

struct sum {
    uint64_t hash, records;
};

static void mix(struct sum *s, uint64_t v)
{
    s->hash = (s->hash ^ v) * UINT64_C(0x9e3779b97f4a7c15);
    s->hash ^= s->hash >> 29;
}

static int on_record(void *self, const struct td_packet_record *r)
{
    struct sum *s = self;
    s->records++;
    const uint64_t fields[] = {r->type,  r->id,     r->end_ticks, r->duration_ticks,
                               r->value, r->value2, r->arg_count};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        mix(s, fields[i]);
    if (r->type == TD_PACKET_TEXT)
        for (uint32_t i = 0; i < r->arg_count; i++)
            mix(s, ((const uint8_t *)r->args)[i]);
    else
        for (uint32_t i = 0; i < r->arg_count; i++)
            mix(s, r->args[i]);
    return 0;
}

static void check(int condition)
{
    if (!condition)
        abort();
}

static void check_stats(const struct td_unpack_stats *s, uint64_t slots, uint64_t records)
{
    check(s->slots == slots);
    check(s->bad_slots + s->cut_slots + s->packets <= slots);
    check(s->bad_runs <= s->bad_slots && (s->bad_slots == 0) == (s->bad_runs == 0));
    check(records + s->untimed <= s->packets && s->zones <= records);
}

static void feed_in_pieces(struct td_unpack *u, const uint32_t *words, size_t slots, uint32_t seed,
                           struct sum *sum)
{
    size_t at = 0;
    while (at < slots) {
        seed = seed * 1664525 + 1013904223;
        size_t n = 1 + (seed >> 16) % ((seed >> 13 & 7) == 0 ? 600 : 5);
        n = n < slots - at ? n : slots - at;
        /* A copy of its own, so that a read beyond its end is seen. */
        uint32_t *piece = malloc(8 * n);
        check(piece != NULL);
        memcpy(piece, words + 2 * at, 8 * n);
        check(td_unpack(u, piece, n, on_record, sum) == 0);
        free(piece);
        at += n;
    }
}

void lane_check(const uint8_t *data, size_t size)
{
    if (size < 9)
        return;
    size_t slots = (size - 1) / 8;
    uint32_t *words = malloc(8 * slots);
    struct td_unpack *u = malloc(2 * sizeof *u);
    check(words && u);
    memcpy(words, data + 1, 8 * slots);
    struct sum whole = {0}, pieces = {0};
    for (int i = 0; i < 2; i++) {
        td_unpack_init(&u[i]);
        if (data[0] & 1)
            td_unpack_set_time(&u[i], 7);
        if (data[0] & 2)
            td_unpack_gap(&u[i]);
    }
    check(td_unpack(&u[0], words, slots, on_record, &whole) == 0);
    feed_in_pieces(&u[1], words, slots, data[0], &pieces);
    for (int i = 0; i < 2; i++)
        check(td_unpack_finish(&u[i], on_record, i ? &pieces : &whole) == 0);
    check_stats(&u[0].stats, slots, whole.records);
    check(memcmp(&u[0].stats, &u[1].stats, sizeof u[0].stats) == 0);
    check(whole.records == pieces.records && whole.hash == pieces.hash);
    free(u);
    free(words);
}
