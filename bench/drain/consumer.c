#include "bench/drain/consumer.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT_BYTES = 32 << 20 };

struct one {
    struct consumer *c;
    uint32_t lane;
};

static int on_record(void *self, const struct td_packet_record *r)
{
    struct one *o = self;
    if (r->type == TD_PACKET_LOST)
        o->c->lost += r->value;
    o->c->zones += r->type == TD_PACKET_ZONE; /* too long for the short form */
    return 0;
}

/* Looks at every zone: its end must not lie before the last one's. */
static int on_zones(void *self, const struct td_zone_columns *z)
{
    struct one *o = self;
    uint64_t last = o->c->last[o->lane];
    uint32_t late = (z->high_ticks | z->end[0]) < last;
    for (size_t i = 1; i < z->count; i++)
        late |= z->end[i] < z->end[i - 1];
    o->c->late += late;
    o->c->last[o->lane] = z->high_ticks | z->end[z->count - 1];
    o->c->zones += z->count;
    return 0;
}

static int on_words(void *self, const struct td_lane_at *at, const uint32_t *words, size_t slots,
                    struct td_err *err)
{
    struct consumer *c = self;
    if (c->kind == CONSUMER_COUNTS) {
        struct one o = {c, at->index};
        const struct td_packet_sink to = {.record = on_record, .zones = on_zones, .self = &o};
        return td_packet_decoder_feed_columns(&c->decoder[at->index], words, slots, &to);
    }
    int rc = td_lane_events_words(&c->events[at->index], words, slots);
    return rc ? td_fail(err, rc, "out of memory") : 0;
}

/* Empties all lanes when they have grown. */
static int forget_events(struct consumer *c, struct td_err *err)
{
    uint64_t bytes, file_bytes;
    td_store_usage(c->store, &bytes, &file_bytes);
    if (bytes < KEPT_BYTES)
        return 0;
    td_store_destroy(c->store);
    c->names.store = c->store = td_store_create(0);
    for (uint32_t i = 0; i < farm_lanes(c->farm); i++) {
        td_lane_log_free(&c->events[i].log);
        td_lane_log_init(&c->events[i].log, c->store);
    }
    return c->store ? 0 : td_fail(err, TD_E_NOMEM, "out of memory");
}

int consumer_init(struct consumer *c, struct farm *farm, enum consumer_kind kind, enum td_policy policy,
                  struct td_err *err)
{
    uint32_t lanes = farm_lanes(farm);
    memset(c, 0, sizeof *c);
    c->kind = kind;
    c->farm = farm;
    c->decoder = calloc(lanes, sizeof *c->decoder);
    c->events = calloc(lanes, sizeof *c->events);
    c->last = calloc(lanes, sizeof *c->last);
    c->dict = td_dict_create();
    c->images = td_images_create(NULL, 0);
    c->store = td_store_create(0);
    if (!c->decoder || !c->events || !c->last || !c->dict || !c->images || !c->store ||
        td_lane_names_init(&c->names, c->dict, c->images, c->store))
        return td_fail(err, TD_E_NOMEM, "out of memory");
    for (uint32_t i = 0; i < lanes; i++) {
        td_packet_decoder_init(&c->decoder[i]);
        td_lane_events_init(&c->events[i], &c->names, "");
    }
    c->drain = td_drain_create(farm_transport(farm), farm_board(farm), policy, err);
    return c->drain ? 0 : err->code;
}

int consumer_poll(struct consumer *c, size_t *taken, struct td_err *err)
{
    int rc = td_drain_poll(c->drain, on_words, c, taken, err);
    return rc ? rc : forget_events(c, err);
}

int consumer_finish(struct consumer *c, struct td_err *err)
{
    int rc = td_drain_finish(c->drain, on_words, c, err);
    for (uint32_t i = 0; i < farm_lanes(c->farm); i++) {
        c->bad += c->decoder[i].stats.bad_slots + c->events[i].decoder.stats.bad_slots;
        if (c->kind == CONSUMER_EVENTS) {
            c->zones += c->events[i].zones - 1; /* without the kernel's own */
            c->lost += c->events[i].lost_zones;
        }
    }
    return rc;
}

int consumer_run(struct consumer *c, struct td_err *err)
{
    int rc = 0;
    size_t taken = 0;
    while (rc == 0 && farm_running(c->farm)) {
        rc = consumer_poll(c, &taken, err);
        if (!taken)
            sched_yield();
    }
    if (rc)
        farm_stop(c->farm);
    return rc ? rc : consumer_finish(c, err);
}

void consumer_free(struct consumer *c)
{
    td_drain_destroy(c->drain);
    for (uint32_t i = 0; c->events && i < farm_lanes(c->farm); i++)
        td_lane_events_free(&c->events[i]);
    td_lane_names_free(&c->names);
    td_images_destroy(c->images);
    td_store_destroy(c->store);
    td_dict_destroy(c->dict);
    free(c->decoder);
    free(c->events);
    free(c->last);
}
