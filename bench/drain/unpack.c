/* Unpacking: short zones a second on one core, plain and vectorised, against memcpy of the same bytes, turn
 * by turn. Sizes: all lanes of a large board as they lie in memory, and one lane's ring, which stays in the
 * first cache. */
#include "bench/drain/parts.h"
#include "host/agent/board/lane_events.h"
#include "host/base/compare.h"
#include "host/device/drain/packet_decoder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RING_SLOTS = 256, MANY_LANES = 15360, TURNS = 9, ONE_LANE_ROUNDS = 20000, SITES = 40 };

struct lanes {
    uint32_t *words, *copy;
    size_t lanes;
    int rounds;
    struct td_packet_decoder u;
    uint64_t zones;
};

static int on_record(void *self, const struct td_packet_record *r)
{
    struct lanes *l = self;
    l->zones += r->type == TD_PACKET_ZONE;
    return 0;
}

/* A consumer reads something of every run. */
static int on_zones(void *self, const struct td_zone_columns *z)
{
    struct lanes *l = self;
    l->zones += z->count;
    __asm__ volatile("" : : "r"(z->end), "r"(z->id), "r"(z->duration) : "memory");
    return 0;
}

/* Lanes of nothing but short zones, a TIME packet each: what a ring holds nearly always. */
static int fill(struct lanes *l, size_t lanes, int rounds)
{
    size_t bytes = lanes * RING_SLOTS * TD_SLOT_BYTES;
    l->lanes = lanes;
    l->rounds = rounds;
    l->words = malloc(bytes);
    l->copy = malloc(bytes);
    if (!l->words || !l->copy)
        return -1;
    memset(l->copy, 0, bytes);
    for (size_t i = 0; i < lanes * RING_SLOTS; i++) {
        uint32_t time = (uint32_t)i % RING_SLOTS * 700;
        int is_time = i % RING_SLOTS == 0;
        l->words[2 * i] = is_time ? TD_TAG_HEAD | TD_PACKET_TIME << TD_HEAD_TYPE_SHIFT
                                  : TD_SLOT_VALID | (uint32_t)(i % SITES) << TD_SHORT_ID_SHIFT | 300;
        l->words[2 * i + 1] = is_time ? 1 : time;
    }
    return 0;
}

static void copy_all(struct lanes *l)
{
    size_t bytes = l->lanes * RING_SLOTS * TD_SLOT_BYTES;
    for (int r = 0; r < l->rounds; r++) {
        memcpy(l->copy, l->words, bytes);
        __asm__ volatile("" : : "r"(l->copy) : "memory");
    }
}

/* Each lane's words as the drain hands them on. */
static void unpack_all(struct lanes *l)
{
    const struct td_packet_sink to = {.record = on_record, .zones = on_zones, .self = l};
    for (int r = 0; r < l->rounds; r++)
        for (size_t i = 0; i < l->lanes; i++)
            td_packet_decoder_feed_columns(&l->u, l->words + i * RING_SLOTS * 2, RING_SLOTS, &to);
}

static double time_of(struct lanes *l, void (*work)(struct lanes *l))
{
    double start = thread_cpu_seconds();
    work(l);
    return thread_cpu_seconds() - start;
}

TD_COMPARE_NUMBERS(compare, double)

static double median(double *values)
{
    qsort(values, TURNS, sizeof *values, compare);
    return values[TURNS / 2];
}

static void measure(struct report *r, const char *where, size_t lanes, int rounds, int is_goal)
{
    static struct lanes l;
    double speed[3][TURNS], ratio[2][TURNS];
    td_zone_decoder *decoders[2] = {td_zones_scalar, td_zones_vector()};
    if (fill(&l, lanes, rounds)) {
        report_failure(r, "unpack", "out of memory");
        return;
    }
    const double bytes = (double)lanes * rounds * RING_SLOTS * TD_SLOT_BYTES;
    td_packet_decoder_init(&l.u);
    copy_all(&l);
    for (int turn = 0; turn < TURNS; turn++) {
        speed[2][turn] = bytes / time_of(&l, copy_all) / 1e9;
        for (int d = 0; d < 2; d++) {
            l.u.decode_zones = decoders[d] ? decoders[d] : td_zones_scalar;
            speed[d][turn] = bytes / time_of(&l, unpack_all) / 1e9;
            ratio[d][turn] = speed[d][turn] / speed[2][turn];
        }
    }
    char name[64];
    double copied = median(speed[2]);
    static const char *const names[] = {"plain", "vector"};
    for (int d = 0; d < 2; d++) {
        double ours = median(speed[d]);
        snprintf(name, sizeof name, "unpack_%s_%s", names[d], where);
        report(r, name, "GB/s", ours, copied, NAN);
        snprintf(name, sizeof name, "unpack_%s_%s_zones", names[d], where);
        report(r, name, "Mzones/s", ours * 1e3 / TD_SLOT_BYTES, NAN, NAN);
        snprintf(name, sizeof name, "unpack_%s_%s_ratio", names[d], where);
        report(r, name, "of memcpy", median(ratio[d]), 1, is_goal && d == 1 ? 0.4 : NAN);
    }
    free(l.words);
    free(l.copy);
}

/* Words to the events that the agent keeps, names known. */
static void measure_events(struct report *r)
{
    struct lanes l = {0};
    struct td_dict *dict = td_dict_create();
    struct td_images *images = td_images_create(NULL, 0);
    struct td_lane_names names;
    struct td_lane_events *lane = malloc(sizeof *lane);
    double speed[TURNS], ratio[TURNS];
    struct td_store *store = td_store_create(0);
    if (!dict || !images || !lane || !store || td_lane_names_init(&names, dict, images, store) ||
        fill(&l, 1024, 1)) {
        report_failure(r, "events", "out of memory");
        return;
    }
    /* One lane throughout: its times keep growing, so events stay in order. */
    for (size_t i = 0; i < l.lanes * RING_SLOTS; i++)
        l.words[2 * i + 1] = i % RING_SLOTS ? (uint32_t)i * 700 : 1;
    static const uint32_t image[] = {TD_TAG_HEAD | TD_PACKET_IMAGE << TD_HEAD_TYPE_SHIFT | 1, 1, TD_TAG_CONT,
                                     2};
    const double bytes = (double)l.lanes * RING_SLOTS * TD_SLOT_BYTES;
    for (int turn = 0; turn < TURNS; turn++) {
        td_lane_events_init(lane, &names, "");
        td_lane_events_words(lane, image, 2);
        double start = thread_cpu_seconds();
        for (size_t i = 0; i < l.lanes; i++)
            td_lane_events_words(lane, l.words + i * RING_SLOTS * 2, RING_SLOTS);
        speed[turn] = bytes / (thread_cpu_seconds() - start) / 1e9;
        ratio[turn] = speed[turn] / (bytes / time_of(&l, copy_all) / 1e9);
        td_lane_events_free(lane);
    }
    report(r, "events_zones", "Mzones/s", median(speed) * 1e3 / TD_SLOT_BYTES, NAN, NAN);
    report(r, "events_ratio", "of memcpy", median(ratio), 1, NAN);
    td_lane_names_free(&names);
    td_store_destroy(store);
    td_images_destroy(images);
    td_dict_destroy(dict);
    free(lane);
    free(l.words);
    free(l.copy);
}

void bench_unpack(struct report *r)
{
    report_note(r, "unpack: %d lanes of %d slots in turn (%d MiB), then one lane again and again; vector: %s",
                MANY_LANES, RING_SLOTS, MANY_LANES * RING_SLOTS / 131072,
                td_zones_vector() ? "AVX2" : "none here");
    measure(r, "lanes", MANY_LANES, 1, 1);
    measure(r, "cached", 1, ONE_LANE_ROUNDS, 0);
    measure_events(r);
}
