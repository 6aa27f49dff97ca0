/* The collection's limits in a recording: triggers that only the recorder can notice, what is saved in the end,
 * and losses. */
#include "host/agent/recorder_internal.h"
#include "host/base/clock.h"
#include "host/trace/forget.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

/* Zones of a core wait until it is known which zones around them are open; that is read once a second. */
#define LATE_NS INT64_C(1500000000)

/* In virtual time, the trace has only the time of its latest event. */
static int64_t trace_time_now(const void *self)
{
    const struct recorder *r = self;
    if (r->virtual_clock || r->ns_per_tick <= 0)
        return td_trace_newest(r->collection.trace);
    return (int64_t)((double)(td_host_ticks() - r->t0) * r->ns_per_tick);
}

void td_recorder_prepare_limits(struct recorder *r)
{
    struct td_collection_options *options = &r->collection.options;
    options->late_ns = r->options->board_count || r->options->agent_count ? LATE_NS : 0;
    options->now = trace_time_now;
    options->now_self = r;
}

int td_recorder_watch_faults(struct recorder *r, struct recorder_board *b, struct td_err *err)
{
    char line[200];
    const bool for_recorder = r->options->collection.journal_only; /* which may wait for faults */
    if ((!for_recorder && !td_collection_waits_for(&r->collection, TD_TRIGGER_FAULT)) || b->finished)
        return 0;
    int rc = td_fault_watch_look(&b->faults, b->source, line, sizeof line, err);
    if (rc > 0 && for_recorder)
        td_board_journal_fault(&b->journal, b->faults.lane);
    if (rc > 0)
        td_collection_report(&r->collection, TD_TRIGGER_FAULT, line);
    return rc < 0 ? rc : 0;
}

static void report_agent_faults(struct recorder *r, struct recorder_agent *a)
{
    for (size_t i = 0; i < a->board_count; i++) {
        struct recorder_remote_board *b = &a->boards[i];
        const struct td_board_source *source = td_board_player_source(b->player);
        if (b->fault || !source || !td_board_source_summary(source)->faults)
            continue;
        b->fault = true;
        td_collection_report(&r->collection, TD_TRIGGER_FAULT, td_board_source_fault(source, 0));
    }
}

/* A fault that was not noticed before the end. */
static void report_faults(struct recorder *r)
{
    for (size_t i = 0; i < r->agent_count; i++)
        report_agent_faults(r, &r->agents[i]);
    for (size_t i = 0; i < r->board_count; i++) {
        struct recorder_board *b = &r->boards[i];
        if (b->faults.found || !td_board_source_summary(b->source)->faults)
            continue;
        b->faults.found = true;
        td_collection_report(&r->collection, TD_TRIGGER_FAULT, td_board_source_fault(b->source, 0));
    }
}

/* NULL: the program and the boards ended as they should. */
static const char *what_was_lost(struct recorder *r, char *line, size_t bytes)
{
    char how[120];
    if (r->options->program && !r->asked_to_stop && !td_child_is_running(&r->program) &&
        WIFSIGNALED(r->program.status) && td_child_has_failed(&r->program, how, sizeof how)) {
        snprintf(line, bytes, "%.100s %s (crash)", r->options->program[0], how);
        td_collection_report(&r->collection, TD_TRIGGER_CRASH, line);
        return line;
    }
    for (size_t i = 0; i < r->board_count; i++)
        if (r->boards[i].gone)
            return "the board was lost";
    return NULL;
}

int td_recorder_apply_limits(struct recorder *r, struct td_err *err)
{
    char line[250];
    report_faults(r);
    struct td_err why = {0};
    const char *lost = what_was_lost(r, line, sizeof line);
    int rc = td_collection_finish(&r->collection, lost, r->result->about, sizeof r->result->about, &why);
    if (rc < 0 && r->options->collection.rotate)
        return td_fail(err, rc, "%s", why.text);
    if (rc < 0) /* then the trace is whole */
        td_recorder_trouble(r, "more than wanted is saved: %s", why.text);
    return 0;
}

void td_recorder_judge_losses(struct recorder *r)
{
    struct td_collection *c = &r->collection;
    const struct td_board_summary *s = &r->result->board;
    struct td_err err = {0};
    if (s->unknown_lanes)
        td_collection_lose(c,
                           "at least %" PRIu64 " zones and %" PRIu64 " other packets of cores; what %" PRIu32
                           " lanes lost is not known",
                           s->lost_zones, s->lost_other, s->unknown_lanes);
    else if (s->lost_zones || s->lost_other)
        td_collection_lose(c, "%" PRIu64 " zones and %" PRIu64 " other packets of cores", s->lost_zones,
                           s->lost_other);
    if (s->link_lost_slots || s->link_bad_frames)
        td_collection_lose(c, "%" PRIu64 " slots on the way from the board, %" PRIu64 " frames damaged",
                           s->link_lost_slots, s->link_bad_frames);
    if (s->bad_slots || s->damages)
        td_collection_lose(c, "%" PRIu64 " bytes of lanes made no sense, %" PRIu32 " lanes were overwritten",
                           s->bad_slots * 8, s->damages);
    if (s->unnamed_sites)
        td_collection_lose(c, "%" PRIu64 " packets of cores have no name: their ELF was not found",
                           s->unnamed_sites);
    if (r->result->trouble[0])
        td_collection_lose(c, "%s", r->result->trouble);
    if (td_collection_check_losses(c, &err) < 0)
        snprintf(r->result->loss, sizeof r->result->loss, "%s", err.text);
}
