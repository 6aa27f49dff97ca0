#include "host/agent/collection.h"
#include "host/agent/limits/size_watch.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/base/interrupt.h"
#include "host/trace/forget.h"
#include "host/trace/origin.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define CUT_PART   4    /* a cut may keep 1 / CUT_PART of the memory limit in memory */
#define SIZE_MOST  1.08 /* times the wanted size */
#define SIZE_TRIES 5
#define NS_PER_S   INT64_C(1000000000)

static int begin_triggers(struct td_collection *c, struct td_err *err)
{
    if (!c->options.triggers.count)
        return 0;
    c->triggers = td_triggers_create(&c->options.triggers, td_hub_dict(c->hub), err);
    if (!c->triggers)
        return TD_E_NOMEM;
    if (td_triggers_has(c->triggers, TD_TRIGGER_SIGNAL))
        td_user_signal_catch();
    return td_hub_add_sink(c->hub, td_triggers_sink(c->triggers)) < 0 ? td_fail_no_memory(err, NULL) : 0;
}

static int begin_limits(struct td_collection *c, struct td_err *err)
{
    const struct td_collection_options *o = &c->options;
    struct td_flight_options options = {.keep_ns = o->keep_ns,
                                        .after_ns = o->after_ns,
                                        .late_ns = o->late_ns,
                                        .now = o->now,
                                        .now_self = o->now_self,
                                        .rotate = o->rotate != 0,
                                        .memory_bytes = o->memory.bytes / CUT_PART,
                                        .files = o->files};
    int rc = begin_triggers(c, err);
    if (rc < 0)
        return rc;
    if (o->keep_ns && td_trace_may_forget(c->trace) < 0)
        return td_fail_no_memory(err, NULL);
    if (o->keep_ns || c->triggers)
        c->flight = td_flight_create(&options, c->trace, c->triggers);
    if (o->max_bytes)
        c->size = td_size_watch_create(o->max_bytes, &o->files, c->trace);
    bool failed = ((o->keep_ns || c->triggers) && !c->flight) || (o->max_bytes && !c->size);
    return failed ? td_fail_no_memory(err, NULL) : 0;
}

/* A model that no hub fills. */
static int begin_empty(struct td_collection *collection, struct td_err *err)
{
    struct td_dict *dict = td_dict_create();
    collection->trace = dict ? td_trace_create(dict) : NULL;
    collection->hub = collection->trace ? td_hub_create(dict) : NULL;
    return collection->hub ? 0 : td_fail_no_memory(err, NULL);
}

int td_collection_begin(struct td_collection *collection, struct td_err *err)
{
    struct td_memory_limit *limit = &collection->options.memory;
    int rc = limit->bytes ? 0 : td_memory_limit_parse(NULL, limit, err);
    collection->memory.limit = *limit;
    if (rc == 0 && collection->options.journal_only)
        return begin_empty(collection, err);
    if (rc == 0)
        rc = td_memory_watch_begin(&collection->memory, collection->options.folder,
                                   collection->options.keep_ns != 0, &collection->trace, &collection->hub,
                                   err);
    return rc ? rc : begin_limits(collection, err);
}

void td_collection_started(struct td_collection *collection)
{
    if (!collection->began_ns)
        collection->began_ns = td_mono_ns();
}

bool td_collection_look(struct td_collection *c, const struct td_client_source *source,
                        uint64_t waiting_bytes, uint64_t folder_bytes)
{
    char line[sizeof(struct td_err)];
    enum td_stop stop = TD_STOP_NOT;
    if (td_journal_trouble(c->options.journal, line, sizeof line)) {
        td_collection_lose(c, "%s", line);
        if (c->options.tell)
            c->options.tell(c->options.tell_self, line);
    }
    if (td_memory_watch_look(&c->memory, c->trace, source, waiting_bytes, folder_bytes) != TD_MEMORY_FINE)
        stop = TD_STOP_MEMORY;
    else if (c->options.max_seconds && c->began_ns &&
             td_mono_ns() - c->began_ns >= c->options.max_seconds * NS_PER_S)
        stop = TD_STOP_SECONDS;
    else if (c->size && td_size_watch_look(c->size))
        stop = TD_STOP_SIZE;
    if (c->flight && td_flight_look(c->flight) && !stop)
        stop = TD_STOP_TRIGGER;
    if (!c->stop)
        c->stop = stop;
    if (c->options.journal_only && td_journal_has_failed(c->options.journal))
        return true;
    return stop != TD_STOP_NOT;
}

void td_collection_tell(const struct td_collection *c, char *line, size_t bytes)
{
    td_memory_watch_tell(&c->memory, line, bytes);
    if (line[0])
        return;
    if (c->stop == TD_STOP_SECONDS)
        snprintf(line, bytes, "stopped after %ld s (--max-seconds); saved all until then",
                 c->options.max_seconds);
    else if (c->stop == TD_STOP_SIZE)
        snprintf(line, bytes,
                 "stopped, because the trace is near its largest size (--max-size), %" PRIu64
                 " KB; saved all until then",
                 c->options.max_bytes >> 10);
    else if (c->stop == TD_STOP_TRIGGER)
        td_flight_tell(c->flight, line, bytes);
}

int td_collection_fail_empty(const struct td_collection *c, struct td_err *err)
{
    char line[sizeof err->text] = "";
    td_memory_watch_why(&c->memory, line, sizeof line);
    if (!line[0] && c->stop == TD_STOP_SECONDS)
        snprintf(line, sizeof line, "stopped after %ld s (--max-seconds)", c->options.max_seconds);
    else if (!line[0] && c->stop == TD_STOP_TRIGGER)
        td_flight_tell(c->flight, line, sizeof line);
    return td_fail(err, line[0] ? TD_E_LIMIT : TD_E_STOPPED,
                   "%.200s before a program connected; nothing is written", line[0] ? line : "stopped");
}

bool td_collection_waits_for(const struct td_collection *c, enum td_trigger_kind kind)
{
    return c->triggers && td_triggers_has(c->triggers, kind);
}

void td_collection_report(struct td_collection *c, enum td_trigger_kind kind, const char *what)
{
    if (c->triggers)
        td_triggers_report(c->triggers, kind, TD_TRIGGER_NOW, what);
}

void td_collection_settle(struct td_collection *c)
{
    td_flight_settle(c->flight);
    td_size_watch_settle(c->size);
}

/* ---- the end ---- */

/* After a failure, the trace is what it was. */
static int cut_finished(struct td_collection *c, const struct td_cut *cut, struct td_err *err)
{
    struct td_trace *to = NULL;
    int rc = td_cut_make(c->whole ? c->whole : c->trace, cut, c->options.memory.bytes / CUT_PART, &to, err);
    if (rc < 0) {
        td_trace_destroy(to);
        return rc;
    }
    if (c->whole)
        td_trace_destroy(c->trace);
    else
        c->whole = c->trace;
    c->trace = to;
    return 0;
}

/* Zones of devices may wait for the trace's end to get their places. */
static int cut_flight(struct td_collection *c, struct td_err *err)
{
    struct td_cut cut = td_flight_last_cut(c->flight);
    if (cut.from_ns == INT64_MIN && cut.until_ns == TD_OPEN)
        return 0;
    int rc = td_trace_finish(c->trace, err);
    td_cut_move(&cut, td_trace_moved(c->trace));
    return rc < 0 ? rc : cut_finished(c, &cut, err);
}

/* What was collected too much is cut off: the estimate is not exact, and a program may have sent much that was
 * still on its way. */
static int cut_size(struct td_collection *c, struct td_err *err)
{
    const struct td_cut_files *files = &c->options.files;
    const double most = (double)c->options.max_bytes;
    double part = 1;
    int rc = td_trace_finish(c->trace, err);
    for (int tries = 0; rc == 0 && tries < SIZE_TRIES; tries++) {
        int64_t bytes = files->measure(files->self, c->trace, err);
        td_debug(limits, "the file has %" PRId64 " bytes", bytes);
        if (bytes < 0 || (double)bytes <= most * SIZE_MOST)
            return bytes < 0 ? (int)bytes : 0;
        const struct td_trace *whole = c->whole ? c->whole : c->trace;
        part *= most / (double)bytes;
        int64_t until = td_cut_time_of_part(whole, td_trace_get_info(whole)->last_time_ns, part);
        rc = cut_finished(c, &(struct td_cut){INT64_MIN, until, ""}, err);
    }
    return rc;
}

int td_collection_finish(struct td_collection *c, const char *lost, char *line, size_t bytes,
                         struct td_err *err)
{
    td_size_watch_settle(c->size);
    td_memory_watch_release(&c->memory);
    int rc = c->flight ? td_flight_end(c->flight, lost, err) : 0;
    line[0] = 0;
    if (c->triggers)
        td_flight_tell(c->flight, line, bytes);
    if (rc < 0 || c->options.rotate)
        return rc;
    if (c->flight)
        rc = cut_flight(c, err);
    if (rc == 0 && c->stop == TD_STOP_SIZE)
        rc = cut_size(c, err);
    return rc;
}

void td_collection_lose(struct td_collection *collection, const char *format, ...)
{
    va_list args;
    if (collection->loss[0])
        return;
    va_start(args, format);
    vsnprintf(collection->loss, sizeof collection->loss, format, args);
    va_end(args);
}

int td_collection_check_losses(struct td_collection *c, struct td_err *err)
{
    const struct td_trace *whole = c->whole ? c->whole : c->trace;
    if (c->memory.state != TD_MEMORY_FINE)
        td_collection_lose(c, "the recording ended early, because %s",
                           c->memory.cause == TD_MEMORY_DISK ? "the disk was full"
                                                             : "memory came near its limit");
    if (whole && td_trace_clamped(whole))
        td_collection_lose(c, "%" PRIu64 " times or nestings made no sense and were changed",
                           td_trace_clamped(whole));
    if (!c->options.strict || !c->loss[0])
        return 0;
    return td_fail(err, TD_E_GONE, "--strict: not everything was recorded: %s", c->loss);
}

void td_collection_end(struct td_collection *collection)
{
    td_flight_destroy(collection->flight);
    td_size_watch_destroy(collection->size);
    td_triggers_destroy(collection->triggers);
    td_memory_watch_release(&collection->memory);
    td_hub_destroy(collection->hub);
    td_trace_destroy(collection->trace);
    td_trace_destroy(collection->whole);
    collection->flight = NULL;
    collection->size = NULL;
    collection->triggers = NULL;
    collection->hub = NULL;
    collection->trace = collection->whole = NULL;
}
