#include "tests/device/lane_check.h"

#include "host/device/drain/packet_decoder.h"

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

/* Columns say the same as records. */
static int on_zones(void *self, const struct td_zone_columns *z)
{
    for (size_t i = 0; i < z->count; i++) {
        const struct td_packet_record r = {.type = TD_PACKET_ZONE,
                                           .id = z->id[i],
                                           .end_ticks = z->high_ticks | z->end[i],
                                           .duration_ticks = z->duration[i]};
        on_record(self, &r);
    }
    return 0;
}

static void check(int condition)
{
    if (!condition)
        abort();
}

static void check_stats(const struct td_packet_stats *s, uint64_t slots, uint64_t records)
{
    check(s->slots == slots);
    check(s->bad_slots + s->cut_slots + s->packets <= slots);
    check(s->bad_runs <= s->bad_slots && (s->bad_slots == 0) == (s->bad_runs == 0));
    check(records + s->untimed <= s->packets && s->zones <= records);
}

static void feed_in_pieces(struct td_packet_decoder *u, const uint32_t *words, size_t slots, uint32_t seed,
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
        check(td_packet_decoder_feed(u, piece, n, on_record, sum) == 0);
        free(piece);
        at += n;
    }
}

/* One way to decode the same words. */
struct way {
    struct td_packet_decoder u;
    struct sum sum;
};

static void begin(struct way *w, uint8_t how)
{
    td_packet_decoder_init(&w->u);
    if (how & 1)
        td_packet_decoder_set_time(&w->u, 7);
    if (how & 2)
        td_packet_decoder_gap(&w->u);
}

enum { WHOLE, PIECES, PLAIN, VECTOR, WAYS };

void lane_check(const uint8_t *data, size_t size)
{
    if (size < 9)
        return;
    size_t slots = (size - 1) / 8;
    uint32_t *words = malloc(8 * slots);
    struct way *ways = calloc(WAYS, sizeof *ways);
    check(words && ways);
    memcpy(words, data + 1, 8 * slots);
    for (int i = 0; i < WAYS; i++)
        begin(&ways[i], data[0]);
    check(td_packet_decoder_feed(&ways[WHOLE].u, words, slots, on_record, &ways[WHOLE].sum) == 0);
    feed_in_pieces(&ways[PIECES].u, words, slots, data[0], &ways[PIECES].sum);
    ways[PLAIN].u.decode_zones = td_zones_scalar;
    for (int i = PLAIN; i <= VECTOR; i++) {
        const struct td_packet_sink to = {.record = on_record, .zones = on_zones, .self = &ways[i].sum};
        check(td_packet_decoder_feed_columns(&ways[i].u, words, slots, &to) == 0);
    }
    for (int i = 0; i < WAYS; i++)
        check(td_packet_decoder_end_stream(&ways[i].u, on_record, &ways[i].sum) == 0);
    check_stats(&ways[WHOLE].u.stats, slots, ways[WHOLE].sum.records);
    for (int i = 1; i < WAYS; i++) {
        check(memcmp(&ways[0].u.stats, &ways[i].u.stats, sizeof ways[0].u.stats) == 0);
        check(ways[0].sum.records == ways[i].sum.records && ways[0].sum.hash == ways[i].sum.hash);
    }
    free(ways);
    free(words);
}
