/* Lane events: the packets of one lane, in order, become events whose times are still device ticks.
 *
 * Knows sites, texts, flows, gaps; knows neither transports nor the host's clock. Not thread-safe.
 */
#ifndef TD_HOST_AGENT_LANE_EVENTS_H
#define TD_HOST_AGENT_LANE_EVENTS_H
#include "host/agent/lane_log.h"
#include "host/device/image.h"
#include "host/device/unpack.h"
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

struct td_lane_open {
    uint64_t ticks;
    uint32_t srcloc;
};

struct td_lane_events {
    struct td_lane_names *names;
    char place[32]; /* "0/1,1/BRISC", added to plots' names */
    struct td_unpack unpack;
    struct td_site_numbers *sites; /* of the image that runs */
    uint32_t op;
    struct td_lane_log log;
    struct td_lane_text *texts; /* for zones that are still open */
    size_t text_count, text_capacity;
    struct td_lane_open *open; /* BEGIN packets without END */
    size_t open_count, open_capacity;
    uint64_t zones, messages, points, lost_zones, lost_other, stalls, bad_records;
    uint64_t link_lost; /* slots lost on their way here */
    uint32_t gap_slots; /* of them: just before what comes next */
    int had_gap;        /* an END may be among them */
};

void td_lane_events_init(struct td_lane_events *lane, struct td_lane_names *names, const char *place);
void td_lane_events_free(struct td_lane_events *lane);
/* Decodes slots; 0 or TD_E_NOMEM. */
int td_lane_events_words(struct td_lane_events *lane, const uint32_t *words, size_t slots);
/* Before slots that do not follow those before: `missing` were lost on their way (0: overwritten). time_high:
 * what the lane's control words say of the clock. */
void td_lane_events_gap(struct td_lane_events *lane, uint32_t missing, uint32_t time_high);
/* The lane has ended: zones that never ended stay open, texts without a zone become messages. Packets that
 * were overwritten, if any, are shown as one zone from since_ticks to the first event that survived. */
int td_lane_events_end(struct td_lane_events *lane, uint64_t since_ticks, uint64_t overwritten_zones,
                       uint64_t overwritten_other);
#endif
