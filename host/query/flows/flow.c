#include "host/query/flows/flow.h"
#include "host/base/sorted.h"
#include "host/base/grow.h"
#include "host/event/map.h"
#include "host/trace/walk.h"
#include "proto/track.h"

#include <stdio.h>
#include <stdlib.h>

/* The two directions of TD_FLOW_TEXT_FORMAT (proto/track.h). */
#define OUT       "flow out "
#define IN        "flow in "
#define LAUNCH    UINT64_C(2) /* of a key: the flow is a launch's */
#define MAX_TRIES 400         /* ends of one name and id that are compared */
#define TURN_NS   20000       /* by which a simulated core may be behind another one in virtual time */

/* Bytes before the flow's name in a line of a zone's text; 0: the line is about no flow. */
static size_t name_in_line(const char *line, size_t bytes, bool *is_out)
{
    *is_out = bytes > sizeof OUT - 1 && !memcmp(line, OUT, sizeof OUT - 1);
    if (*is_out)
        return sizeof OUT - 1;
    return bytes > sizeof IN - 1 && !memcmp(line, IN, sizeof IN - 1) ? sizeof IN - 1 : 0;
}

static uint64_t key_of_end(const char *name, size_t bytes, bool is_out)
{
    uint64_t key = 0;
    for (size_t i = 0; i < bytes; i++)
        key = td_mix64(key ^ (uint8_t)name[i]);
    const size_t launch = sizeof TD_FLOW_LAUNCH - 1;
    const bool is_launch = bytes > launch && !memcmp(name, TD_FLOW_LAUNCH " ", launch + 1);
    return (key & ~(LAUNCH | 1)) | (is_launch ? LAUNCH : 0) | !is_out;
}

static int add_text_line(struct td_flows *flows, const char *line, size_t bytes, struct td_zone_ref ref,
                         const struct td_zone *zone)
{
    bool is_out;
    const size_t skip = name_in_line(line, bytes, &is_out);
    if (!skip)
        return 0;
    const uint64_t key = key_of_end(line + skip, bytes - skip, is_out);
    if (flows->count >= UINT32_MAX)
        return 0;
    return TD_APPEND(flows->ends, flows->count, flows->capacity,
                     (struct td_flow_end){key, zone->start_ns, ref});
}

static int add_zone_text(struct td_flows *flows, const char *text, struct td_zone_ref ref,
                         const struct td_zone *zone)
{
    while (*text) {
        size_t bytes = strcspn(text, "\n");
        if (add_text_line(flows, text, bytes, ref, zone) < 0)
            return TD_E_NOMEM;
        text += bytes + (text[bytes] == '\n');
    }
    return 0;
}

/* Few zones have texts: the others are not read. */
static int add_row(struct td_flows *flows, const struct td_trace *trace, uint32_t track, uint32_t row)
{
    const struct td_dict *dict = td_trace_dict(trace);
    struct td_zones zones;
    uint32_t n;
    for (uint64_t at = 0; (n = td_trace_zones_read(trace, track, row, at, 1u << TD_ZONE_EXTRA, &zones));
         at += n)
        for (uint32_t i = 0; i < n; i++) {
            if (!zones.column[TD_ZONE_EXTRA][i])
                continue;
            struct td_zone_ref ref = {track, row, (size_t)at + i};
            struct td_zone zone = td_trace_zone(trace, track, row, ref.index);
            if (zone.text && add_zone_text(flows, td_dict_text(dict, zone.text), ref, &zone) < 0)
                return TD_E_NOMEM;
        }
    return 0;
}

static int compare_zones(struct td_zone_ref a, struct td_zone_ref b)
{
    if (a.track != b.track)
        return a.track < b.track ? -1 : 1;
    if (a.row != b.row)
        return a.row < b.row ? -1 : 1;
    return a.index < b.index ? -1 : a.index > b.index;
}

static int compare_ends(const void *a, const void *b)
{
    const struct td_flow_end *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return compare_zones(x->zone, y->zone);
}

static int compare_ends_by_zone(const void *a, const void *b, void *self)
{
    const struct td_flows *flows = self;
    return compare_zones(flows->ends[*(const uint32_t *)a].zone, flows->ends[*(const uint32_t *)b].zone);
}

/* Whether any text of the trace has an end of a flow: there are far fewer texts than zones. */
static bool has_flow_texts(const struct td_dict *dict)
{
    for (uint32_t s = 0; s < td_dict_string_count(dict); s++) {
        const char *text = td_dict_text(dict, s);
        if (strstr(text, OUT) || strstr(text, IN))
            return true;
    }
    return false;
}

static int64_t read_clock_error(const struct td_trace *trace)
{
    double greatest = 0;
    const char *text;
    for (size_t i = 0; (text = td_trace_get_note(trace, TD_NOTE_CLOCK_ERROR_NS, i)); i++) {
        const double bound = strtod(text, NULL);
        greatest = bound > greatest && bound < 1e9 ? bound : greatest;
    }
    return (int64_t)greatest;
}

int td_flows_build(struct td_flows *flows, const struct td_trace *trace, struct td_err *err)
{
    const struct td_dict *dict = td_trace_dict(trace);
    int rc = 0;
    *flows = (struct td_flows){.trace = trace, .clock_error_ns = read_clock_error(trace)};
    if (!has_flow_texts(dict))
        return 0;
    for (uint32_t t = 0; t < td_dict_track_count(dict); t++)
        for (uint32_t r = 0; r < td_trace_rows(trace, t) && rc == 0; r++)
            rc = add_row(flows, trace, t, r);
    if (rc == 0 && flows->count) {
        struct td_flow_end *fit = realloc(flows->ends, flows->count * sizeof *fit);
        flows->ends = fit ? fit : flows->ends;
        flows->capacity = fit ? flows->count : flows->capacity;
        qsort(flows->ends, flows->count, sizeof *flows->ends, compare_ends);
        flows->by_zone = malloc(flows->count * sizeof *flows->by_zone);
        flows->owners = malloc(sizeof *flows->owners);
        rc = flows->by_zone && flows->owners ? 0 : -1;
        if (flows->owners)
            *flows->owners = 1;
    }
    if (rc < 0) {
        td_flows_free(flows);
        return td_fail_no_memory(err, "while joining flows");
    }
    for (size_t i = 0; i < flows->count; i++)
        flows->by_zone[i] = (uint32_t)i;
    if (flows->count)
        qsort_r(flows->by_zone, flows->count, sizeof *flows->by_zone, compare_ends_by_zone, flows);
    return 0;
}

struct td_flows td_flows_share(const struct td_flows *flows)
{
    if (flows->owners)
        __atomic_add_fetch(flows->owners, 1, __ATOMIC_RELAXED);
    return *flows;
}

void td_flows_free(struct td_flows *flows)
{
    if (!flows->owners || __atomic_sub_fetch(flows->owners, 1, __ATOMIC_ACQ_REL) == 0) {
        free(flows->ends);
        free(flows->by_zone);
        free(flows->owners);
    }
    *flows = (struct td_flows){0};
}

int64_t td_flow_zone_end_ns(const struct td_flows *flows, const struct td_flow_end *end)
{
    return td_trace_zone(flows->trace, end->zone.track, end->zone.row, end->zone.index).end_ns;
}

/* 0: the host, else chip and tile. */
static uint64_t tile_of(const struct td_flows *flows, const struct td_flow_end *end)
{
    const struct td_track *track = td_dict_get_track(td_trace_dict(flows->trace), end->zone.track);
    return td_track_is_core(track) ? 1 + ((uint64_t)track->chip << 32 | (uint64_t)track->y << 16 | track->x)
                                   : 0;
}

/* First end that is not before (key, start_ns) in the order of compare_ends(). */
static size_t lower_bound_of_ends(const struct td_flows *flows, uint64_t key, int64_t start_ns)
{
    const struct td_flow_end *e = flows->ends;
    size_t low = 0, high = flows->count;
    TD_BISECT(low, high, i, e[i].key != key ? e[i].key < key : e[i].start_ns < start_ns);
    return low;
}

/* 0: the host's clock, else that of a chip. */
static uint64_t clock_of(const struct td_flows *flows, const struct td_flow_end *end)
{
    const struct td_track *track = td_dict_get_track(td_trace_dict(flows->trace), end->zone.track);
    return td_track_is_core(track) ? 1 + (uint64_t)track->chip : 0;
}

/* The last sender that began before the receiver's end. */
static const struct td_flow_end *last_sender(const struct td_flows *flows, const struct td_flow_end *receiver,
                                             int64_t end_ns)
{
    const struct td_flow_end *last = NULL;
    const uint64_t key = receiver->key & ~UINT64_C(1), tile = tile_of(flows, receiver);
    size_t at = lower_bound_of_ends(flows, key, end_ns);
    for (int tries = 0; at-- > 0 && tries < MAX_TRIES; tries++) {
        const struct td_flow_end *e = &flows->ends[at];
        if (e->key != key)
            break;
        if (tile_of(flows, e) == tile)
            return e;
        if (!last)
            last = e;
    }
    return last;
}

/* The first sender of another clock that seems to begin after the receiver's end. */
static const struct td_flow_end *skewed_sender(const struct td_flows *flows,
                                               const struct td_flow_end *receiver, int64_t end_ns)
{
    const uint64_t key = receiver->key & ~UINT64_C(1), clock = clock_of(flows, receiver);
    size_t at = lower_bound_of_ends(flows, key, end_ns);
    for (int tries = 0; at < flows->count && tries < MAX_TRIES; at++, tries++) {
        const struct td_flow_end *e = &flows->ends[at];
        if (e->key != key || e->start_ns - end_ns > flows->clock_error_ns)
            break;
        if (clock_of(flows, e) != clock)
            return e;
    }
    return NULL;
}

/* Of a core that has no earlier sender: the first core that begins to send soon after the receiver's end. */
static const struct td_flow_end *next_turn_sender(const struct td_flows *flows,
                                                  const struct td_flow_end *receiver, int64_t end_ns)
{
    const uint64_t key = receiver->key & ~UINT64_C(1);
    const size_t at = lower_bound_of_ends(flows, key, end_ns);
    const struct td_flow_end *e = &flows->ends[at];
    return at < flows->count && e->key == key && e->start_ns - end_ns <= TURN_NS && tile_of(flows, e) &&
                   tile_of(flows, receiver)
               ? e
               : NULL;
}

static const struct td_flow_end *sender_of(const struct td_flows *flows, const struct td_flow_end *receiver)
{
    const int64_t end_ns = td_flow_zone_end_ns(flows, receiver);
    const struct td_flow_end *last = last_sender(flows, receiver, end_ns), *skewed;
    if (!last && end_ns != TD_OPEN && (last = next_turn_sender(flows, receiver, end_ns)))
        return last;
    if (!flows->clock_error_ns || end_ns == TD_OPEN)
        return last;
    const int64_t waited_ns = end_ns - receiver->start_ns;
    if (last &&
        (td_flow_zone_end_ns(flows, last) >= receiver->start_ns || waited_ns <= flows->clock_error_ns))
        return last;
    skewed = skewed_sender(flows, receiver, end_ns);
    return skewed ? skewed : last;
}

static size_t receivers_of(const struct td_flows *flows, const struct td_flow_end *sender,
                           struct td_flow_pair *pairs, size_t room)
{
    const uint64_t key = sender->key | 1;
    size_t found = 0, at = lower_bound_of_ends(flows, key, INT64_MIN);
    for (int tries = 0; at < flows->count && flows->ends[at].key == key && found < room; at++) {
        const struct td_flow_end *e = &flows->ends[at];
        if (td_flow_zone_end_ns(flows, e) <= sender->start_ns - flows->clock_error_ns - TURN_NS)
            continue;
        if (sender_of(flows, e) == sender)
            pairs[found++] = (struct td_flow_pair){sender, e};
        else if (++tries > MAX_TRIES)
            break;
    }
    return found;
}

/* The first place in `by_zone` whose end is of that zone or a later one. */
static size_t lower_bound_of_zone(const struct td_flows *flows, struct td_zone_ref zone)
{
    size_t low = 0, high = flows->count;
    TD_BISECT(low, high, middle, compare_zones(flows->ends[flows->by_zone[middle]].zone, zone) < 0);
    return low;
}

bool td_flows_receives(const struct td_flows *flows, struct td_zone_ref zone)
{
    for (size_t at = lower_bound_of_zone(flows, zone); at < flows->count; at++) {
        const struct td_flow_end *end = &flows->ends[flows->by_zone[at]];
        if (!td_ref_equal(end->zone, zone))
            break;
        if (!td_flow_is_out(end))
            return true;
    }
    return false;
}

size_t td_flows_of(const struct td_flows *flows, struct td_zone_ref zone, struct td_flow_pair *pairs,
                   size_t room)
{
    size_t low = lower_bound_of_zone(flows, zone), found = 0;
    for (; low < flows->count && found < room; low++) {
        const struct td_flow_end *end = &flows->ends[flows->by_zone[low]];
        if (!td_ref_equal(end->zone, zone))
            break;
        if (td_flow_is_out(end)) {
            found += receivers_of(flows, end, pairs + found, room - found);
            continue;
        }
        const struct td_flow_end *sender = sender_of(flows, end);
        if (sender)
            pairs[found++] = (struct td_flow_pair){sender, end};
    }
    return found;
}

bool td_flows_pair(const struct td_flows *flows, size_t index, struct td_flow_pair *pair)
{
    const struct td_flow_end *end = &flows->ends[index];
    if (td_flow_is_out(end))
        return false;
    *pair = (struct td_flow_pair){sender_of(flows, end), end};
    return pair->from != NULL;
}

/* The first place in `by_zone` whose end is of that track or a later one. */
static size_t lower_bound_of_track(const struct td_flows *flows, uint64_t track)
{
    size_t low = 0, high = flows->count;
    TD_BISECT(low, high, middle, flows->ends[flows->by_zone[middle]].zone.track < track);
    return low;
}

void td_flows_of_track(const struct td_flows *flows, uint32_t track, size_t *first, size_t *end)
{
    *first = lower_bound_of_track(flows, track);
    *end = lower_bound_of_track(flows, (uint64_t)track + 1);
}

const char *td_flow_name(const struct td_trace *trace, const struct td_flow_end *end, char *room,
                         size_t bytes)
{
    const struct td_zone zone = td_trace_zone(trace, end->zone.track, end->zone.row, end->zone.index);
    const char *text = td_dict_text(td_trace_dict(trace), zone.text);
    room[0] = 0;
    while (*text) {
        const size_t line = strcspn(text, "\n");
        bool is_out;
        const size_t skip = name_in_line(text, line, &is_out);
        if (skip && key_of_end(text + skip, line - skip, is_out) == end->key) {
            snprintf(room, bytes, "%.*s", (int)(line - skip < 1000 ? line - skip : 1000), text + skip);
            break;
        }
        text += line + (text[line] == '\n');
    }
    return room;
}

int64_t td_flow_sent_ns(const struct td_flows *flows, const struct td_flow_pair *pair)
{
    const int64_t from_ns = td_flow_zone_end_ns(flows, pair->from),
                  to_ns = pair->to->key & LAUNCH ? pair->to->start_ns : td_flow_zone_end_ns(flows, pair->to);
    const int64_t least = from_ns < to_ns ? from_ns : to_ns;
    if (least != TD_OPEN)
        return least;
    return pair->from->start_ns > pair->to->start_ns ? pair->from->start_ns : pair->to->start_ns;
}
