/* The zones of one name in a range of time, with a length each, sorted: for histograms, percentiles and lists.
 *
 * A zone belongs to a name if its source location or the zone itself has it. It counts if it lies in the range, has
 * ended and is longer than 0, as in stock's statistics; the others are counted apart. Ten bytes a zone, fourteen where
 * a length does not fit 32 bits. */
#pragma once
#include "host/trace/trace.h"
#include "host/query/task/job.h"
#include "host/query/task/lane_choice.h"
#include "host/query/sums/marks.h"

/* What is the length of a zone: its time; that without its children; or that in which its thread ran. */
enum td_length { TD_LENGTH_WHOLE, TD_LENGTH_SELF, TD_LENGTH_RUNNING };

struct td_instances_wanted {
    const struct td_trace *trace;
    const char *name;
    int64_t from_ns, to_ns; /* INT64_MIN, INT64_MAX: all */
    enum td_length length;
    const struct td_lane_choice *lanes; /* NULL: all */
};

struct td_instance_part { /* the zones of the name in a part of a row */
    uint32_t track, row;
    uint64_t first; /* zone of the row that the offsets count from */
    size_t at;      /* the number of the first instance */
};

struct td_instances { /* all zero: none; numbered by track, row and zone */
    size_t count;
    uint32_t *length; /* in ns, by number; NULL: they are in `wide`, as one of them needs more bits */
    int64_t *wide;
    uint16_t *offset; /* of the zone from the part's first */
    uint32_t *order;  /* numbers, shortest first */
    int64_t *sum;     /* of the lengths before each TD_INSTANCE_SUMS-th of `order` */
    struct td_instance_part *part;
    size_t parts;
    uint64_t open, empty; /* zones that have not ended, and those of no length */
    int64_t total_ns;
    double deviation_ns; /* of a sample: divided by count - 1 */
};
#define TD_INSTANCE_SUMS 256u

/* Fills `instances`, which td_instances_free() frees. `job` may be NULL. 0, TD_E_NOMEM or TD_E_STOPPED. */
int td_instances_make(struct td_instances *instances, const struct td_instances_wanted *wanted,
                      struct td_job *job);
void td_instances_free(struct td_instances *instances);
/* Whether the trace knows when threads ran. */
bool td_instances_can_run(const struct td_trace *trace);

/* The time in which the zone's thread ran while it lasted; false: not known. The zone has ended. */
bool td_zone_running_ns(const struct td_trace *trace, struct td_zone_ref zone, int64_t *running_ns);

struct td_zone_ref td_instances_ref(const struct td_instances *instances, size_t number);
/* The number of a zone; SIZE_MAX: it is not among them. */
size_t td_instances_find(const struct td_instances *instances, struct td_zone_ref zone);
/* The part of an instance. */
const struct td_instance_part *td_instances_part(const struct td_instances *instances, size_t number);

/* The length of an instance. */
static inline int64_t td_instances_length_of(const struct td_instances *instances, size_t number)
{
    return instances->length ? instances->length[number] : instances->wide[number];
}
/* The end of the numbers of a part's instances. */
static inline size_t td_instances_part_end(const struct td_instances *instances, size_t part)
{
    return part + 1 < instances->parts ? instances->part[part + 1].at : instances->count;
}
/* By rank: 0 is the shortest. */
int64_t td_instances_length(const struct td_instances *instances, size_t rank);
/* How many are shorter than `length`. */
size_t td_instances_below(const struct td_instances *instances, int64_t length);
/* The total of the `rank` shortest. */
int64_t td_instances_sum(const struct td_instances *instances, size_t rank);
/* The length that the part `fraction` of them does not exceed: 0.5 is the median. 0: there are none. */
int64_t td_instances_percentile(const struct td_instances *instances, double fraction);
