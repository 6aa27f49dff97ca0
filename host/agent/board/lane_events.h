/* Lane events: the packets of one lane, in order, become events whose times are still device ticks.
 *
 * Knows sites, texts, flows, gaps; knows neither transports nor the host's clock. Not thread-safe.
 */
#ifndef TD_HOST_AGENT_BOARD_LANE_EVENTS_H
#define TD_HOST_AGENT_BOARD_LANE_EVENTS_H
#include "host/agent/board/lane_log.h"
#include "host/agent/board/open_watch.h"
#include "host/device/drain/packet_decoder.h"
#include "host/device/image/image.h"
#include "host/event/event.h"

#define TD_LANE_OPEN INT64_MAX /* end of a zone that never ended */

/* Source locations of an image's sites, filled as they are seen. */
struct td_site_numbers {
    struct td_site_numbers *next;
    uint64_t build_id;
    const struct td_image *image; /* NULL: no ELF */
    uint32_t *srclocs;            /* by site id; 0: not seen yet */
    size_t count;
};

/* What all lanes of a board share. */
struct td_lane_names {
    struct td_dict *dict;
    struct td_images *images;
    struct td_store *store; /* of their events */
    struct td_site_numbers *sites;
    uint32_t stall_srcloc, lost_srcloc;
    char missing_image[20]; /* first build id without an ELF, hex */
    uint64_t unnamed_sites;
};
int td_lane_names_init(struct td_lane_names *names, struct td_dict *dict, struct td_images *images,
                       struct td_store *store);
void td_lane_names_free(struct td_lane_names *names);

struct td_lane_text {
    uint64_t ticks;
    uint32_t string;
};

struct td_lane_open_zone {
    uint64_t ticks;
    uint32_t srcloc;
    int doubtful; /* its end may have been overwritten */
};

/* Packets that the core counts where it gives them up (policy overwrite). */
struct td_lane_packets {
    uint32_t zones, other;
};

/* A zone whose end has not been read. */
struct td_lane_left {
    uint64_t begin;
    uint32_t srcloc;
};

struct td_lane_events {
    struct td_lane_names *names;
    char place[32]; /* "0/1,1/BRISC", added to plots' names */
    struct td_packet_decoder decoder;
    struct td_site_numbers *sites; /* of the image that runs */
    uint32_t op;
    struct td_lane_log log;
    struct td_lane_text *texts; /* for zones that are still open */
    size_t text_count, text_capacity;
    struct td_lane_open_zone *open; /* BEGIN packets without END */
    size_t open_count, open_capacity;
    struct td_lane_left *left; /* OPEN packets that follow each other */
    size_t left_count, left_capacity;
    uint64_t left_ticks; /* when they ended, and ... */
    uint32_t left_how;   /* ... how the launch did: enum td_core_state */
    struct td_open_watch watch;
    int64_t watch_until; /* zones that end later and began earlier may be among those of the last look */
    uint64_t zones, messages, points, lost_zones, lost_other, stalls, bad_records;
    uint64_t left_open;                 /* of the zones: never closed by their kernels */
    uint64_t link_lost;                 /* slots lost on their way here */
    uint32_t gap_slots;                 /* of them: just before what comes next */
    int had_gap;                        /* there were some */
    int end_lost;                       /* an END may be among them */
    struct td_lane_packets counted;     /* overwrite: came or known to be lost, as the core counts */
    struct td_lane_packets overwritten; /* just before what comes next */
};

void td_lane_events_init(struct td_lane_events *lane, struct td_lane_names *names, const char *place);
void td_lane_events_free(struct td_lane_events *lane);
/* Decodes slots; 0 or TD_E_NOMEM. */
int td_lane_events_words(struct td_lane_events *lane, const uint32_t *words, size_t slots);
/* Before slots that do not follow those before: `missing` were lost on their way, or were written while
 * the core had left the recording. time_high: what the lane's control words say of the clock. */
void td_lane_events_gap(struct td_lane_events *lane, uint32_t missing, uint32_t time_high);
/* The same where slots were overwritten: `given`, packets in all that the core has given up until then. */
void td_lane_events_overwritten(struct td_lane_events *lane, struct td_lane_packets given);
/* The lane has ended: zones that never ended stay open, texts without a zone become messages. Packets that
 * were dropped last, and that no LOST packet reports, are shown as one zone from the last event to
 * until_ticks. */
int td_lane_events_end(struct td_lane_events *lane, uint64_t until_ticks, uint64_t dropped_zones,
                       uint64_t dropped_other);
/* When the last packet was, as far as events tell; 0: there was none. */
uint64_t td_lane_events_latest(const struct td_lane_events *lane);
/* Source location of the zone that ended last, or of the innermost one that is open; UINT32_MAX: there is
 * none. */
uint32_t td_lane_events_last_zone(const struct td_lane_events *lane);
#endif
