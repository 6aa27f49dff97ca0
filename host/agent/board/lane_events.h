/* Lane events: turns the packets of one lane into events, whose times are still device ticks.
 *
 * Handles sites, texts, flows and gaps; does not use transports or the host's clock. Not thread-safe.
 */
#pragma once
#include "host/agent/board/lane_bill.h"
#include "host/agent/board/lane_log.h"
#include "host/agent/board/open_watch.h"
#include "host/device/drain/packet_decoder.h"
#include "host/device/image/image.h"
#include "host/event/event.h"

#define TD_LANE_OPEN INT64_MAX /* end of a zone without an end */

/* Source locations of an image's sites, added when a site is first seen. */
struct td_site_numbers {
    struct td_site_numbers *next;
    uint64_t build_id;
    const struct td_image *image; /* NULL: no ELF */
    struct td_site_number {
        uint32_t srcloc; /* 0: not seen yet */
        uint32_t cost;   /* of a zone: td_zone_cost() */
    } * numbers;         /* by site id */
    size_t count;
};

struct td_board_tap;

/* Shared by all lanes of a board. */
struct td_lane_names {
    struct td_dict *dict;
    struct td_images *images;
    struct td_store *store; /* of their events */
    struct td_site_numbers *sites;
    uint32_t stall_srcloc, lost_srcloc;
    char missing_image[20]; /* first build id without an ELF, hex */
    uint64_t unnamed_sites;
    bool has_stamped;               /* a kernel was launched whose zones are in the tile's event stream */
    const struct td_board_tap *tap; /* or NULL */
};
int td_lane_names_init(struct td_lane_names *names, struct td_dict *dict, struct td_images *images,
                       struct td_store *store);
void td_lane_names_free(struct td_lane_names *names);
/* An image's locations; its ELF is searched if it was not found yet. NULL: no memory. */
struct td_site_numbers *td_lane_names_find(struct td_lane_names *names, uint64_t build_id);

struct td_lane_text {
    uint64_t ticks;
    uint32_t string;
};

struct td_lane_open_zone {
    uint64_t ticks;
    uint32_t srcloc;
    int doubtful; /* its end may have been overwritten */
};

/* Numbers of packets, as the core counts those that it overwrites (policy overwrite). */
struct td_lane_packets {
    uint32_t zones, other;
};

/* A zone whose end has not been read. */
struct td_lane_left {
    uint64_t begin;
    uint32_t srcloc;
};

/* The zone whose packet came last. Its word may still say that it is open, because the core writes the packet
 * first. */
struct td_lane_closed {
    uint64_t begin;
    uint32_t id;
};

/* Zones that are known to be open, if the lane's events are sent on while the core runs (lane_opens.h). */
enum td_lane_open_state {
    TD_LANE_KNOWN, /* its begin was not sent on yet */
    TD_LANE_SHOWN, /* its begin was sent on */
    TD_LANE_LEFT,  /* the zone around it has ended, or it was found too late: its begin is never sent on */
    TD_LANE_LEFT_SHOWN /* the zone around it has ended, and so its end was sent on */
};
struct td_lane_known_open {
    uint64_t begin;
    uint32_t srcloc;
    enum td_lane_open_state state;
    int has_packet; /* 1: it has a BEGIN packet, and will have an END */
    int seen;       /* in the read that waits for a later packet */
};

struct td_lane_events {
    struct td_lane_names *names;
    char place[32]; /* "0/1,1/BRISC", added to plots' names */
    struct td_packet_decoder decoder;
    struct td_site_numbers *sites; /* of the image that runs, or ran last */
    uint32_t op;
    struct td_lane_log log;
    struct td_lane_text *texts; /* for zones that are still open */
    size_t text_count, text_capacity;
    struct td_lane_open_zone *open; /* BEGIN packets without END */
    size_t open_count, open_capacity;
    struct td_lane_left *left; /* from consecutive OPEN packets */
    size_t left_count, left_capacity;
    uint64_t left_ticks; /* when these zones ended */
    uint32_t left_how;   /* how their launch ended: enum td_core_state */
    struct td_open_watch watch;
    struct td_lane_closed closed;
    int64_t watch_until; /* zones that begin before may be among those that the last read found open */
    uint64_t zones, messages, points, lost_zones, lost_other, stalls, bad_records;
    uint64_t left_open; /* of the zones: not closed by their kernels */
    uint64_t link_lost; /* slots lost between the lane and here */
    uint32_t gap_slots; /* of them: those just before the next packet */
    int had_gap;        /* 1: slots were lost */
    int end_lost;       /* 1: an END may be among the lost packets */
    struct td_lane_bill bill;
    uint32_t calls;                     /* at the end: TD_LANE_calls; 0: not known */
    bool damaged, ring_damaged;         /* a kernel has written over words of the lane, over its ring */
    struct td_lane_packets counted;     /* policy overwrite: packets that arrived or are known to be lost */
    struct td_lane_packets overwritten; /* lost just before the next packet */

    /* Of lanes whose events are sent on while the core runs (lane_send.h). */
    int streams;                      /* 1: this lane is one of them */
    struct td_lane_known_open *opens; /* in order of begins */
    size_t opens_count, opens_capacity;
    int64_t settled;      /* no further zone begins before this time, except those of `opens` */
    int64_t sent_until;   /* the latest time that was sent on */
    uint32_t last_sent;   /* source location of the last zone that was sent on; UINT32_MAX: none */
    uint64_t slack_ticks; /* between a zone's begin and its word in memory, at most */
    /* The clock around a read of the open zones that waits for a later packet; look_after 0: none waits. */
    uint64_t look_before, look_after;
    int fed_since_look;
    /* Packets were lost from this time on; the end of an open zone may be among them. INT64_MAX: no. */
    int64_t doubt_from, doubt_after_look;
    bool exited;          /* the last packet is the last one of a launch */
    int between_launches; /* 1: the last packets are an END and those after it, and none was lost */
};

void td_lane_events_init(struct td_lane_events *lane, struct td_lane_names *names, const char *place);
void td_lane_events_free(struct td_lane_events *lane);
/* Decodes slots; 0 or TD_E_NOMEM. */
int td_lane_events_words(struct td_lane_events *lane, const uint32_t *words, size_t slots);
/* To be called before slots that do not follow the previous ones: `missing` slots were lost by a link, or
 * were written while the core did not take part in the recording. time_high: the clock's high half from the
 * lane's control words. */
void td_lane_events_gap(struct td_lane_events *lane, uint32_t missing, uint32_t time_high);
/* The same if these slots of a lane in `overwrite` held nothing. */
void td_lane_events_hole(struct td_lane_events *lane, uint32_t missing, uint32_t time_high);
/* The same if the core has overwritten slots. `given`: all packets that it has overwritten so far. */
void td_lane_events_overwritten(struct td_lane_events *lane, struct td_lane_packets given);
/* Ends the lane. Zones without an end stay open; texts without a zone become messages. Packets that were
 * dropped last, which no LOST packet reports, become one zone from the last event to until_ticks. 0 or
 * TD_E_NOMEM. */
int td_lane_events_end(struct td_lane_events *lane, uint64_t until_ticks, uint64_t dropped_zones,
                       uint64_t dropped_other);
/* Holds the strings of events that were not sent on yet (host/event/dict.h). */
void td_lane_events_hold(const struct td_lane_events *lane, struct td_dict *dict);
/* The time of the last event; 0: there was none. */
uint64_t td_lane_events_latest(const struct td_lane_events *lane);
/* The source location of the innermost open zone, or of the zone that ended last; UINT32_MAX: there is
 * none. */
uint32_t td_lane_events_last_zone(const struct td_lane_events *lane);
