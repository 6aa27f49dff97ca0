#include "tests/device/lane_count.h"

#include <stdio.h>
#include <string.h>

static void take_log(struct lane_count *lane, const struct td_packet_record *r)
{
    uint64_t zones = r->arg_count ? r->args[0] : 0;
    if (lane->logs && lane->last_log + 1000 != zones)
        lane->wrong_logs++;
    if (!lane->lost_zones && lane->first_log <= 1000 && lane->zones != zones)
        lane->wrong_logs++;
    if (!lane->logs++)
        lane->first_log = zones;
    lane->last_log = zones;
}

static int on_record(void *self, const struct td_packet_record *r)
{
    struct lane_count *lane = self;
    lane->counted_zones += td_packet_counts_as(r->type, TD_COUNTS_ZONE);
    lane->counted_other += td_packet_counts_as(r->type, TD_COUNTS_OTHER);
    if (r->end_ticks && r->end_ticks < lane->last_end_ticks)
        lane->out_of_order++;
    if (r->end_ticks)
        lane->last_end_ticks = r->end_ticks;
    switch (r->type) {
    case TD_PACKET_ZONE:
        lane->zones++;
        break;
    case TD_PACKET_LOG:
        take_log(lane, r);
        break;
    case TD_PACKET_PLOT_INT:
        lane->plots++;
        lane->last_plot = r->value;
        break;
    case TD_PACKET_TEXT:
        lane->texts++;
        snprintf(lane->last_text, sizeof lane->last_text, "%.*s", (int)r->arg_count, (const char *)r->args);
        break;
    case TD_PACKET_ZVALUE:
        lane->values++;
        break;
    case TD_PACKET_BEGIN:
        lane->begins++;
        break;
    case TD_PACKET_END:
    case TD_PACKET_WHOLE:
        lane->kernels++;
        break;
    case TD_PACKET_EXIT:
        lane->exits++;
        break;
    case TD_PACKET_OP:
        lane->ops++;
        lane->last_op = r->value;
        break;
    case TD_PACKET_STALL:
        lane->stalls++;
        lane->stall_ticks += r->duration_ticks;
        break;
    case TD_PACKET_LOST:
        lane->lost_zones += r->value;
        lane->lost_other += r->value2;
        break;
    default:
        break;
    }
    return 0;
}

void lane_count_init(struct lane_count *lane)
{
    memset(lane, 0, sizeof *lane);
    td_packet_decoder_init(&lane->decoder);
}

int lane_count_words(struct lane_count *lane, const struct td_lane_at *at, const uint32_t *words,
                     size_t slots)
{
    lane->slots += slots;
    lane->missing += at->missing;
    if (at->gap) {
        td_packet_decoder_gap(&lane->decoder);
        if (at->missing)
            td_packet_decoder_set_time(&lane->decoder, at->time_high);
    }
    if (at->overwritten) {
        lane->lost_zones += at->given_zones - lane->counted_zones;
        lane->lost_other += at->given_other - lane->counted_other;
        lane->counted_zones = at->given_zones;
        lane->counted_other = at->given_other;
    }
    if (slots == 0)
        return 0;
    return td_packet_decoder_feed(&lane->decoder, words, slots, on_record, lane);
}

void lane_count_finish(struct lane_count *lane)
{
    td_packet_decoder_end_stream(&lane->decoder, on_record, lane);
}
