#include "host/report/ops/host_ops.h"
#include "host/base/grow.h"

#include <stdlib.h>
#include <string.h>

void td_host_ops_free(struct td_host_ops *ops)
{
    free(ops->ops);
    free(ops->signposts);
    free(ops->replays);
    free(ops->recording);
    free(ops->calls);
    free(ops->call_names);
    td_map_finish(&ops->by_id);
    td_map_finish(&ops->first_launches);
    td_map_finish(&ops->replays_of);
    td_map_finish(&ops->replay_at);
    *ops = (struct td_host_ops){0};
}

static uint64_t launch_key(uint32_t device, uint64_t hash)
{
    return td_mix64(hash) ^ device;
}

static uint32_t recorded_trace(const struct td_host_ops *ops, uint32_t device)
{
    for (size_t i = 0; i < ops->recording_count; i++)
        if (ops->recording[i].device == device)
            return ops->recording[i].trace;
    return TD_OP_NO_TRACE;
}

static const char report_key[] = "\"report\"";

static int add_op(struct td_host_ops *ops, const struct td_tt_message *m, int64_t time_ns)
{
    struct td_host_op op = {.kind = m->kind,
                            .id = m->id,
                            .device = m->device,
                            .trace = recorded_trace(ops, m->device),
                            .hash = m->hash,
                            .cache_hit = m->cache_hit,
                            .name = m->name,
                            .json = m->json,
                            .time_ns = time_ns,
                            .zone_start_ns = TD_OP_NO_TIME,
                            .zone_end_ns = TD_OP_NO_TIME,
                            .calls = UINT32_MAX};
    op.reported = m->json.bytes && memmem(m->json.at, m->json.bytes, report_key, sizeof report_key - 1);
    const uint64_t key = launch_key(m->device, m->hash);
    if (!m->json.bytes) {
        const uint32_t first = td_map_get(&ops->first_launches, key, UINT32_MAX);
        if (first == UINT32_MAX) {
            ops->unknown++;
            op.json = TD_TT_TEXT_NONE;
        } else {
            op.json = ops->ops[first].json;
        }
    }
    if (ops->count >= UINT32_MAX - 1 || td_grow(&ops->ops, &ops->room, ops->count + 1, sizeof *ops->ops) < 0)
        return TD_E_NOMEM;
    ops->ops[ops->count] = op;
    if (m->json.bytes && td_map_set(&ops->first_launches, key, (uint32_t)ops->count) < 0)
        return TD_E_NOMEM;
    return td_map_set(&ops->by_id, m->id, (uint32_t)ops->count++);
}

static int begin_trace(struct td_host_ops *ops, const struct td_tt_message *m)
{
    for (size_t i = 0; i < ops->recording_count; i++)
        if (ops->recording[i].device == m->device) {
            ops->recording[i].trace = m->trace;
            return 0;
        }
    if (td_grow(&ops->recording, &ops->recording_room, ops->recording_count + 1, sizeof *ops->recording) < 0)
        return TD_E_NOMEM;
    ops->recording[ops->recording_count].device = m->device;
    ops->recording[ops->recording_count++].trace = m->trace;
    return 0;
}

static void end_trace(struct td_host_ops *ops, const struct td_tt_message *m)
{
    for (size_t i = 0; i < ops->recording_count; i++)
        if (ops->recording[i].device == m->device)
            ops->recording[i] = ops->recording[--ops->recording_count];
}

static uint64_t trace_key(uint32_t device, uint32_t trace)
{
    return (uint64_t)device << 32 | trace;
}
static uint64_t replay_key(uint32_t device, uint32_t trace, uint32_t n)
{
    return td_mix64(trace_key(device, trace)) + n;
}

static int add_replay(struct td_host_ops *ops, const struct td_tt_message *m, int64_t time_ns)
{
    const uint64_t key = trace_key(m->device, m->trace);
    const uint32_t n = td_map_get(&ops->replays_of, key, 0) + 1;
    if (td_grow(&ops->replays, &ops->replay_room, ops->replay_count + 1, sizeof *ops->replays) < 0 ||
        td_map_set(&ops->replays_of, key, n) < 0 ||
        td_map_set(&ops->replay_at, replay_key(m->device, m->trace, n), (uint32_t)ops->replay_count) < 0)
        return TD_E_NOMEM;
    ops->replays[ops->replay_count++] = (struct td_host_replay){m->device, m->trace, time_ns};
    return 0;
}

static int add_signpost(struct td_host_ops *ops, const struct td_tt_message *m, int64_t time_ns)
{
    return TD_APPEND(ops->signposts, ops->signpost_count, ops->signpost_room,
                     (struct td_host_signpost){time_ns, m->name, m->text});
}

int td_host_ops_message(struct td_host_ops *ops, struct td_tt_text text, int64_t time_ns)
{
    static const char columns[] = TD_TT_REPORT_COLUMNS;
    struct td_tt_message m;
    if (td_tt_text_begins(text, columns) && !ops->report_columns.bytes)
        ops->report_columns =
            (struct td_tt_text){text.at + sizeof columns - 1, text.bytes - (sizeof columns - 1)};
    if (!td_tt_message_read(text, &m))
        return 0;
    ops->cut += m.cut;
    switch (m.kind) {
    case TD_TT_MESSAGE_DEVICE_OP:
    case TD_TT_MESSAGE_FALL_BACK_OP:
        return add_op(ops, &m, time_ns);
    case TD_TT_MESSAGE_TRACE_BEGIN:
        return begin_trace(ops, &m);
    case TD_TT_MESSAGE_TRACE_END:
        end_trace(ops, &m);
        return 0;
    case TD_TT_MESSAGE_TRACE_REPLAY:
        return add_replay(ops, &m, time_ns);
    case TD_TT_MESSAGE_SIGNPOST:
        return add_signpost(ops, &m, time_ns);
    default:
        return 0;
    }
}

struct td_host_op *td_host_ops_find(struct td_host_ops *ops, uint64_t id)
{
    const uint32_t at = td_map_get(&ops->by_id, id, UINT32_MAX);
    return at == UINT32_MAX ? NULL : &ops->ops[at];
}

struct td_host_op *td_host_ops_of_text(struct td_host_ops *ops, struct td_tt_text text)
{
    uint64_t id;
    static const char word[] = "id:";
    if (!td_tt_text_begins(text, word))
        return NULL;
    const struct td_tt_text number = {text.at + sizeof word - 1, text.bytes - (sizeof word - 1)};
    return td_tt_text_u64(td_tt_text_trim(number), &id) ? td_host_ops_find(ops, id) : NULL;
}

int td_host_ops_add_call_name(struct td_host_ops *ops, struct td_tt_text name)
{
    if (td_grow(&ops->call_names, &ops->call_name_room, ops->call_name_count + 1, sizeof *ops->call_names) <
        0)
        return TD_E_NOMEM;
    ops->call_names[ops->call_name_count++] = name;
    return 0;
}

int td_host_ops_call(struct td_host_ops *ops, struct td_host_op *op, struct td_tt_text function, int64_t ns)
{
    uint32_t name = 0;
    while (name < ops->call_name_count && !td_tt_text_equals(ops->call_names[name], function))
        name++;
    if (name == ops->call_name_count && !ops->any_call)
        return 0;
    if (name == ops->call_name_count && td_host_ops_add_call_name(ops, function) < 0)
        return TD_E_NOMEM;
    for (uint32_t c = op->calls; c != UINT32_MAX; c = ops->calls[c].next)
        if (ops->calls[c].name == name) {
            ops->calls[c].total_ns = td_wrap_add(ops->calls[c].total_ns, ns);
            return 0;
        }
    if (td_grow(&ops->calls, &ops->call_room, ops->call_count + 1, sizeof *ops->calls) < 0)
        return TD_E_NOMEM;
    ops->calls[ops->call_count] = (struct td_host_call){name, op->calls, ns};
    op->calls = (uint32_t)ops->call_count++;
    return 0;
}

int64_t td_host_ops_replay_time(const struct td_host_ops *ops, uint32_t device, uint32_t trace, uint32_t n)
{
    const uint32_t at = td_map_get(&ops->replay_at, replay_key(device, trace, n), UINT32_MAX);
    if (at == UINT32_MAX || ops->replays[at].device != device || ops->replays[at].trace != trace)
        return TD_OP_NO_TIME;
    return ops->replays[at].time_ns;
}
