#include "host/agent/board/lane_add.h"
#include "host/agent/board/lane_opens.h"
#include "host/base/grow.h"

#include <stdio.h>
#include <string.h>

int td_lane_add(struct td_lane_events *lane, struct td_event event)
{
    return td_lane_log_add(&lane->log, event);
}

uint32_t td_lane_string(struct td_lane_events *lane, const char *text)
{
    return td_dict_passing_string(lane->names->dict, text, strlen(text));
}

int td_lane_add_message(struct td_lane_events *lane, uint64_t ticks, const char *text, uint32_t color)
{
    uint32_t string = td_lane_string(lane, text);
    if (string == UINT32_MAX)
        return TD_E_NOMEM;
    lane->messages++;
    return td_lane_add(
        lane, (struct td_event){
                  .kind = TD_EVENT_MESSAGE, .time_ns = (int64_t)ticks, .subject = string, .color = color});
}

/* Joins the texts that were written while the zone was the innermost open one, and removes them. */
static int take_texts(struct td_lane_events *lane, uint64_t start, uint64_t end, uint32_t *text)
{
    size_t first = lane->text_count;
    while (first > 0 && lane->texts[first - 1].ticks >= start && lane->texts[first - 1].ticks <= end)
        first--;
    if (first == lane->text_count)
        return 0;
    if (first + 1 == lane->text_count) {
        *text = lane->texts[first].string;
    } else {
        char joined[4 * TD_LANE_TEXT_BYTES];
        size_t used = 0;
        for (size_t i = first; i < lane->text_count && used < sizeof joined - 1; i++) {
            int n = snprintf(joined + used, sizeof joined - used, "%s%s", i > first ? "\n" : "",
                             td_dict_text(lane->names->dict, lane->texts[i].string));
            used += n > 0 ? (size_t)n : 0;
        }
        *text = td_lane_string(lane, joined);
    }
    lane->text_count = first;
    return *text == UINT32_MAX ? TD_E_NOMEM : 0;
}

int td_lane_add_zone(struct td_lane_events *lane, int64_t start, int64_t end, uint32_t srcloc, uint32_t text)
{
    int rc = 0;
    if (srcloc == UINT32_MAX)
        return TD_E_NOMEM;
    if (lane->text_count)
        rc = take_texts(lane, (uint64_t)start, (uint64_t)end, &text);
    td_lane_log_trim_gaps(&lane->log, start, end);
    int sent = 0;
    if (rc == 0 && lane->opens_count)
        rc = td_lane_opens_end(lane, start, end, srcloc, text, &sent);
    if (rc || sent)
        return rc;
    return td_lane_add(
        lane,
        (struct td_event){
            .kind = TD_EVENT_ZONE, .time_ns = start, .value.end_ns = end, .srcloc = srcloc, .subject = text});
}

int td_lane_add_text(struct td_lane_events *lane, uint64_t ticks, const char *text)
{
    if (td_grow(&lane->texts, &lane->text_capacity, lane->text_count + 1, sizeof *lane->texts))
        return TD_E_NOMEM;
    uint32_t string = td_lane_string(lane, text);
    lane->texts[lane->text_count++] = (struct td_lane_text){ticks, string};
    return string == UINT32_MAX ? TD_E_NOMEM : 0;
}
