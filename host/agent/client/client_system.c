/* Load, power and topology of the machine; trace sections. */
#include "host/agent/client/client_internal.h"
#include "host/base/grow.h"

#define NO_SECTION_END(id) (-(int64_t)(id))

static int add_point(struct td_client_stream *stream, uint32_t plot, uint32_t ref, int64_t ns, double value)
{
    struct td_event *event = td_pending_add(stream, TD_EVENT_PLOT, ref);
    if (!event)
        return TD_E_NOMEM;
    event->time_ns = ns;
    event->subject = plot;
    event->value.f64 = value;
    return 0;
}

int td_take_load(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_SysTimeReport item = TD_GET(SysTimeReport);
    double value = item.sysTime;
    if (value - value != 0) {
        stream->counts.ignored++;
        return 0;
    }
    struct td_client_space *space = stream->config.space;
    if (!td_client_space_reports(space, TD_CLIENT_REPORT_LOAD))
        return 0;
    struct td_plot usage = {
        .name = td_client_space_machine_name(space, stream->dict, td_dict_cstring(stream->dict, "CPU usage")),
        .format = 2,
        .fill = 1,
        .kind = TD_PLOT_CPU_USAGE};
    uint32_t plot = usage.name == UINT32_MAX ? UINT32_MAX : td_dict_plot(stream->dict, &usage);
    if (plot == UINT32_MAX)
        return TD_E_NOMEM;
    return add_point(stream, plot, TD_REF_NONE, td_stream_event_ns(stream, item.time), value);
}

/* An item has the microjoules since the last one of its domain; the first one has only the time. */
int td_take_power(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_SysPowerReport item = TD_GET(SysPowerReport);
    uint32_t text = td_names_see(&stream->names, TD_NAME_TEXT, item.name);
    int64_t ns = td_stream_event_ns(stream, item.time);
    if (text == TD_NO_NUMBER)
        return TD_E_NOMEM;
    if (!td_client_space_reports(stream->config.space, TD_CLIENT_REPORT_LOAD))
        return 0;
    uint32_t domain = td_map_get(&stream->power, text, TD_NO_NUMBER);
    if (domain == TD_NO_NUMBER) {
        domain = (uint32_t)stream->powers.count;
        if (TD_LIST_ROOM(&stream->powers) < 0 || td_map_add(&stream->power, text, domain) < 0)
            return TD_E_NOMEM;
        stream->powers.at[stream->powers.count++].last_ns = ns;
        return 0;
    }
    int64_t since = ns - stream->powers.at[domain].last_ns;
    stream->powers.at[domain].last_ns = ns;
    if (since <= 0) {
        stream->counts.ignored++;
        return 0;
    }
    return add_point(stream, text, TD_REF_POWER, ns, 1000. * (double)item.delta / (double)since);
}

int td_take_topology(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_CpuTopology item = TD_GET(CpuTopology);
    const int64_t row[TD_TOPOLOGY_COLUMN_COUNT] = {
        [TD_TOPOLOGY_PACKAGE] = item.package,
        [TD_TOPOLOGY_DIE] = item.die,
        [TD_TOPOLOGY_CORE] = item.core,
        [TD_TOPOLOGY_CPU] = item.thread,
    };
    return (int)(td_stream_row(stream, TD_TABLE_TOPOLOGY, 0, row) < 0 ? stream->err.code : 0);
}

/* ---- trace sections; an end may come before its begin ---- */

static int set_category(struct td_client_stream *stream, uint16_t number, uint32_t text, int described)
{
    uint32_t row = td_map_get(&stream->section_categories, number, TD_NO_NUMBER);
    if (row != TD_NO_NUMBER)
        return described
                   ? td_stream_set(stream, TD_TABLE_SECTION_CATEGORY, 0, row, TD_SECTION_CATEGORY_TEXT, text)
                   : 0;
    const int64_t values[TD_SECTION_CATEGORY_COLUMN_COUNT] = {number, text};
    int64_t added = td_stream_row(stream, TD_TABLE_SECTION_CATEGORY, 0, values);
    if (added < 0)
        return (int)added;
    return td_map_add(&stream->section_categories, number, (uint32_t)added) < 0 ? TD_E_NOMEM : 0;
}

/* The row of a section, made at the first call; or a negative enum td_e. */
static int64_t find_section(struct td_client_stream *stream, uint32_t id)
{
    uint32_t row = td_map_get(&stream->sections, id, TD_NO_NUMBER);
    if (row != TD_NO_NUMBER)
        return row;
    const int64_t values[TD_SECTION_COLUMN_COUNT] = {[TD_SECTION_END] = NO_SECTION_END(id)};
    int64_t added = td_stream_row(stream, TD_TABLE_SECTION, 0, values);
    if (added >= 0 && td_map_add(&stream->sections, id, (uint32_t)added) < 0)
        return TD_E_NOMEM;
    return added;
}

int td_take_section_enter(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_SectionEnter item = TD_GET(SectionEnter);
    int64_t ticks = td_stream_advance(&stream->thread_time, item.time);
    uint32_t text;
    if (td_stream_text(stream, &text) != 0)
        return TD_E_NOMEM;
    int64_t row = find_section(stream, item.id);
    if (row < 0)
        return (int)row;
    int bad = td_stream_set(stream, TD_TABLE_SECTION, 0, (uint64_t)row, TD_SECTION_CATEGORY, item.category);
    if (!bad)
        bad = td_stream_set(stream, TD_TABLE_SECTION, 0, (uint64_t)row, TD_SECTION_START,
                            td_stream_event_ns(stream, ticks));
    bad = bad ? bad : td_stream_set(stream, TD_TABLE_SECTION, 0, (uint64_t)row, TD_SECTION_TEXT, text);
    return bad ? bad : set_category(stream, item.category, 0, 0);
}

int td_take_section_leave(struct td_client_stream *stream, const struct td_wire_view *view)
{
    struct td_wire_SectionLeave item = TD_GET(SectionLeave);
    int64_t ticks = td_stream_advance(&stream->thread_time, item.time);
    int64_t row = find_section(stream, item.id);
    if (row < 0)
        return (int)row;
    return td_stream_set(stream, TD_TABLE_SECTION, 0, (uint64_t)row, TD_SECTION_END,
                         td_stream_event_ns(stream, ticks));
}

/* Some clients leave out the text when they repeat the set-up for a later viewer. */
int td_take_section_setup(struct td_client_stream *stream, const struct td_wire_view *view)
{
    uint32_t text;
    int described = stream->have_text;
    if (td_stream_text(stream, &text) != 0)
        return TD_E_NOMEM;
    return set_category(stream, TD_GET(SectionSetup).category, text, described);
}
