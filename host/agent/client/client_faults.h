/* Faults of a program's instrumentation: markers that do not fit each other, such as a zone that ends twice. A
 * stock recorder stops at most of them. Here the marker is left out, the first fault of each kind is noted with
 * its thread, zone, time, and all are counted; at the end each kind becomes one note of the trace
 * (TD_NOTE_INSTRUMENTATION, host/trace/trace.h). */
#pragma once
#include "host/event/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_client_stream;
struct td_wire_view;

/* X(kind, what it is, releases of stock's recorder stop at it) */
#define TD_CLIENT_FAULTS(X)                                                                                  \
    X(ZONE_ORDER, "zone ended out of order", 1)                                                              \
    X(ZONE_DOUBLE_END, "zone ended twice, or ended without a begin", 1)                                      \
    X(ZONE_TEXT, "text for a zone that is not open", 1)                                                      \
    X(ZONE_VALUE, "value for a zone that is not open", 1)                                                    \
    X(ZONE_COLOR, "color for a zone that is not open", 1)                                                    \
    X(ZONE_NAME, "name for a zone that is not open", 1)                                                      \
    X(MEMORY_FREE, "free of memory that is not allocated", 1)                                                \
    X(MEMORY_TWICE, "allocation of memory that is not free", 1)                                              \
    X(FRAME_END, "frame that ends without a start, or starts twice", 1)                                      \
    X(FRAME_IMAGE, "frame image without its frame, or a second one, or of a wrong size", 1)                  \
    X(FIBER_LEAVE, "fiber left that was not entered", 1)                                                     \
    X(LOCK_RELEASE, "release of a lock that no thread has", 0)                                               \
    X(LOCK_THREADS, "lock that is used by more than 64 threads", 0)                                          \
    X(PLOT_VALUE, "value of a plot that is not a finite number", 0)

enum td_client_fault {
#define TD_X(kind, what, stops) TD_CLIENT_FAULT_##kind,
    TD_CLIENT_FAULTS(TD_X)
#undef TD_X
        TD_CLIENT_FAULT_KINDS
};

struct td_client_faults {
    struct {
        uint64_t count;
        int64_t ns; /* of the first one; -1: it has no time */
        uint64_t thread;
        bool has_thread, has_zone;
        uint32_t zone, zone_ref; /* the zone that the thread began last, as in an event that waits */
    } first[TD_CLIENT_FAULT_KINDS];
    /* Programs with the C API send the number of the zone before each item of it. */
    struct td_map rows; /* track -> index in `ids` */
    struct td_zone_ids {
        uint32_t *at; /* of the open zones; 0: none was sent */
        size_t count, capacity;
        uint32_t next;
        bool is_odd; /* the next item is of a zone that ended out of order */
    } * ids;
    size_t id_count, id_capacity;
    bool has_ids;
};

/* To be called for an item that was left out, or was odd. */
void td_stream_faulty(struct td_client_stream *stream, const struct td_wire_view *view);
void td_stream_fault(struct td_client_stream *stream, enum td_client_fault kind, int64_t ns,
                     const uint64_t *thread);
/* Compares numbers of zones. To be called before a ZoneValidation item is taken, and then for all items. 0,
 * TD_ZONE_LEFT_OUT (the item is not to be taken: it is for a zone that is not open here), or TD_E_NOMEM. */
#define TD_ZONE_LEFT_OUT 1
int td_stream_check_zone(struct td_client_stream *stream, const struct td_wire_view *view);
/* The numbers of the current track's zones. Zones that were open before the first number came have number 0.
 * NULL: there is no track, or no memory. */
struct td_zone_ids *td_stream_zone_ids(struct td_client_stream *stream);
/* Adds the notes to the events that wait. 0 or TD_E_NOMEM. */
int td_stream_faults_end(struct td_client_stream *stream);
void td_stream_faults_finish(struct td_client_stream *stream);
