#include "host/agent/board/lane_events.h"
#include "host/agent/board/board_tap.h"
#include "host/agent/board/lane_add.h"
#include "host/agent/board/lane_left.h"
#include "host/agent/board/lane_names.h"
#include "host/agent/board/lane_opens.h"
#include "host/base/grow.h"
#include "proto/track.h"
#include "proto/track_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PRINTED_COLOR 0x9fb4c8

void td_lane_events_init(struct td_lane_events *lane, struct td_lane_names *names, const char *place)
{
    memset(lane, 0, sizeof *lane);
    lane->names = names;
    snprintf(lane->place, sizeof lane->place, "%s", place);
    td_packet_decoder_init(&lane->decoder);
    td_lane_log_init(&lane->log, names->store);
    lane->last_sent = UINT32_MAX;
    lane->doubt_from = lane->doubt_after_look = INT64_MAX;
}

void td_lane_events_free(struct td_lane_events *lane)
{
    td_lane_log_free(&lane->log);
    free(lane->texts);
    free(lane->open);
    free(lane->left);
    free(lane->opens);
    td_open_watch_free(&lane->watch);
}

/* Subjects that are no strings do no harm. */
void td_lane_events_hold(const struct td_lane_events *lane, struct td_dict *dict)
{
    struct td_lane_log_cursor cursor = {0};
    struct td_event events[TD_LANE_LOG_BLOCK];
    for (size_t count; (count = td_lane_log_next(&lane->log, &cursor, events)) != 0;)
        for (size_t i = 0; i < count; i++)
            td_dict_hold(dict, events[i].subject);
    for (size_t i = 0; i < lane->text_count; i++)
        td_dict_hold(dict, lane->texts[i].string);
}

static void format_site(struct td_lane_events *lane, const struct td_packet_record *r, char *out,
                        size_t bytes)
{
    char buffer[64];
    struct td_site site = td_lane_site(lane, r->id, buffer, sizeof buffer);
    if (lane->sites && lane->sites->image)
        td_image_format(lane->sites->image, site.name, r->args, r->arg_count, out, bytes);
    else
        snprintf(out, bytes, "%s", site.name);
}

static int add_point(struct td_lane_events *lane, const struct td_packet_record *r, double value)
{
    char buffer[64], name[256];
    struct td_site site = td_lane_site(lane, r->id, buffer, sizeof buffer);
    snprintf(name, sizeof name, "%s (%s)", site.name, lane->place);
    struct td_plot plot = {.name = td_dict_cstring(lane->names->dict, name), .fill = 1};
    uint32_t number = td_dict_plot(lane->names->dict, &plot);
    if (number == UINT32_MAX)
        return TD_E_NOMEM;
    lane->points++;
    return td_lane_add(lane, (struct td_event){.kind = TD_EVENT_PLOT,
                                               .time_ns = (int64_t)r->end_ticks,
                                               .subject = number,
                                               .value.f64 = value});
}

static int on_plot_float(struct td_lane_events *lane, const struct td_packet_record *r)
{
    uint32_t bits = (uint32_t)r->value;
    float f;
    memcpy(&f, &bits, sizeof f);
    if (f - f != 0) /* not finite: viewers cannot draw it */
        return td_lane_add_message(lane, r->end_ticks, "a plot's value is not finite", TD_LOST_COLOR);
    return add_point(lane, r, f);
}

/* The time of the last event. */
static int64_t latest_ticks(const struct td_lane_events *lane)
{
    const struct td_event *last = td_lane_log_last(&lane->log);
    int64_t ticks = last ? td_lane_event_end(last) : 0;
    if (lane->open_count && (int64_t)lane->open[lane->open_count - 1].ticks > ticks)
        ticks = (int64_t)lane->open[lane->open_count - 1].ticks;
    return ticks;
}

/* A zone with BEGIN and END packets is never inside itself. So when its site begins again, an open zone of
 * this site whose end may have been overwritten has ended. */
static int end_doubtful(struct td_lane_events *lane, uint32_t srcloc)
{
    for (size_t i = 0; i < lane->open_count; i++)
        if (lane->open[i].doubtful && lane->open[i].srcloc == srcloc)
            return td_lane_end_begun(lane, i, latest_ticks(lane), NULL);
    return 0;
}

static int on_begin(struct td_lane_events *lane, const struct td_packet_record *r)
{
    if (td_grow(&lane->open, &lane->open_capacity, lane->open_count + 1, sizeof *lane->open))
        return TD_E_NOMEM;
    const uint32_t srcloc = td_lane_srcloc(lane, r->id);
    if (end_doubtful(lane, srcloc))
        return TD_E_NOMEM;
    lane->open[lane->open_count++] = (struct td_lane_open_zone){r->end_ticks, srcloc, 0};
    if (td_lane_opens_begin(lane, r->end_ticks, srcloc))
        return TD_E_NOMEM;
    if (!lane->op)
        return 0;
    char text[64];
    int n = snprintf(text, sizeof text, TD_OP_TEXT_FORMAT "\n", lane->op);
    snprintf(text + n, sizeof text - (size_t)n, TD_FLOW_TEXT_FORMAT, "in", TD_FLOW_LAUNCH,
             (unsigned long)lane->op);
    return td_lane_add_text(lane, r->end_ticks, text);
}

/* A complete zone whose BEGIN came before, or was overwritten and counted as lost. */
static int on_whole(struct td_lane_events *lane, const struct td_packet_record *r)
{
    const uint64_t start = r->end_ticks - r->duration_ticks;
    const uint32_t srcloc = td_lane_srcloc(lane, r->id);
    size_t i = lane->open_count;
    while (i > 0 && (lane->open[i - 1].ticks != start || lane->open[i - 1].srcloc != srcloc))
        i--;
    int rc = i ? td_lane_end_begun(lane, i, (int64_t)r->end_ticks, NULL) : end_doubtful(lane, srcloc);
    if (i)
        lane->open_count--;
    else if (lane->lost_zones)
        lane->lost_zones--;
    lane->zones++;
    rc = rc ? rc : td_lane_add_zone(lane, (int64_t)start, (int64_t)r->end_ticks, srcloc, 0);
    td_lane_opens_none(lane, (int64_t)r->end_ticks);
    return rc;
}

static int on_end(struct td_lane_events *lane, const struct td_packet_record *r)
{
    if (!lane->open_count)
        return 0;
    struct td_lane_open_zone o = lane->open[--lane->open_count];
    lane->zones++;
    int rc = td_lane_add_zone(lane, (int64_t)o.ticks, (int64_t)r->end_ticks, o.srcloc, 0);
    td_lane_opens_none(lane, (int64_t)r->end_ticks);
    return rc;
}

static int on_image(struct td_lane_events *lane, uint64_t build_id)
{
    struct td_site_numbers *s = td_lane_names_find(lane->names, build_id);
    if (!s)
        return TD_E_NOMEM;
    if (!s->image && !lane->names->missing_image[0])
        snprintf(lane->names->missing_image, sizeof lane->names->missing_image, "%016" PRIx64, build_id);
    lane->sites = s;
    return 0;
}

static int on_lost(struct td_lane_events *lane, const struct td_packet_record *r)
{
    char text[96];
    if (r->type == TD_PACKET_STAMPED_LOST)
        snprintf(text, sizeof text, "at least %" PRIu64 " zones lost: the timestamper had no room", r->value);
    else
        snprintf(text, sizeof text, "%" PRIu64 " zones and %" PRIu64 " other packets lost", r->value,
                 r->value2);
    lane->lost_zones += r->value;
    lane->lost_other += r->value2;
    td_lane_opens_lost(lane, (int64_t)(r->end_ticks - r->duration_ticks));
    int rc = td_lane_log_add_gap(&lane->log,
                                 (struct td_event){.kind = TD_EVENT_ZONE,
                                                   .time_ns = (int64_t)(r->end_ticks - r->duration_ticks),
                                                   .value.end_ns = (int64_t)r->end_ticks,
                                                   .srcloc = lane->names->lost_srcloc,
                                                   .subject = td_lane_string(lane, text)});
    for (size_t i = 0; i < lane->opens_count && lane->opens[i].begin < r->end_ticks; i++)
        td_lane_log_trim_gaps(&lane->log, (int64_t)lane->opens[i].begin, INT64_MAX);
    return rc;
}

static int on_stall(struct td_lane_events *lane, const struct td_packet_record *r)
{
    lane->stalls++;
    return td_lane_add(lane, (struct td_event){.kind = TD_EVENT_ZONE,
                                               .time_ns = (int64_t)(r->end_ticks - r->duration_ticks),
                                               .value.end_ns = (int64_t)r->end_ticks,
                                               .srcloc = lane->names->stall_srcloc});
}

static int on_flow(struct td_lane_events *lane, const struct td_packet_record *r, const char *direction)
{
    char buffer[64], text[256];
    struct td_site site = td_lane_site(lane, r->id, buffer, sizeof buffer);
    snprintf(text, sizeof text, TD_FLOW_TEXT_FORMAT, direction, site.name, (unsigned long)r->value);
    return td_lane_add_text(lane, r->end_ticks, text);
}

static int on_sum(struct td_lane_events *lane, const struct td_packet_record *r)
{
    char buffer[64], text[256];
    struct td_site site = td_lane_site(lane, r->id, buffer, sizeof buffer);
    snprintf(text, sizeof text, TD_SUM_TEXT_FORMAT, site.name, r->value, r->value2);
    return td_lane_add_message(lane, r->end_ticks, text, 0);
}

static int on_data(struct td_lane_events *lane, const struct td_packet_record *r)
{
    char buffer[64], text[256];
    struct td_site site = td_lane_site(lane, r->id, buffer, sizeof buffer);
    uint64_t v = r->arg_count > 0 ? r->args[0] : 0;
    if (r->arg_count > 1)
        v |= (uint64_t)r->args[1] << 32;
    snprintf(text, sizeof text, TD_DATA_TEXT_FORMAT, site.name, v);
    return td_lane_add_message(lane, r->end_ticks, text, 0);
}

/* Text that the kernel printed: the bytes up to the first NUL, without the last newline. */
static int on_printed(struct td_lane_events *lane, const struct td_packet_record *r)
{
    char text[4096];
    size_t n = r->arg_count < sizeof text - 1 ? r->arg_count : sizeof text - 1;
    memcpy(text, r->args, n);
    text[n] = 0;
    n = strlen(text);
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == '\r'))
        text[--n] = 0;
    return td_lane_add_message(lane, r->end_ticks, text, PRINTED_COLOR);
}

static int on_exit_code(struct td_lane_events *lane, const struct td_packet_record *r)
{
    char text[64];
    td_lane_opens_none(lane, (int64_t)r->end_ticks); /* also where the kernel's zone is switched off */
    if (!r->value)
        return 0;
    snprintf(text, sizeof text, "kernel returned %" PRId32, (int32_t)(uint32_t)r->value);
    return td_lane_add_message(lane, r->end_ticks, text, TD_LOST_COLOR);
}

static int on_formatted(struct td_lane_events *lane, const struct td_packet_record *r)
{
    char text[TD_LANE_TEXT_BYTES];
    format_site(lane, r, text, sizeof text);
    return r->type == TD_PACKET_LOG ? td_lane_add_message(lane, r->end_ticks, text, 0)
                                    : td_lane_add_text(lane, r->end_ticks, text);
}

static int on_value(struct td_lane_events *lane, const struct td_packet_record *r)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, r->value);
    return td_lane_add_text(lane, r->end_ticks, text);
}

static int on_event(struct td_lane_events *lane, const struct td_packet_record *r)
{
    char text[32];
    snprintf(text, sizeof text, TD_EVENT_TEXT_FORMAT, r->id);
    return td_lane_add_message(lane, r->end_ticks, text, 0);
}

/* Adds a zone from the last event to `end`, where packets are missing. */
static int add_lost(struct td_lane_events *lane, int64_t end, const char *text)
{
    int64_t start = latest_ticks(lane);
    if (start == 0 || start > end)
        start = end;
    return td_lane_log_add_gap(&lane->log, (struct td_event){.kind = TD_EVENT_ZONE,
                                                             .time_ns = start,
                                                             .value.end_ns = end,
                                                             .srcloc = lane->names->lost_srcloc,
                                                             .subject = td_lane_string(lane, text)});
}

/* Shows the packets that are missing before this one. */
static int close_gap(struct td_lane_events *lane, int64_t end)
{
    const struct td_lane_packets *o = &lane->overwritten;
    char text[96];
    if (lane->gap_slots)
        snprintf(text, sizeof text, "%" PRIu32 " slots lost on their way", lane->gap_slots);
    else
        snprintf(text, sizeof text, "%" PRIu32 " zones and %" PRIu32 " other packets overwritten", o->zones,
                 o->other);
    lane->gap_slots = 0;
    lane->overwritten = (struct td_lane_packets){0, 0};
    return add_lost(lane, end, text);
}

static int on_zone(struct td_lane_events *lane, const struct td_packet_record *r)
{
    const int64_t start = (int64_t)(r->end_ticks - r->duration_ticks);
    const uint32_t srcloc = td_lane_srcloc(lane, r->id);
    if (start < lane->watch_until)
        td_lane_on_close(lane, (uint64_t)start, r->id);
    lane->closed = (struct td_lane_closed){(uint64_t)start, r->id};
    lane->zones++;
    return td_lane_add_zone(lane, start, (int64_t)r->end_ticks, srcloc, 0);
}

static int on_packet(struct td_lane_events *lane, const struct td_packet_record *r)
{
    switch (r->type) {
    case TD_PACKET_ZONE:
    case TD_PACKET_STAMPED:
        return on_zone(lane, r);
    case TD_PACKET_BEGIN:
        return on_begin(lane, r);
    case TD_PACKET_END:
        return on_end(lane, r);
    case TD_PACKET_WHOLE:
        return on_whole(lane, r);
    case TD_PACKET_OP:
        lane->op = (uint32_t)r->value;
        return 0;
    case TD_PACKET_IMAGE:
        lane->names->has_stamped |= (r->id & TD_IMAGE_IS_STAMPED) != 0;
        return on_image(lane, r->value);
    case TD_PACKET_STALL:
        return on_stall(lane, r);
    case TD_PACKET_LOST:
    case TD_PACKET_STAMPED_LOST:
        return on_lost(lane, r);
    case TD_PACKET_TEXT:
        return on_printed(lane, r);
    case TD_PACKET_LOG:
    case TD_PACKET_ZTEXT:
        return on_formatted(lane, r);
    case TD_PACKET_ZVALUE:
        return on_value(lane, r);
    case TD_PACKET_PLOT_INT:
        return add_point(lane, r, (int32_t)(uint32_t)r->value);
    case TD_PACKET_PLOT_FLOAT:
        return on_plot_float(lane, r);
    case TD_PACKET_FLOW_OUT:
        return on_flow(lane, r, "out");
    case TD_PACKET_FLOW_IN:
        return on_flow(lane, r, "in");
    case TD_PACKET_EVENT:
        return on_event(lane, r);
    case TD_PACKET_DATA:
        return on_data(lane, r);
    case TD_PACKET_SUM:
        return on_sum(lane, r);
    case TD_PACKET_EXIT:
        return on_exit_code(lane, r);
    case TD_PACKET_OPEN:
        return td_lane_on_open(lane, r);
    case TD_PACKET_STAMPED_OPEN:
        return td_lane_on_stamped_open(lane, r);
    case TD_PACKET_LEFT:
        return td_lane_end_begun(lane, 0, (int64_t)r->end_ticks, td_lane_left_text((uint32_t)r->value));
    default: /* TIME, PAD: not shown */
        return 0;
    }
}

static bool has_gap(const struct td_lane_events *lane)
{
    return (lane->gap_slots | lane->overwritten.zones | lane->overwritten.other) != 0;
}

static int on_record(void *self, const struct td_packet_record *r)
{
    struct td_lane_events *lane = self;
    lane->exited = r->type == TD_PACKET_EXIT;
    lane->counted.zones += td_packet_counts_as(r->type, TD_COUNTS_ZONE);
    lane->counted.other += td_packet_counts_as(r->type, TD_COUNTS_OTHER);
    const struct td_image *image = lane->sites ? lane->sites->image : NULL;
    td_lane_bill_packet(&lane->bill, r, image ? td_image_site(image, r->id) : NULL);
    if (r->duration_ticks > r->end_ticks || r->end_ticks > INT64_MAX - 1) {
        lane->bad_records++;
        return 0;
    }
    int rc = 0;
    if (lane->left_count && r->type != TD_PACKET_OPEN && r->type != TD_PACKET_STAMPED_OPEN)
        rc = td_lane_end_left(lane, (int64_t)lane->left_ticks, td_lane_left_text(lane->left_how));
    /* A launch begins: zones of the previous launch that are still open have lost their ends. */
    if (rc == 0 && r->type == TD_PACKET_IMAGE && lane->end_lost) {
        rc = td_lane_end_begun(lane, 0, latest_ticks(lane), NULL);
        lane->end_lost = 0;
    }
    if (rc == 0 && has_gap(lane) && r->end_ticks)
        rc = close_gap(lane, (int64_t)(r->end_ticks - r->duration_ticks));
    return rc ? rc : on_packet(lane, r);
}

/* A zone without a text, which ends last and does not begin in a gap: it only has to be stored. */
static bool is_plain(const struct td_lane_events *lane, int64_t start, int64_t end)
{
    const struct td_event *last = td_lane_log_last(&lane->log);
    return start >= lane->watch_until && !lane->text_count && !lane->left_count && !has_gap(lane) && last &&
           td_lane_event_end(last) <= end && td_lane_log_gap_end(&lane->log) <= start;
}

/* The numbers of a site that was seen before, else 0. */
static struct td_site_number known_numbers(const struct td_site_numbers *sites, uint32_t id)
{
    return sites && id < sites->count ? sites->numbers[id] : (struct td_site_number){0, 0};
}

static int on_zones(void *self, const struct td_zone_columns *z)
{
    struct td_lane_events *lane = self;
    int rc = td_lane_log_room(&lane->log, z->count);
    uint32_t plain = 0;
    uint64_t cost = 0;
    lane->exited = false;
    size_t last_plain = 0;
    for (size_t i = 0; rc == 0 && i < z->count; i++) {
        int64_t end = (int64_t)(z->high_ticks | z->end[i]), start = end - z->duration[i];
        const struct td_site_number numbers = known_numbers(lane->sites, z->id[i]);
        if (numbers.srcloc && is_plain(lane, start, end)) {
            plain++;
            cost += numbers.cost;
            last_plain = i + 1;
            td_lane_log_put_zone_(&lane->log, start, end, numbers.srcloc);
        } else {
            const struct td_packet_record r = {.type = TD_PACKET_ZONE,
                                               .id = z->id[i],
                                               .end_ticks = (uint64_t)end,
                                               .duration_ticks = z->duration[i]};
            rc = on_record(lane, &r);
            if (rc == 0) /* which may have added more than one event */
                rc = td_lane_log_room(&lane->log, z->count - i);
        }
    }
    if (last_plain == z->count && last_plain)
        lane->closed = (struct td_lane_closed){
            (z->high_ticks | z->end[last_plain - 1]) - z->duration[last_plain - 1], z->id[last_plain - 1]};
    td_lane_bill_zones(&lane->bill, plain, cost);
    lane->zones += plain;
    lane->counted.zones += plain;
    return rc ? TD_E_NOMEM : 0;
}

static void miss_slots(struct td_lane_events *lane, uint32_t missing, uint32_t time_high)
{
    const bool has_same_high = lane->decoder.have_time && lane->decoder.time_high == time_high;
    td_packet_decoder_gap(&lane->decoder);
    if (!missing)
        return;
    /* No TIME packet can be among the missing slots. */
    if (has_same_high)
        td_packet_decoder_set_time(&lane->decoder, time_high);
    lane->link_lost += missing;
    lane->gap_slots += missing;
    lane->had_gap = 1;
    td_lane_opens_lost(lane, latest_ticks(lane));
    lane->between_launches = 0;
}

void td_lane_events_gap(struct td_lane_events *lane, uint32_t missing, uint32_t time_high)
{
    miss_slots(lane, missing, time_high);
    if (!missing)
        return;
    lane->end_lost = 1;
    /* A core that joins the recording again counts from 0. */
    lane->counted = (struct td_lane_packets){0, 0};
}

static void doubt_open(struct td_lane_events *lane)
{
    for (size_t i = 0; i < lane->open_count; i++)
        lane->open[i].doubtful = 1;
}

void td_lane_events_hole(struct td_lane_events *lane, uint32_t missing, uint32_t time_high)
{
    miss_slots(lane, missing, time_high);
    doubt_open(lane);
}

void td_lane_events_overwritten(struct td_lane_events *lane, struct td_lane_packets given)
{
    /* Fewer than arrived: a kernel has written over the core's counts, which is said elsewhere. */
    const struct td_lane_packets lost = {
        given.zones > lane->counted.zones ? given.zones - lane->counted.zones : 0,
        given.other > lane->counted.other ? given.other - lane->counted.other : 0};
    td_packet_decoder_gap(&lane->decoder);
    lane->counted.zones += lost.zones;
    lane->counted.other += lost.other;
    lane->lost_zones += lost.zones;
    lane->lost_other += lost.other;
    lane->overwritten.zones += lost.zones;
    lane->overwritten.other += lost.other;
    td_lane_opens_lost(lane, latest_ticks(lane));
    lane->between_launches = 0;
    doubt_open(lane);
}

uint64_t td_lane_events_latest(const struct td_lane_events *lane)
{
    return (uint64_t)latest_ticks(lane);
}

uint32_t td_lane_events_last_zone(const struct td_lane_events *lane)
{
    for (size_t i = lane->log.count; i > 0; i--) {
        const struct td_event *event = &lane->log.recent[i - 1];
        if (event->kind == TD_EVENT_ZONE && event->srcloc != lane->names->lost_srcloc &&
            event->srcloc != lane->names->stall_srcloc)
            return event->srcloc;
    }
    return lane->open_count ? lane->open[lane->open_count - 1].srcloc : lane->last_sent;
}

int td_lane_events_words(struct td_lane_events *lane, const uint32_t *words, size_t slots)
{
    lane->fed_since_look |= slots > 0;
    const struct td_packet_sink to = {.record = on_record, .zones = on_zones, .self = lane};
    return td_packet_decoder_feed_columns(&lane->decoder, words, slots, &to);
}

int td_lane_events_end(struct td_lane_events *lane, uint64_t until_ticks, uint64_t dropped_zones,
                       uint64_t dropped_other)
{
    const int64_t until = until_ticks < INT64_MAX ? (int64_t)until_ticks : 0;
    int rc = td_lane_events_words(lane, NULL, 0);
    rc = rc ? rc : td_lane_end_left(lane, (int64_t)lane->left_ticks, td_lane_left_text(lane->left_how));
    if (rc == 0 && has_gap(lane))
        rc = close_gap(lane, until > latest_ticks(lane) ? until : latest_ticks(lane));
    if (rc == 0 && (dropped_zones || dropped_other)) {
        char text[96];
        snprintf(text, sizeof text, "%" PRIu64 " zones and %" PRIu64 " other packets lost", dropped_zones,
                 dropped_other);
        lane->lost_zones += dropped_zones;
        lane->lost_other += dropped_other;
        rc = add_lost(lane, until > latest_ticks(lane) ? until : latest_ticks(lane), text);
    }
    rc = rc ? rc : td_lane_end_begun(lane, 0, TD_LANE_OPEN, NULL);
    for (size_t i = 0; rc == 0 && i < lane->text_count; i++)
        rc = td_lane_add_message(lane, lane->texts[i].ticks,
                                 td_dict_text(lane->names->dict, lane->texts[i].string), 0);
    lane->text_count = 0;
    return rc;
}
