#include "host/trace/copy.h"
#include "host/trace/copy_internal.h"
#include "host/trace/origin.h"

#include <stdlib.h>

struct td_time_line td_time_line_through(int64_t from_a_ns, int64_t to_a_ns, int64_t from_b_ns,
                                         int64_t to_b_ns)
{
    struct td_time_line line = {.at_ns = from_a_ns, .offset_ns = to_a_ns - from_a_ns};
    if (from_b_ns != from_a_ns)
        line.drift =
            (double)((to_b_ns - to_a_ns) - (from_b_ns - from_a_ns)) / (double)(from_b_ns - from_a_ns);
    return line;
}

struct td_copier *td_copier_create(struct td_trace *to, struct td_err *err)
{
    struct td_copier *copier = NULL;
    if (td_dict_track_count(to->dict) || to->finished)
        td_fail(err, TD_E_USAGE, "the model for copies must be empty");
    else if (!(copier = calloc(1, sizeof *copier)))
        td_fail_no_memory(err, "for copying a trace");
    else
        copier->to = to;
    return copier;
}

void td_copier_destroy(struct td_copier *copier)
{
    if (!copier)
        return;
    td_map_finish(&copier->threads);
    td_map_finish(&copier->locks);
    td_map_finish(&copier->spaces);
    td_map_finish(&copier->locations);
    td_map_finish(&copier->files);
    free(copier);
}

const char *td_copier_notice(const struct td_copier *copier)
{
    return copier->notice;
}

static int copy_all(struct copy_run *run, struct td_err *err)
{
    int rc = td_copy_begin_tables_(run);
    if (rc == 0) {
        td_copy_begin_ids_(run);
        rc = td_copy_begin_names_(run);
    }
    rc = rc ? rc : td_copy_tracks_(run);
    rc = rc ? rc : td_copy_tables_(run);
    rc = rc ? rc : td_copy_zones_(run, err);
    rc = rc ? rc : td_copy_facts_(run);
    if (rc < 0 && run->no_space)
        return td_fail(err, TD_E_LIMIT, "the sources have more than 4096 address spaces with call stacks");
    return rc < 0 || run->failed ? td_fail_no_memory(err, "while copying the trace") : 0;
}

int td_copier_add(struct td_copier *copier, const struct td_trace *from,
                  const struct td_copy_options *options, struct td_err *err)
{
    /* Times of a trace that is still filled begin at its origin. */
    struct td_copy_options own = *options;
    own.clock.offset_ns -= td_trace_origin(from);
    struct copy_run run = {
        .copier = copier,
        .from = from,
        .to = copier->to,
        .options = &own,
        .apart = options->label != NULL,
        .named = options->label && *options->label,
        .ranged = options->from_ns || options->until_ns,
        .begins = td_trace_origin(from) != 0,
        .from_dict = td_trace_dict(from),
        .dict = td_trace_fill_dict(copier->to),
    };
    if (copier->sources && !(run.apart && copier->apart))
        return td_fail(err, TD_E_USAGE, "several traces in one need a label each");
    copier->apart = run.apart;
    int rc = copy_all(&run, err);
    copier->sources++;
    td_copy_end_names_(&run);
    td_map_finish(&run.thread_map);
    free(run.thread_ids);
    free(run.spaces);
    free(run.pools);
    return rc;
}
