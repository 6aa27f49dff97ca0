/* The lengths of the frames of a set: statistics, a histogram, and the longest of each block of frames. */
#pragma once
#include "host/trace/trace.h"
#include "host/query/task/job.h"

#define TD_FRAME_BLOCK 64 /* frames */
#define TD_FRAME_BINS  120

struct td_frame_times { /* all zero: none */
    uint64_t count;     /* finished frames that count: those of the set, without the base set's first */
    int64_t min_ns, max_ns, median_ns, total_ns;
    int64_t p75_ns, p999_ns; /* that 75 % and 99.9 % of the frames do not exceed */
    double mean_ns, deviation_ns;
    /* Frames by length: bin i has those from min + i * (max - min) / TD_FRAME_BINS on, or, logarithmic, the same
     * between the logarithms. */
    uint64_t linear[TD_FRAME_BINS], logarithmic[TD_FRAME_BINS];
    int64_t from_ns, to_ns; /* the frames that count lie between these times */
    int64_t *longest;       /* of each block of TD_FRAME_BLOCK frames */
    size_t blocks, frames;
};

/* An open frame lasts until now_ns. */
int64_t td_frame_length(const struct td_trace *trace, uint32_t set, size_t frame, int64_t now_ns);
/* 0, TD_E_NOMEM or TD_E_STOPPED; td_frame_times_free() frees the result in any case. `job` may be NULL. */
int td_frame_times_make(struct td_frame_times *times, const struct td_trace *trace, uint32_t set,
                        int64_t now_ns, struct td_job *job);
/* The same, only of frames that lie in a range of time. */
int td_frame_times_make_within(struct td_frame_times *times, const struct td_trace *trace, uint32_t set,
                               int64_t from_ns, int64_t to_ns, int64_t now_ns, struct td_job *job);
void td_frame_times_free(struct td_frame_times *times);
/* The longest of the frames first to end - 1. */
int64_t td_frame_times_longest(const struct td_frame_times *times, const struct td_trace *trace, uint32_t set,
                               size_t first, size_t end, int64_t now_ns);
/* "Frame 7", "start of the program", "missed frames", "Physics 3": the name in lists. In captures on demand, the
 * numbers of the base set go on from the frames before the capture. Returns `room`. */
const char *td_frame_name(const struct td_trace *trace, uint32_t set, size_t frame, char *room, size_t bytes);
/* The number that td_frame_name() shows; SIZE_MAX: none. */
uint64_t td_frame_number(const struct td_trace *trace, uint32_t set, size_t frame);
/* The frame that begins last before or at the time; SIZE_MAX: none. */
size_t td_frame_at(const struct td_trace *trace, uint32_t set, double time_ns);
