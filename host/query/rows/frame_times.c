#include "host/query/rows/frame_times.h"
#include "host/base/percentile.h"
#include "host/base/compare.h"
#include "host/base/sorted.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK_EVERY 8192 /* frames between two looks at whether the job is cancelled */

int64_t td_frame_length(const struct td_trace *trace, uint32_t set, size_t frame, int64_t now_ns)
{
    const struct td_frame f = td_trace_frame(trace, set, frame);
    const int64_t end = f.end_ns == TD_OPEN ? now_ns : f.end_ns;
    return end > f.start_ns ? end - f.start_ns : 0;
}

TD_COMPARE_NUMBERS(compare_lengths, int64_t)

static int bin_of(double value, double low, double high)
{
    const int bin = high > low ? (int)((value - low) / (high - low) * TD_FRAME_BINS) : 0;
    return bin < 0 ? 0 : bin < TD_FRAME_BINS ? bin : TD_FRAME_BINS - 1;
}

/* From the sorted lengths. */
static void sum_lengths(struct td_frame_times *times, const int64_t *lengths)
{
    const size_t count = (size_t)times->count;
    double squares = 0;
    if (!count)
        return;
    times->min_ns = lengths[0];
    times->max_ns = lengths[count - 1];
    times->median_ns = lengths[count / 2];
    times->p75_ns = lengths[td_percentile_rank(count, .75)];
    times->p999_ns = lengths[td_percentile_rank(count, .999)];
    for (size_t i = 0; i < count; i++)
        times->total_ns += lengths[i];
    times->mean_ns = (double)times->total_ns / (double)count;
    const double low = log1p((double)times->min_ns), high = log1p((double)times->max_ns);
    for (size_t i = 0; i < count; i++) {
        const double length = (double)lengths[i];
        squares += (length - times->mean_ns) * (length - times->mean_ns);
        times->linear[bin_of(length, (double)times->min_ns, (double)times->max_ns)]++;
        times->logarithmic[bin_of(log1p(length), low, high)]++;
    }
    times->deviation_ns = count > 1 ? sqrt(squares / (double)(count - 1)) : 0;
}

static int read_lengths(struct td_frame_times *times, const struct td_trace *trace, uint32_t set,
                        int64_t now_ns, int64_t *lengths, struct td_job *job)
{
    for (size_t i = 0; i < times->frames; i++) {
        if (job && i % CHECK_EVERY == 0) {
            if (td_job_cancelled(job))
                return TD_E_STOPPED;
            td_job_set_progress(job, i, times->frames);
        }
        const struct td_frame f = td_trace_frame(trace, set, i);
        const int64_t length = td_frame_length(trace, set, i, now_ns);
        int64_t *longest = &times->longest[i / TD_FRAME_BLOCK];
        *longest = length > *longest ? length : *longest;
        if ((set || i) && f.end_ns != TD_OPEN && f.end_ns >= f.start_ns && f.start_ns >= times->from_ns &&
            f.end_ns <= times->to_ns)
            lengths[times->count++] = length;
    }
    return 0;
}

int td_frame_times_make(struct td_frame_times *times, const struct td_trace *trace, uint32_t set,
                        int64_t now_ns, struct td_job *job)
{
    return td_frame_times_make_within(times, trace, set, INT64_MIN, INT64_MAX, now_ns, job);
}

int td_frame_times_make_within(struct td_frame_times *times, const struct td_trace *trace, uint32_t set,
                               int64_t from_ns, int64_t to_ns, int64_t now_ns, struct td_job *job)
{
    *times =
        (struct td_frame_times){.frames = td_trace_frames(trace, set), .from_ns = from_ns, .to_ns = to_ns};
    times->blocks = (times->frames + TD_FRAME_BLOCK - 1) / TD_FRAME_BLOCK;
    times->longest = calloc(times->blocks + 1, sizeof *times->longest);
    int64_t *lengths = malloc((times->frames + 1) * sizeof *lengths);
    int rc = times->longest && lengths ? read_lengths(times, trace, set, now_ns, lengths, job) : TD_E_NOMEM;
    if (rc == 0) {
        qsort(lengths, (size_t)times->count, sizeof *lengths, compare_lengths);
        sum_lengths(times, lengths);
    }
    free(lengths);
    return rc;
}

void td_frame_times_free(struct td_frame_times *times)
{
    free(times->longest);
    *times = (struct td_frame_times){0};
}

int64_t td_frame_times_longest(const struct td_frame_times *times, const struct td_trace *trace, uint32_t set,
                               size_t first, size_t end, int64_t now_ns)
{
    int64_t most = 0;
    for (size_t i = first; i < end;) {
        int64_t length;
        if (i % TD_FRAME_BLOCK == 0 && i + TD_FRAME_BLOCK <= end && i + TD_FRAME_BLOCK <= times->frames) {
            length = times->longest[i / TD_FRAME_BLOCK];
            i += TD_FRAME_BLOCK;
        } else {
            length = td_frame_length(trace, set, i++, now_ns);
        }
        most = length > most ? length : most;
    }
    return most;
}

uint64_t td_frame_number(const struct td_trace *trace, uint32_t set, size_t frame)
{
    const uint64_t offset = td_trace_get_info(trace)->frame_offset;
    if (set)
        return frame + 1;
    if (frame == 0 || (offset && frame == 1))
        return SIZE_MAX;
    return offset ? frame + offset - 1 : frame;
}

const char *td_frame_name(const struct td_trace *trace, uint32_t set, size_t frame, char *room, size_t bytes)
{
    const struct td_dict *dict = td_trace_dict(trace);
    const uint64_t number = td_frame_number(trace, set, frame);
    const char *name = set ? td_dict_text(dict, td_dict_get_frame_set(dict, set, NULL)) : "Frame";
    if (number == SIZE_MAX)
        snprintf(room, bytes, "%s", frame ? "missed frames" : "start of the program");
    else
        snprintf(room, bytes, "%.80s %" PRIu64, name, number);
    return room;
}

size_t td_frame_at(const struct td_trace *trace, uint32_t set, double time_ns)
{
    size_t low = 0, high = td_trace_frames(trace, set);
    TD_BISECT(low, high, middle, (double)td_trace_frame(trace, set, middle).start_ns <= time_ns);
    return low ? low - 1 : SIZE_MAX;
}
