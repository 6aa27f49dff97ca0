/* Lines about the program, the crash, plots. */
#include "host/serve/part.h"
#include "host/serve/track.h"
#include "host/wire/items.h"

#include <math.h>

/* ---- the program ---- */

int td_part_app_infos(struct td_viewer *v)
{
    const struct td_series *rows = td_trace_table(v->trace, TD_TABLE_APP_INFO);
    uint64_t end = td_place_end(v, &v->app_infos, td_series_count(rows));
    for (; v->app_infos.next < end; v->app_infos.next++) {
        uint32_t text = (uint32_t)td_part_get(rows, v->app_infos.next, TD_APP_INFO_TEXT);
        uint8_t *p = td_put_room(v, 2 * TD_ITEM_MAX + td_put_text_bytes(v, text));
        if (!p)
            return TD_PART_FULL;
        p = td_put_text(v, p, text);
        td_put_end(v, td_wire_put_MessageAppInfo(p, v->release, &(struct td_wire_MessageAppInfo){0}));
    }
    return TD_PART_DONE;
}

int td_part_crash(struct td_viewer *v)
{
    const struct td_crash *crash = td_trace_crash(v->trace);
    if (v->is_crash_sent || !crash || crash->track >= v->tracks.count)
        return TD_PART_DONE;
    uint8_t *p = td_put_room(v, TD_TRACK_ROOM + 2 * TD_ITEM_MAX + td_put_stack_room(v, crash->stack));
    if (!p)
        return TD_PART_FULL;
    p = td_track_put(v, p, &v->tracks.at[crash->track], crash->track, crash->time_ns);
    if (crash->stack)
        td_put_stack(v, &p, crash->stack, TD_STACK_THREAD);
    struct td_wire_CrashReport item = {crash->time_ns, td_key(TD_KEY_STRING, crash->text)};
    td_put_end(v, td_wire_put_CrashReport(p, v->release, &item));
    v->is_crash_sent = true;
    return TD_PART_DONE;
}

/* ---- plots ---- */

static bool same_look(const struct td_plot *a, const struct td_plot *b)
{
    return a->format == b->format && a->step == b->step && a->fill == b->fill && a->color == b->color;
}

/* The plot's colour is the only one whose bytes are in reverse order. */
static uint8_t *put_config(const struct td_viewer *v, uint8_t *p, uint32_t number, const struct td_plot *plot)
{
    uint32_t reverse = (plot->color & 0xff) << 16 | (plot->color & 0xff00) | (plot->color >> 16 & 0xff);
    struct td_wire_PlotConfig item = {.name = td_key(TD_KEY_PLOT, number),
                                      .type = plot->format,
                                      .step = plot->step,
                                      .fill = plot->fill,
                                      .color = reverse};
    return td_wire_put_PlotConfig(p, v->release, &item);
}

/* The microjoules since the point before; the first point is preceded by one that only starts the time. */
static uint8_t *put_power(const struct td_viewer *v, uint8_t *p, struct td_plot_place *place,
                          const struct td_plot *plot, const struct td_series *rows, int64_t ns, double value)
{
    uint64_t name = td_key(TD_KEY_STRING, plot->name), row = place->place.next;
    if (!place->is_begun) {
        int64_t step = row + 1 < td_series_count(rows) ? td_part_get(rows, row + 1, TD_POINT_TIME) - ns : ns;
        place->last_ns = step > 0 && step < ns - v->begin_ns ? ns - step : v->begin_ns;
        struct td_wire_SysPowerReport start = {place->last_ns, 0, name};
        p = td_wire_put_SysPowerReport(p, v->release, &start);
    }
    double joules = value * (double)(ns - place->last_ns) / 1000.;
    struct td_wire_SysPowerReport item = {ns, joules > 0 && joules < 1e18 ? (uint64_t)llround(joules) : 0,
                                          name};
    place->last_ns = ns;
    return td_wire_put_SysPowerReport(p, v->release, &item);
}

static uint8_t *put_point(struct td_viewer *v, uint8_t *p, struct td_plot_place *place, uint32_t number,
                          const struct td_plot *plot, const struct td_series *rows)
{
    int64_t ns = td_part_get(rows, place->place.next, TD_POINT_TIME);
    int64_t bits = td_part_get(rows, place->place.next, TD_POINT_VALUE);
    double value;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value)) { /* servers lose the time of such a point */
        td_viewer_leave_out(v, TD_LEFT_OUT_POINTS);
        return p;
    }
    if (plot->kind == TD_PLOT_CPU_USAGE)
        return td_wire_put_SysTimeReport(p, v->release, &(struct td_wire_SysTimeReport){ns, (float)value});
    if (plot->kind == TD_PLOT_POWER && td_wire_has(v->release, TD_ITEM_SysPowerReport))
        return put_power(v, p, place, plot, rows, ns, value);
    if (!v->has_thread)
        p = td_put_thread(v, p, 0);
    struct td_wire_PlotDataDouble item = {td_key(TD_KEY_PLOT, number), td_put_delta(&v->thread_time, ns),
                                          value};
    return td_wire_put_PlotDataDouble(p, v->release, &item);
}

static int send_plot(struct td_viewer *v, uint32_t number)
{
    const struct td_series *rows = td_trace_list(v->trace, TD_TABLE_POINT, number);
    struct td_plot_place *place = &v->plots.at[number];
    const struct td_plot *plot = td_dict_get_plot(v->dict, number);
    uint64_t end = td_place_end(v, &place->place, td_series_count(rows));
    for (; place->place.next < end; place->place.next++) {
        uint8_t *p = td_put_room(v, 4 * TD_ITEM_MAX);
        if (!p)
            return TD_PART_FULL;
        static const struct td_plot plain;
        const struct td_plot *sent = place->is_configured ? &place->sent : &plain;
        if (plot->kind == TD_PLOT_USER && !same_look(sent, plot)) {
            p = put_config(v, p, number, plot);
            place->sent = *plot;
            place->is_configured = true;
        }
        td_put_end(v, put_point(v, p, place, number, plot, rows));
        place->is_begun = true;
    }
    return TD_PART_DONE;
}

int td_part_plots(struct td_viewer *v)
{
    uint32_t count = td_dict_plot_count(v->dict);
    int result = TD_PLACES_GROW(&v->plots, count);
    TD_PART_EACH(v, count, result, send_plot(v, i));
    return result;
}
