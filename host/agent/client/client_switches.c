/* Context switches, fibers (whose starts and stops are switches, too), threads of other programs. */
#include "host/agent/client/client_internal.h"
#include "host/base/grow.h"
#include "host/base/wrap.h"

#define REASON_NONE   (-1)
#define REASON_WAKEUP (-2)
#define REASON_FIBER  99

/* The thread is the program's: then its switches are kept, else only its totals. */
static bool is_own_thread(struct td_client_stream *stream, uint64_t thread)
{
    const struct td_stream_switches *w = &stream->switches;
    const struct td_name *known = td_names_find(&stream->names, TD_NAME_THREAD, thread);
    return thread >> 32 || (known && known->number != TD_NO_NUMBER) ||
           (stream->config.pid && td_map_get(&w->processes, thread, 0) == (uint32_t)stream->config.pid);
}

static int set_switch(struct td_client_stream *stream, uint32_t place, unsigned column, int64_t value)
{
    return td_stream_set(stream, TD_TABLE_SWITCH, stream->switches.all.at[place].list,
                         stream->switches.all.at[place].s.row, column, value);
}

/* If the thread does not run, the stop changes its last switch. */
static int stop_thread(struct td_client_stream *stream, uint32_t place, int64_t ns, int64_t reason,
                       int64_t state)
{
    struct td_stream_switch *s = &stream->switches.all.at[place].s;
    s->running = s->waiting = 0;
    s->end_ns = ns;
    s->reason = reason;
    s->state = state;
    s->regions++;
    if (ns > s->start_ns)
        s->running_ns = td_wrap_add(s->running_ns, ns - s->start_ns);
    if (!s->any)
        return 0;
    int bad = set_switch(stream, place, TD_SWITCH_END, ns);
    bad = bad ? bad : set_switch(stream, place, TD_SWITCH_REASON, reason);
    return bad ? bad : set_switch(stream, place, TD_SWITCH_STATE, state);
}

static int add_row(struct td_client_stream *stream, uint32_t place, const int64_t *row)
{
    struct td_stream_switch *s = &stream->switches.all.at[place].s;
    uint32_t list = stream->switches.all.at[place].list;
    if (list == TD_NO_NUMBER)
        return 0;
    int64_t added = td_stream_row(stream, TD_TABLE_SWITCH, list, row);
    if (added < 0)
        return (int)added;
    s->row = (uint64_t)added;
    s->any = 1;
    return 0;
}

/* Adds a row for the thread's last start. */
static int add_start(struct td_client_stream *stream, uint32_t place, uint64_t on)
{
    const struct td_stream_switch *s = &stream->switches.all.at[place].s;
    const int64_t row[TD_SWITCH_COLUMN_COUNT] = {
        [TD_SWITCH_WAKEUP] = s->woken ? s->wakeup_ns : s->start_ns,
        [TD_SWITCH_START] = s->start_ns,
        [TD_SWITCH_END] = s->end_ns,
        [TD_SWITCH_CPU] = s->cpu,
        [TD_SWITCH_REASON] = s->reason,
        [TD_SWITCH_STATE] = s->state,
        [TD_SWITCH_FIBER_THREAD] = (int64_t)on,
        [TD_SWITCH_WAKEUP_CPU] = s->woken ? s->wakeup_cpu : s->cpu,
    };
    return add_row(stream, place, row);
}

/* The thread's index, made at the first call. TD_NO_NUMBER: no memory, or the sinks' error. */
static uint32_t place_of(struct td_client_stream *stream, uint64_t thread)
{
    struct td_stream_switches *w = &stream->switches;
    uint32_t index = td_map_get(&w->threads, thread, TD_NO_NUMBER);
    if (index == TD_NO_NUMBER) {
        index = (uint32_t)w->all.count;
        if (TD_LIST_ROOM(&w->all) < 0 || td_map_add(&w->threads, thread, index) < 0)
            return TD_NO_NUMBER;
        memset(&w->all.at[index], 0, sizeof *w->all.at);
        w->all.at[index].thread = thread;
        w->all.at[index].list = TD_NO_NUMBER;
        w->all.count++;
    }
    if (w->all.at[index].list != TD_NO_NUMBER || !is_own_thread(stream, thread))
        return index;
    const int64_t row[] = {(int64_t)thread};
    int64_t added = td_stream_row(stream, TD_TABLE_SWITCH_THREAD, 0, row);
    if (added < 0)
        return TD_NO_NUMBER;
    w->all.at[index].list = (uint32_t)added;
    /* That the thread is the program's may become known only after its first switch. */
    return w->all.at[index].s.begun && add_start(stream, index, 0) != 0 ? TD_NO_NUMBER : index;
}

static int start_thread(struct td_client_stream *stream, uint32_t place, int64_t ns, uint8_t cpu, uint64_t on)
{
    struct td_stream_switch *s = &stream->switches.all.at[place].s;
    s->migrations += s->begun && s->cpu != cpu;
    s->begun = 1;
    s->start_ns = ns;
    s->end_ns = s->reason = s->state = -1;
    s->cpu = cpu;
    s->running = 1;
    int bad = 0;
    if (s->waiting && s->any) {
        bad = set_switch(stream, place, TD_SWITCH_START, ns);
        bad = bad ? bad : set_switch(stream, place, TD_SWITCH_CPU, cpu);
        bad = bad ? bad : set_switch(stream, place, TD_SWITCH_REASON, REASON_NONE);
    } else {
        bad = add_start(stream, place, on);
    }
    s->waiting = s->woken = 0;
    return bad;
}

/* Ends the row of the thread that the processor runs. */
static int cpu_stop(struct td_client_stream *stream, uint8_t cpu, int64_t ns)
{
    uint64_t rows = stream->switches.cpu_rows[cpu];
    return rows ? td_stream_set(stream, TD_TABLE_CPU_SWITCH, cpu, rows - 1, TD_CPU_SWITCH_END, ns) : 0;
}

static int cpu_start(struct td_client_stream *stream, uint8_t cpu, int64_t ns, uint32_t thread)
{
    const int64_t row[TD_CPU_SWITCH_COLUMN_COUNT] = {
        [TD_CPU_SWITCH_START] = ns, [TD_CPU_SWITCH_END] = -1, [TD_CPU_SWITCH_THREAD] = thread};
    int64_t added = td_stream_row(stream, TD_TABLE_CPU_SWITCH, cpu, row);
    if (added < 0)
        return (int)added;
    stream->switches.cpu_rows[cpu] = (uint64_t)added + 1;
    return 0;
}

int td_take_switch(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_ContextSwitch item = TD_GET(ContextSwitch);
    int64_t ns = td_stream_signed_ns(stream, td_stream_advance(&stream->switch_time, item.time));
    uint32_t place, index;
    int bad = 0;
    stream->counts.switches++;
    if (item.oldThread) {
        int known = td_map_get(&stream->switches.threads, item.oldThread, TD_NO_NUMBER) != TD_NO_NUMBER;
        place = known ? place_of(stream, item.oldThread) : TD_NO_NUMBER;
        if (known && place == TD_NO_NUMBER)
            return stream->err.code ? stream->err.code : TD_E_NOMEM;
        if (known)
            bad =
                stop_thread(stream, place, ns, (int8_t)item.oldThreadWaitReason, (int8_t)item.oldThreadState);
        bad = bad ? bad : cpu_stop(stream, item.cpu, ns);
    }
    if (bad || !item.newThread)
        return bad;
    place = place_of(stream, item.newThread);
    if (place == TD_NO_NUMBER)
        return stream->err.code ? stream->err.code : TD_E_NOMEM;
    bad = start_thread(stream, place, ns, item.cpu, 0);
    bad = bad ? bad : cpu_start(stream, item.cpu, ns, item.newThread);
    if (!bad && td_names_want(&stream->names, TD_NAME_EXTERNAL, item.newThread, 0, &index) < 0)
        bad = TD_E_NOMEM;
    return bad;
}

/* Tracy before 0.12 drops the wakeup of a running thread; since 0.12 it belongs to the thread's next
 * start. */
int td_take_wakeup(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_ThreadWakeup item = TD_GET(ThreadWakeup);
    int64_t ns = td_stream_signed_ns(stream, td_stream_advance(&stream->switch_time, item.time));
    uint32_t place = place_of(stream, item.thread);
    if (place == TD_NO_NUMBER)
        return stream->err.code ? stream->err.code : TD_E_NOMEM;
    struct td_stream_switch *s = &stream->switches.all.at[place].s;
    if (s->waiting)
        return 0;
    if (s->running) {
        s->woken = stream->release->keeps_wakeups;
        s->wakeup_ns = ns;
        s->wakeup_cpu = item.cpu;
        return 0;
    }
    const int64_t row[TD_SWITCH_COLUMN_COUNT] = {
        [TD_SWITCH_WAKEUP] = ns, [TD_SWITCH_START] = ns,
        [TD_SWITCH_END] = -1,    [TD_SWITCH_REASON] = REASON_WAKEUP,
        [TD_SWITCH_STATE] = -1,  [TD_SWITCH_WAKEUP_CPU] = item.cpu,
    };
    s->waiting = 1;
    return add_row(stream, place, row);
}

int td_stream_fiber_switch(struct td_client_stream *stream, uint64_t fiber, uint64_t thread, int64_t ns,
                           int starts)
{
    uint32_t place = place_of(stream, fiber);
    if (place == TD_NO_NUMBER)
        return stream->err.code ? stream->err.code : TD_E_NOMEM;
    return starts ? start_thread(stream, place, ns, 0, thread)
                  : stop_thread(stream, place, ns, REASON_FIBER, -1);
}

static int leave_fiber(struct td_client_stream *stream, struct td_name *thread, int64_t ns)
{
    uint32_t fiber = thread->u.thread.fiber;
    if (fiber == TD_NO_NUMBER)
        return 0;
    thread->u.thread.fiber = TD_NO_NUMBER;
    uint64_t id = td_names_at(&stream->names, TD_NAME_FIBER, fiber)->u.thread.track.thread;
    return td_stream_fiber_switch(stream, id, thread->key, ns, 0);
}

int td_take_fiber_enter(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_FiberEnter item = TD_GET(FiberEnter);
    int64_t ns = td_stream_signed_ns(stream, td_stream_advance(&stream->thread_time, item.time));
    uint32_t fiber = td_names_see(&stream->names, TD_NAME_FIBER, item.fiber);
    if (fiber == TD_NO_NUMBER || td_names_track(&stream->names, TD_NAME_FIBER, fiber) == TD_NO_NUMBER ||
        td_stream_thread_track(stream, item.thread) == TD_NO_NUMBER)
        return TD_E_NOMEM;
    struct td_name *thread = td_names_find(&stream->names, TD_NAME_THREAD, item.thread);
    struct td_name *name = td_names_at(&stream->names, TD_NAME_FIBER, fiber);
    if (item.groupHint && name->u.thread.track.group_hint != item.groupHint) {
        name->u.thread.track.group_hint = item.groupHint;
        td_client_space_track(stream->config.space, stream->dict, &name->u.thread.track);
    }
    int bad = leave_fiber(stream, thread, ns);
    if (bad)
        return bad;
    thread->u.thread.fiber = fiber;
    return td_stream_fiber_switch(stream, name->u.thread.track.thread, item.thread, ns, 1);
}

int td_take_fiber_leave(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_FiberLeave item = TD_GET(FiberLeave);
    int64_t ns = td_stream_signed_ns(stream, td_stream_advance(&stream->thread_time, item.time));
    struct td_name *thread = td_names_find(&stream->names, TD_NAME_THREAD, item.thread);
    if (!thread || thread->u.thread.fiber == TD_NO_NUMBER) {
        stream->counts.ignored++;
        return 0;
    }
    return leave_fiber(stream, thread, ns);
}

/* A thread's first process is kept. */
int td_take_process(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_TidToPid item = TD_GET(TidToPid);
    int fresh = td_map_add(&stream->switches.processes, item.tid, (uint32_t)item.pid);
    if (fresh <= 0)
        return fresh < 0 ? TD_E_NOMEM : 0;
    const int64_t row[] = {(int64_t)item.tid, (int64_t)item.pid};
    int64_t added = td_stream_row(stream, TD_TABLE_THREAD_PROCESS, 0, row);
    return added < 0 ? (int)added : 0;
}

/* ---- names of threads of any program: first the thread's, then its process's ---- */

static int external_name(struct td_client_stream *stream, const struct td_wire_view *view, int process)
{
    struct td_name *name = td_names_find(&stream->names, TD_NAME_EXTERNAL, TD_GET(ExternalName).ptr);
    uint32_t text = td_dict_string(stream->dict, (const char *)view->data, view->bytes);
    if (process)
        td_names_credit(&stream->names);
    if (text == UINT32_MAX)
        return TD_E_NOMEM;
    if (!name)
        return 0;
    if (!process) {
        name->u.external.thread = text;
        return 0;
    }
    name->u.external.process = text;
    td_names_answered(&stream->names, name);
    return 0;
}

int td_take_external(struct td_client_stream *stream, const struct td_wire_view *view)
{
    return external_name(stream, view, 1);
}

int td_take_external_thread(struct td_client_stream *stream, const struct td_wire_view *view)
{
    return external_name(stream, view, 0);
}

/* ---- the end ---- */

int td_stream_switches_end(struct td_client_stream *stream)
{
    const struct td_stream_switches *w = &stream->switches;
    uint32_t unknown = td_dict_cstring(stream->dict, TD_CLIENT_UNKNOWN);
    if (unknown == UINT32_MAX)
        return TD_E_NOMEM;
    for (size_t i = 0; i < w->all.count; i++) {
        const int64_t row[TD_CPU_TOTAL_COLUMN_COUNT] = {
            [TD_CPU_TOTAL_THREAD] = (int64_t)w->all.at[i].thread,
            [TD_CPU_TOTAL_RUNNING_NS] = w->all.at[i].s.running_ns,
            [TD_CPU_TOTAL_REGIONS] = w->all.at[i].s.regions,
            [TD_CPU_TOTAL_MIGRATIONS] = w->all.at[i].s.migrations,
        };
        int64_t added = w->all.at[i].thread >> 32 ? 0 : td_stream_row(stream, TD_TABLE_CPU_TOTAL, 0, row);
        if (added < 0)
            return (int)added;
    }
    for (size_t i = 0; i < stream->names.kinds[TD_NAME_EXTERNAL].count; i++) {
        const struct td_name *name = &stream->names.kinds[TD_NAME_EXTERNAL].all[i];
        const int64_t row[TD_FOREIGN_THREAD_COLUMN_COUNT] = {
            [TD_FOREIGN_THREAD_THREAD] = (int64_t)name->key,
            [TD_FOREIGN_THREAD_PROCESS] = name->u.external.process ? name->u.external.process : unknown,
            [TD_FOREIGN_THREAD_NAME] = name->u.external.thread ? name->u.external.thread : unknown,
        };
        int64_t added = td_stream_row(stream, TD_TABLE_FOREIGN_THREAD, 0, row);
        if (added < 0)
            return (int)added;
    }
    return 0;
}

void td_stream_switches_finish(struct td_client_stream *stream)
{
    td_map_finish(&stream->switches.threads);
    td_map_finish(&stream->switches.processes);
    free(stream->switches.all.at);
}
