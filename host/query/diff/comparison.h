/* Compares two traces: zones by name and file as `tendril compare` does, the time of a name on each track, the
 * lengths of a name's zones, and frames. Side 0 is the other trace, the one before; side 1 the present one. */
#pragma once
#include "host/query/diff/table.h"
#include "host/query/rows/frame_times.h"
#include "host/query/sums/sums.h"
#include "host/query/table/query_table.h"

struct td_track_pair { /* tracks of the same name; of several of one name, by their order */
    const char *name;  /* of a dictionary */
    uint32_t track[2]; /* UINT32_MAX: not in that trace */
};

struct td_compare_range { /* zones and frames count that lie in it */
    int64_t from_ns, to_ns;
};
#define TD_COMPARE_ALL ((struct td_compare_range){INT64_MIN, INT64_MAX})

struct td_comparison { /* all zero: none */
    const struct td_trace *trace[2];
    struct td_compare_range range[2];
    struct td_compare_table table;
    struct td_sums sums[2];
    struct td_track_pair *pairs;
    size_t pair_count;
};

/* Compares finished traces, which must stay until td_comparison_free(). `ranges`: of both; NULL: all of them. `job` may
 * be NULL. */
int td_comparison_make(struct td_comparison *comparison, const struct td_trace *other,
                       const struct td_trace *present, const struct td_compare_range ranges[2],
                       struct td_job *job, struct td_err *err);
void td_comparison_free(struct td_comparison *comparison);

/* Its names as a table of a request with the struct td_compare_table, which must stay. It is not in the list of tables,
 * which are of one trace. */
extern const struct td_query_table td_table_compared;
const struct td_compare_entry *td_compared_at(const struct td_query_rows *rows, uint64_t row);

/* How much longer the present trace's zones of the name take than if they had the other trace's mean; 0: the
 * name is in one trace only. */
double td_comparison_slowdown_ns(const struct td_compare_entry *entry);

struct td_track_change {
    const char *name;
    int64_t total_ns[2];
};
/* The total time of a name's zones on each track that has some, by the change, largest first. The caller
 * frees *list. 0 or TD_E_NOMEM. */
int td_comparison_tracks(const struct td_comparison *comparison, const struct td_compare_entry *entry,
                         struct td_track_change **list, size_t *count);

#define TD_LENGTH_BINS 60
struct td_length_bins {
    double low_ns, high_ns; /* bins are of equal ratio */
    uint64_t count[2][TD_LENGTH_BINS], all[2];
};
/* The lengths of the finished zones longer than 0. 0, TD_E_NOMEM, or TD_E_STOPPED: cancelled. */
int td_comparison_lengths(const struct td_comparison *comparison, const struct td_compare_entry *entry,
                          struct td_length_bins *bins, struct td_job *job);

struct td_compared_frames {
    uint32_t set; /* of the present trace; the other's is the one of its name */
    struct td_frame_times times[2];
    struct td_length_bins bins; /* of the frames that `times` count; those of 0 ns are in the first bin */
};
/* 0, TD_E_NOMEM or TD_E_STOPPED. td_compared_frames_free() frees the result. `job` may be NULL. */
int td_comparison_frames(const struct td_comparison *comparison, uint32_t set,
                         struct td_compared_frames *frames, struct td_job *job);
void td_compared_frames_free(struct td_compared_frames *frames);
