#include "host/agent/limits/flight.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "host/base/interrupt.h"
#include "host/base/thread.h"
#include "host/base/wrap.h"
#include "host/trace/forget.h"
#include "host/trace/origin.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LATE_NS     INT64_C(300000000) /* events of other threads arrive within this time */
#define FORGET_PART 8                  /* the trace forgets this many times while it fills once */
#define FORGET_NS   INT64_C(50000000)  /* but not more often */

/* A cut that is to be made, or is being made. */
struct flight_cut {
    bool wanted;
    int64_t from_ns, until_ns;
    int64_t due_ns;  /* of the host's clock: when to make it */
    uint64_t merged; /* triggers besides the first one */
    char what[200];
};

struct td_flight {
    struct td_flight_options options;
    struct td_trace *trace;
    struct td_triggers *triggers;
    int64_t next_forget_ns;
    int signals;                        /* as last seen */
    struct flight_cut next, later, now; /* later: of triggers that `next` has no room for */
    bool has_thread;
    pthread_t thread;
    bool copying, writing; /* atomic; set before the thread starts, cleared by it */
    uint64_t hits, files;
    struct td_err error; /* the first; read when no thread runs */
};

struct td_flight *td_flight_create(const struct td_flight_options *options, struct td_trace *trace,
                                   struct td_triggers *triggers)
{
    struct td_flight *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->options = *options;
    f->trace = trace;
    f->triggers = triggers;
    f->options.late_ns = options->late_ns > LATE_NS ? options->late_ns : LATE_NS;
    f->signals = *td_user_signal_count();
    return f;
}

/* ---- writing ---- */

static void write_cut(struct td_flight *f)
{
    char why[sizeof f->now.what + 40];
    struct td_trace *cut = NULL;
    struct td_err err = {0};
    snprintf(why, sizeof why, "%s", f->now.what);
    if (f->now.merged)
        snprintf(why, sizeof why, "%s, and %" PRIu64 " more", f->now.what, f->now.merged);
    struct td_cut range = {f->now.from_ns, f->now.until_ns, why};
    td_cut_move(&range, td_trace_moved(f->trace));
    int rc = td_cut_make(f->trace, &range, f->options.memory_bytes, &cut, &err);
    __atomic_store_n(&f->copying, false, __ATOMIC_RELEASE);
    rc = rc ? rc : f->options.files.save(f->options.files.self, cut, why, &err);
    td_trace_destroy(cut);
    f->files += rc == 0;
    if (rc < 0 && !f->error.code)
        f->error = err;
}

static void *write_in_thread(void *self)
{
    struct td_flight *f = self;
    write_cut(f);
    __atomic_store_n(&f->writing, false, __ATOMIC_RELEASE);
    return NULL;
}

static void join_thread(struct td_flight *f)
{
    if (f->has_thread)
        pthread_join(f->thread, NULL);
    f->has_thread = false;
}

static void take_next(struct td_flight *f)
{
    f->now = f->next;
    f->next = f->later;
    f->later = (struct flight_cut){0};
}

static void start_writing(struct td_flight *f)
{
    join_thread(f);
    take_next(f);
    f->copying = f->writing = true;
    f->has_thread = td_thread_create_small(&f->thread, write_in_thread, f) == 0;
    if (!f->has_thread)
        write_in_thread(f);
}

void td_flight_settle(struct td_flight *f)
{
    if (f && __atomic_load_n(&f->copying, __ATOMIC_ACQUIRE))
        join_thread(f);
}

void td_flight_destroy(struct td_flight *f)
{
    if (f)
        join_thread(f);
    free(f);
}

/* ---- triggers ---- */

static struct flight_cut new_cut(const struct td_flight *f, const struct td_trigger_hit *hit, int64_t time,
                                 int64_t due_ns)
{
    struct flight_cut cut = {
        .wanted = true,
        .from_ns = f->options.keep_ns ? td_wrap_add(time, -f->options.keep_ns) : INT64_MIN,
        .until_ns = td_wrap_add(time, f->options.after_ns),
        .due_ns = due_ns,
    };
    memcpy(cut.what, hit->what, sizeof cut.what);
    return cut;
}

static int64_t time_now(const struct td_flight *f)
{
    return f->options.now ? f->options.now(f->options.now_self) : td_trace_newest(f->trace);
}

/* A first trigger sets the range. One that comes soon after extends it; the others, and those that come while a
 * file is being written, share the file after it. */
static void add_hit(struct td_flight *f, const struct td_trigger_hit *hit, int64_t now_ns)
{
    int64_t time = hit->time_ns == TD_TRIGGER_NOW ? time_now(f) : hit->time_ns;
    int64_t until = td_wrap_add(time, f->options.after_ns),
            due = now_ns + f->options.after_ns + f->options.late_ns;
    f->hits++;
    td_debug(limits, "trigger: %s", hit->what);
    if (!f->next.wanted) {
        f->next = new_cut(f, hit, time, due);
        return;
    }
    if (!f->options.rotate) /* the first trigger alone decides */
        return;
    struct flight_cut *cut = &f->next;
    int64_t most = td_wrap_add(cut->from_ns, 2 * f->options.keep_ns + f->options.after_ns);
    if (cut->until_ns < until && until > most)
        cut = &f->later;
    if (!cut->wanted) {
        *cut = new_cut(f, hit, time, due);
        return;
    }
    cut->merged++;
    if (until > cut->until_ns) {
        cut->until_ns = until;
        cut->due_ns = due;
    }
}

static void take_hits(struct td_flight *f, int64_t now_ns)
{
    struct td_trigger_hit hit;
    int signals = *td_user_signal_count();
    if (signals != f->signals)
        td_triggers_report(f->triggers, TD_TRIGGER_SIGNAL, TD_TRIGGER_NOW, "SIGUSR1 (signal)");
    f->signals = signals;
    while (td_triggers_take(f->triggers, &hit))
        add_hit(f, &hit, now_ns);
}

/* The oldest time that is still needed. */
static int64_t needed_from(const struct td_flight *f)
{
    int64_t from = td_trace_newest(f->trace) - f->options.keep_ns - f->options.late_ns;
    return f->next.wanted && f->next.from_ns < from ? f->next.from_ns : from;
}

static void forget(struct td_flight *f, int64_t now_ns)
{
    if (!f->options.keep_ns || now_ns < f->next_forget_ns || __atomic_load_n(&f->copying, __ATOMIC_ACQUIRE))
        return;
    int64_t pause = f->options.keep_ns / FORGET_PART;
    f->next_forget_ns = now_ns + (pause > FORGET_NS ? pause : FORGET_NS);
    td_trace_forget(f->trace, needed_from(f));
}

bool td_flight_look(struct td_flight *f)
{
    int64_t now_ns = td_mono_ns();
    if (f->triggers)
        take_hits(f, now_ns);
    forget(f, now_ns);
    if (!f->next.wanted || now_ns < f->next.due_ns)
        return false;
    if (!f->options.rotate)
        return true;
    if (!__atomic_load_n(&f->writing, __ATOMIC_ACQUIRE))
        start_writing(f);
    return false;
}

/* ---- the end ---- */

int td_flight_end(struct td_flight *f, const char *lost, struct td_err *err)
{
    join_thread(f);
    if (f->triggers)
        take_hits(f, td_mono_ns());
    if (f->options.rotate && lost) {
        struct td_trigger_hit hit = {.time_ns = TD_TRIGGER_NOW};
        snprintf(hit.what, sizeof hit.what, "%s", lost);
        add_hit(f, &hit, td_mono_ns());
    }
    /* Zones of devices may wait for the trace's end to get their places. */
    if (f->options.rotate && f->next.wanted && !td_trace_is_finished(f->trace) &&
        td_trace_finish(f->trace, err) < 0)
        return err ? err->code : TD_E_NOMEM;
    while (f->options.rotate && f->next.wanted) {
        take_next(f);
        write_cut(f);
    }
    return f->error.code ? td_fail(err, f->error.code, "%s", f->error.text) : 0;
}

struct td_cut td_flight_last_cut(const struct td_flight *f)
{
    int64_t newest = td_trace_newest(f->trace);
    if (f->next.wanted)
        return (struct td_cut){f->next.from_ns, f->next.until_ns, f->next.what};
    return (struct td_cut){f->options.keep_ns ? newest - f->options.keep_ns : INT64_MIN,
                           f->options.keep_ns ? newest : TD_OPEN, ""};
}

void td_flight_tell(const struct td_flight *f, char *line, size_t bytes)
{
    uint64_t skipped = f->triggers ? td_triggers_skipped(f->triggers) : 0, hits = f->hits + skipped;
    line[0] = 0;
    if (f->options.rotate && !f->files)
        snprintf(line, bytes, "no trigger, so no file was written");
    else if (f->options.rotate)
        snprintf(line, bytes, "%" PRIu64 " trigger%s, %" PRIu64 " file%s", hits, hits == 1 ? "" : "s",
                 f->files, f->files == 1 ? "" : "s");
    else if (f->next.wanted)
        snprintf(line, bytes, "stopped by %s", f->next.what);
    else if (f->triggers)
        snprintf(line, bytes, "no trigger; saved %s", f->options.keep_ns ? "what was kept" : "everything");
}
