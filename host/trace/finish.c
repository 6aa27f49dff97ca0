/* The end of filling: everything is put in order, once. */
#include "host/base/grow.h"
#include "host/trace/model.h"

static int no_memory(struct td_err *err)
{
    return td_fail(err, TD_E_NOMEM, "out of memory while finishing the trace");
}

/* Stable sort of items that begin with an int64_t time, if they are not in order. Returns 1 if it had to, -1:
 * no memory. */
static int sort_by_time(void *items, size_t count, size_t bytes)
{
    char *base = items;
    size_t sorted = 1;
    for (; sorted < count; sorted++) {
        int64_t a, b;
        memcpy(&a, base + (sorted - 1) * bytes, sizeof a);
        memcpy(&b, base + sorted * bytes, sizeof b);
        if (b < a)
            break;
    }
    if (sorted >= count)
        return 0;
    char *spare = malloc(count * bytes);
    if (!spare)
        return -1;
    char *from = base, *to = spare;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t begin = 0; begin < count; begin += 2 * width) {
            size_t middle = begin + width < count ? begin + width : count;
            size_t end = middle + width < count ? middle + width : count;
            size_t a = begin, b = middle;
            for (size_t i = begin; i < end; i++) {
                int64_t left = 0, right = 0;
                if (a < middle)
                    memcpy(&left, from + a * bytes, sizeof left);
                if (b < end)
                    memcpy(&right, from + b * bytes, sizeof right);
                size_t take = b == end || (a < middle && left <= right) ? a++ : b++;
                memcpy(to + i * bytes, from + take * bytes, bytes);
            }
        }
        char *swap = from;
        from = to;
        to = swap;
    }
    if (from != base)
        memcpy(base, from, count * bytes);
    free(spare);
    return 1;
}

static int finish_zones(struct td_trace *trace, struct td_err *err)
{
    for (size_t t = 0; t < trace->track_count; t++) {
        struct track *track = &trace->tracks[t];
        while (track->open_count) {
            int rc = td_trace_close_(trace, track, TD_OPEN, err);
            if (rc < 0)
                return rc;
        }
        free(track->open);
        track->open = NULL;
        track->open_capacity = 0;
        if (!track->arrived)
            continue;
        int rc = td_trace_nest_(trace, track, err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* Messages by time, and for each track the numbers of its own. */
static int finish_messages(struct td_trace *trace, struct td_err *err)
{
    _Static_assert(offsetof(struct td_message, time_ns) == 0, "sorted by its first field");
    if (sort_by_time(trace->messages, trace->message_count, sizeof *trace->messages) < 0)
        return no_memory(err);
    trace->message_order = malloc((trace->message_count + 1) * sizeof *trace->message_order);
    if (!trace->message_order)
        return no_memory(err);
    for (size_t i = 0; i < trace->message_count; i++)
        trace->tracks[trace->messages[i].track].message_count++;
    size_t first = 0;
    for (size_t t = 0; t < trace->track_count; t++) {
        trace->tracks[t].message_first = first;
        first += trace->tracks[t].message_count;
        trace->tracks[t].message_count = 0;
    }
    for (size_t i = 0; i < trace->message_count; i++) {
        struct track *track = &trace->tracks[trace->messages[i].track];
        trace->message_order[track->message_first + track->message_count++] = i;
    }
    return 0;
}

static int finish_series(struct td_trace *trace, struct td_err *err)
{
    _Static_assert(offsetof(struct td_point, time_ns) == 0, "sorted by its first field");
    _Static_assert(offsetof(struct td_frame, start_ns) == 0, "sorted by its first field");
    for (size_t p = 0; p < trace->plot_count; p++) {
        if (sort_by_time(trace->plots[p].points, trace->plots[p].count, sizeof(struct td_point)) < 0)
            return no_memory(err);
    }
    for (size_t f = 0; f < trace->frame_set_count; f++) {
        int rc =
            sort_by_time(trace->frame_sets[f].frames, trace->frame_sets[f].count, sizeof(struct td_frame));
        if (rc < 0)
            return no_memory(err);
        trace->clamped += (uint64_t)rc;
    }
    return 0;
}

int td_trace_finish(struct td_trace *trace, struct td_err *err)
{
    if (trace->finished)
        return td_fail(err, TD_E_USAGE, "the trace is finished already");
    trace->finished = 1;
    uint32_t tracks = td_dict_track_count(trace->dict);
    if (tracks && !td_trace_track_(trace, tracks - 1))
        return no_memory(err);
    int rc = finish_zones(trace, err);
    if (rc == 0)
        rc = finish_messages(trace, err);
    if (rc == 0)
        rc = finish_series(trace, err);
    if (trace->info.last_time_ns < trace->last_time_ns)
        trace->info.last_time_ns = trace->last_time_ns;
    return rc;
}
