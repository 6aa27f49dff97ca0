/* What drains a farm and counts what arrives. */
#pragma once
#include "bench/drain/farm.h"
#include "host/agent/board/lane_events.h"

enum consumer_kind { CONSUMER_COUNTS, CONSUMER_EVENTS };

struct consumer {
    enum consumer_kind kind;
    struct farm *farm;
    struct td_drain *drain;
    struct td_packet_decoder *decoder; /* one a lane */
    struct td_dict *dict;
    struct td_images *images;
    struct td_store *store;
    struct td_lane_names names;
    struct td_lane_events *events;   /* one a lane; emptied now and then, unused */
    uint64_t *last;                  /* end of a lane's last zone */
    uint64_t zones, lost, bad, late; /* `late`: zones that end before the one before them */
};
/* COUNTS: zones are decoded, checked and counted. EVENTS: they become events, as the agent keeps them. */
int consumer_init(struct consumer *c, struct farm *farm, enum consumer_kind kind, enum td_policy policy,
                  struct td_err *err);
/* One round over all lanes. *taken = slots. */
int consumer_poll(struct consumer *c, size_t *taken, struct td_err *err);
/* What is left when all cores have ended; then the counts are complete. */
int consumer_finish(struct consumer *c, struct td_err *err);
/* Drains until the farm's thread's cores have ended, and what is left then. */
int consumer_run(struct consumer *c, struct td_err *err);
void consumer_free(struct consumer *c);
