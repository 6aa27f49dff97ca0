#include "host/agent/import/tt_pair.h"
#include "host/base/grow.h"
#include "proto/track_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GROUP_MAX                                                                                            \
    64 /* more items of one time are taken as they come: ordering them takes the square of that */
/* The end of a zone that crosses another one is looked for so far. A launch has 254 markers at most. */
#define ITEMS_AHEAD 65536
#define ZONES_AHEAD 1024

/* ---- events */

int td_tt_push_rest(struct td_tt_push *push, struct td_err *err)
{
    const size_t count = push->count;
    push->count = 0;
    return count ? td_hub_push(push->hub, push->events, count, err) : 0;
}

static int push_event(struct td_tt_push *push, uint32_t kind, int64_t cycle, uint32_t subject,
                      uint32_t srcloc, struct td_err *err)
{
    push->events[push->count++] = (struct td_event){.time_ns = td_tt_chip_ns(push->chip, cycle),
                                                    .track = push->track,
                                                    .srcloc = srcloc,
                                                    .subject = subject,
                                                    .kind = kind};
    return push->count == TD_TT_PUSH_BATCH ? td_tt_push_rest(push, err) : 0;
}

static int push_message(struct td_tt_push *push, int64_t cycle, uint32_t text, struct td_err *err)
{
    if (text == UINT32_MAX)
        return td_fail_no_memory(err, "for the messages of a device log");
    push->counts->messages++;
    return push_event(push, TD_EVENT_MESSAGE, cycle, text, 0, err);
}

static int push_data(struct td_tt_push *push, const struct td_tt_item *item, struct td_err *err)
{
    char text[300];
    const int bytes =
        snprintf(text, sizeof text, TD_DATA_TEXT_FORMAT, td_dict_text(push->dict, item->what), item->value);
    const size_t kept = (size_t)bytes < sizeof text ? (size_t)bytes : sizeof text - 1;
    return push_message(push, item->cycle, td_dict_passing_string(push->dict, text, kept), err);
}

/* A value that is no event is shown as a value. */
static int push_noc(struct td_tt_push *push, const struct td_tt_item *item, struct td_err *err)
{
    struct td_tt_noc_event event = {.present = 0};
    char text[TD_TT_NOC_TEXT_BYTES];
    size_t bytes;
    if (td_tt_noc_decode(push->noc_layout, item->value, &event))
        bytes = td_tt_noc_text(&event, text, sizeof text);
    else
        bytes = (size_t)snprintf(text, sizeof text, TD_DATA_TEXT_FORMAT, "NoC", item->value);
    return push_message(push, item->cycle, td_dict_passing_string(push->dict, text, bytes), err);
}

static int push_point(struct td_tt_push *push, const struct td_tt_item *item, struct td_err *err)
{
    struct td_event event = {
        .time_ns = td_tt_chip_ns(push->chip, item->cycle), .subject = item->what, .kind = TD_EVENT_PLOT};
    memcpy(&event.value.f64, &item->value, sizeof event.value.f64);
    push->counts->plot_points++;
    push->events[push->count++] = event;
    return push->count == TD_TT_PUSH_BATCH ? td_tt_push_rest(push, err) : 0;
}

static int push_other(struct td_tt_push *push, const struct td_tt_item *item, struct td_err *err)
{
    switch (item->kind) {
    case TD_TT_ITEM_DATA:
        return push_data(push, item, err);
    case TD_TT_ITEM_NOC:
        return push_noc(push, item, err);
    case TD_TT_ITEM_PLOT:
        return push_point(push, item, err);
    default:
        return push_message(push, item->cycle, item->what, err);
    }
}

/* ---- zones */

void td_tt_pair_free(struct td_tt_pair *pair)
{
    free(pair->open);
    free(pair->crossing);
}

static int close_zone(struct td_tt_pair *pair, struct td_tt_push *push, int64_t cycle, struct td_err *err)
{
    pair->count--;
    return push_event(push, TD_EVENT_ZONE_END, cycle, 0, 0, err);
}

/* Ends the zones inside of the first `outer` ones, whose ends are missing. */
static int close_inner(struct td_tt_pair *pair, struct td_tt_push *push, size_t outer, int64_t cycle,
                       struct td_err *err)
{
    int bad = 0;
    if (pair->count > outer && !push->no_end_text)
        push->no_end_text = td_dict_cstring(push->dict, TD_NO_END_TEXT);
    if (push->no_end_text == UINT32_MAX)
        return td_fail_no_memory(err, "for the zones of a device log");
    while (pair->count > outer && !bad) {
        push->counts->open++;
        bad = push_event(push, TD_EVENT_ZONE_TEXT, cycle, push->no_end_text, 0, err);
        bad = bad ? bad : close_zone(pair, push, cycle, err);
    }
    return bad;
}

/* One more than the place of the innermost open zone of the location; 0: none. */
static size_t find_open(const struct td_tt_pair *pair, uint32_t srcloc)
{
    size_t at = pair->count;
    while (at && pair->open[at - 1] != srcloc)
        at--;
    return at;
}

static bool ends_with(const struct td_tt_push *push, uint32_t srcloc, const char *end)
{
    const char *dash = strrchr(td_dict_zone_name(push->dict, srcloc), '-');
    return dash && !strcmp(dash, end);
}

/* One more than the place of the outermost open zone that must have ended before the zone begins; 0: none. A
 * launch is never inside of itself, and a firmware's zone never inside of a kernel's. */
static size_t find_ended(const struct td_tt_pair *pair, const struct td_tt_push *push, uint32_t srcloc)
{
    const bool fw = ends_with(push, srcloc, "-FW");
    size_t at = 0;
    if (!fw)
        return ends_with(push, srcloc, "-KERNEL") ? find_open(pair, srcloc) : 0;
    while (at < pair->count && pair->open[at] != srcloc && !ends_with(push, pair->open[at], "-KERNEL"))
        at++;
    return at < pair->count ? at + 1 : 0;
}

static bool is_open(const struct td_tt_pair *pair, uint32_t srcloc)
{
    return find_open(pair, srcloc) != 0;
}

/* Zones of the location that items[0] to items[count - 1] begin and do not end. */
static size_t count_begun(const struct td_tt_item *items, size_t count, uint32_t srcloc)
{
    size_t begun = 0;
    for (size_t i = 0; i < count; i++)
        if (items[i].what == srcloc && items[i].kind == TD_TT_ITEM_BEGIN)
            begun++;
        else if (items[i].what == srcloc && items[i].kind == TD_TT_ITEM_END)
            begun -= begun != 0;
    return begun;
}

static bool is_launch(const struct td_tt_push *push, uint32_t srcloc)
{
    return ends_with(push, srcloc, "-FW") || ends_with(push, srcloc, "-KERNEL");
}

/* The end of the zone that items[0] begins, if the end of a zone around it comes before; NULL: none does, or it is not
 * known. */
static const struct td_tt_item *find_crossing(const struct td_tt_pair *pair, const struct td_tt_push *push,
                                              const struct td_tt_item *items, size_t count)
{
    const uint32_t srcloc = items[0].what;
    size_t begun = 1, zones = 0;
    int64_t cut = INT64_MAX;
    for (size_t i = 1; i < count && i < ITEMS_AHEAD && zones < ZONES_AHEAD; i++) {
        const struct td_tt_item *item = &items[i];
        if (item->kind > TD_TT_ITEM_END)
            continue;
        zones++;
        if (item->kind == TD_TT_ITEM_BEGIN) {
            if (is_launch(push, item->what))
                return NULL;
            begun += item->what == srcloc;
        } else if (item->what == srcloc) {
            if (--begun == 0)
                return item->cycle > cut ? item : NULL;
        } else if (cut == INT64_MAX && is_open(pair, item->what) && !count_begun(items, i, item->what)) {
            cut = item->cycle;
        }
    }
    return NULL;
}

static int begin_crossing(struct td_tt_pair *pair, struct td_tt_push *push, const struct td_tt_item *item,
                          const struct td_tt_item *end, struct td_err *err)
{
    if (TD_APPEND(pair->crossing, pair->crossing_count, pair->crossing_capacity,
                  (struct td_tt_crossing){item->cycle, item->what, (uint32_t)item->value, end->order}) < 0)
        return td_fail_no_memory(err, "for the zones of a device log");
    push->counts->zones++;
    push->counts->crossing++;
    return 0;
}

/* Pushes the zone that the item ends, if it is such a zone, and sets *is_one. */
static int end_crossing(struct td_tt_pair *pair, struct td_tt_push *push, const struct td_tt_item *item,
                        bool *is_one, struct td_err *err)
{
    size_t i = 0;
    while (i < pair->crossing_count && pair->crossing[i].end != item->order)
        i++;
    *is_one = i < pair->crossing_count;
    if (!*is_one)
        return 0;
    const struct td_tt_crossing zone = pair->crossing[i];
    pair->crossing[i] = pair->crossing[--pair->crossing_count];
    push->events[push->count++] = (struct td_event){.time_ns = td_tt_chip_ns(push->chip, zone.begin),
                                                    .value.end_ns = td_tt_chip_ns(push->chip, item->cycle),
                                                    .track = push->track,
                                                    .srcloc = zone.srcloc,
                                                    .subject = zone.text,
                                                    .kind = TD_EVENT_ZONE};
    return push->count == TD_TT_PUSH_BATCH ? td_tt_push_rest(push, err) : 0;
}

static int begin_zone(struct td_tt_pair *pair, struct td_tt_push *push, const struct td_tt_item *item,
                      size_t count, struct td_err *err)
{
    const struct td_tt_item *end =
        pair->count && !is_launch(push, item->what) ? find_crossing(pair, push, item, count) : NULL;
    if (end)
        return begin_crossing(pair, push, item, end, err);
    const uint32_t launch = (uint32_t)(item->value >> 32), other = (uint32_t)item->value;
    const size_t same = pair->count ? find_ended(pair, push, item->what) : 0;
    int bad = same ? close_inner(pair, push, same - 1, pair->last_cycle, err) : 0;
    if (bad)
        return bad;
    if (td_grow(&pair->open, &pair->capacity, pair->count + 1, sizeof *pair->open))
        return td_fail_no_memory(err, "for the zones of a device log");
    push->counts->zones++;
    bad = push_event(push, TD_EVENT_ZONE_BEGIN, item->cycle, 0, item->what, err);
    if (!bad && launch && !pair->count)
        bad = push_event(push, TD_EVENT_ZONE_TEXT, item->cycle, launch, 0, err);
    if (!bad && other)
        bad = push_event(push, TD_EVENT_ZONE_TEXT, item->cycle, other, 0, err);
    pair->open[pair->count++] = item->what;
    return bad;
}

static int end_zone(struct td_tt_pair *pair, struct td_tt_push *push, const struct td_tt_item *item,
                    struct td_err *err)
{
    bool is_crossing;
    int bad = end_crossing(pair, push, item, &is_crossing, err);
    if (bad || is_crossing)
        return bad;
    const size_t at = find_open(pair, item->what);
    push->counts->unmatched += !at;
    if (!at)
        return 0;
    bad = close_inner(pair, push, at, item->cycle, err);
    return bad ? bad : close_zone(pair, push, item->cycle, err);
}

/* `count` items are known from this one on. */
static int push_item(struct td_tt_pair *pair, struct td_tt_push *push, const struct td_tt_item *item,
                     size_t count, struct td_err *err)
{
    return item->kind == TD_TT_ITEM_BEGIN ? begin_zone(pair, push, item, count, err)
           : item->kind == TD_TT_ITEM_END ? end_zone(pair, push, item, err)
                                          : push_other(push, item, err);
}

/* The next of the items of one time: an end of the innermost open zone, else the first begin, else what is
 * left. */
static size_t choose_item(const struct td_tt_pair *pair, const struct td_tt_item *items, size_t count,
                          uint64_t used)
{
    size_t begin = count, first = count;
    const bool any_open = pair->count != 0;
    const uint32_t top = any_open ? pair->open[pair->count - 1] : 0;
    for (size_t i = 0; i < count; i++) {
        if (used >> i & 1)
            continue;
        if (any_open && items[i].kind == TD_TT_ITEM_END && items[i].what == top)
            return i;
        if (begin == count && items[i].kind != TD_TT_ITEM_END)
            begin = i;
        if (first == count)
            first = i;
    }
    return begin < count ? begin : first;
}

/* Pushes the first `count` items, which have one time, of `known`. */
static int push_group(struct td_tt_pair *pair, struct td_tt_push *push, const struct td_tt_item *items,
                      size_t count, size_t known, struct td_err *err)
{
    uint64_t used = 0;
    int bad = 0;
    for (size_t n = 0; n < count && !bad; n++) {
        const size_t i = count > 1 && count <= GROUP_MAX ? choose_item(pair, items, count, used) : n;
        used |= UINT64_C(1) << (i % GROUP_MAX);
        bad = push_item(pair, push, &items[i], known - i, err);
    }
    pair->last_cycle = items[0].cycle;
    return bad;
}

int td_tt_pair_push(struct td_tt_pair *pair, struct td_tt_push *push, const struct td_tt_item *items,
                    size_t count, struct td_err *err)
{
    /* All zones of the track come as begins and ends, so the model need not keep them for the end. */
    int bad = pair->has_begun ? 0 : push_event(push, TD_EVENT_SETTLED, items[0].cycle, 0, 0, err);
    pair->has_begun = true;
    for (size_t from = 0, until; from < count && !bad; from = until) {
        until = from + 1;
        while (until < count && items[until].cycle == items[from].cycle)
            until++;
        bad = push_group(pair, push, items + from, until - from, count - from, err);
    }
    return bad;
}

int td_tt_pair_end(struct td_tt_pair *pair, struct td_tt_push *push, struct td_err *err)
{
    return close_inner(pair, push, 0, pair->last_cycle, err);
}
