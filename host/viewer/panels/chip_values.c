#include "host/viewer/panels/chip_values.h"
#include "host/event/map.h"
#include "host/query/table/text_filter.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    td_rgba color;
    bool is_share;
} measures[] = {
#define TD_X(id, name, color, share, word) {name, color, share},
    TD_CHIP_MEASURES(TD_X)
#undef TD_X
};

/* The size of the grid in the note "NAME WxH" of the board; 0x0: not known. */
static void read_board_size(const struct td_view *view, unsigned *width, unsigned *height)
{
    const char *note = td_trace_get_note(view->model.trace, TD_NOTE_BOARD, 0);
    const char *size = note ? strrchr(note, ' ') : NULL;
    if (!size || sscanf(size, " %ux%u", width, height) != 2 || *width > 64 || *height > 64)
        *width = *height = 0;
}

static void make_grid(struct td_view *view, struct td_chip_values *s)
{
    const bool on_chip = !td_view_choice(view, TD_CHOICE_GRID);
    const uint64_t facts = td_mix64(td_trace_app_infos(view->model.trace)) + on_chip;
    const uint64_t key = td_mix64(view->rows.key ^ view->lanes.table.tracks ^ facts) | 1;
    unsigned width = 0, height = 0;
    if (s->grid_key == key)
        return;
    read_board_size(view, &width, &height);
    td_grid_free(&s->grid); /* refers to the maps */
    if (td_chip_maps_read(&s->maps, view->model.trace) == 0 &&
        td_grid_make(&s->grid, &view->lanes.table, width, height, on_chip ? &s->maps : NULL) == 0)
        s->grid_key = key;
}

static bool is_named(const struct td_view *view, uint32_t srcloc, const char *selected)
{
    const char *name = td_dict_zone_name(view->model.dict, srcloc);
    const struct td_find *find = &view->find;
    if (find->active)
        return find->only ? !strcmp(name, find->only) : td_text_passes(find->text, name, NULL);
    return selected && !strcmp(name, selected);
}

/* The part of the range in zones that are searched for, or have the name of the selected one. */
static void add_named(struct td_view *view, struct td_chip_values *s, const char *selected)
{
    const struct td_sums *sums = td_view_sums(view);
    const uint32_t locations = td_dict_srcloc_count(view->model.dict);
    uint8_t *wanted = malloc((size_t)locations + 1);
    for (uint32_t i = 0; wanted && i < locations; i++)
        wanted[i] = is_named(view, i, selected);
    for (size_t i = 0; wanted && sums && i < sums->count; i++)
        if (sums->sum[i].srcloc < locations && wanted[sums->sum[i].srcloc] && sums->sum[i].track < s->tracks)
            s->value[sums->sum[i].track] += (double)sums->sum[i].total_ns;
    free(wanted);
    double from = (double)view->model.first_ns, to = (double)view->model.last_ns;
    if (sums) {
        from = fmax(from, (double)sums->from_ns);
        to = fmin(to, (double)sums->to_ns);
    }
    for (uint32_t t = 0; t < s->tracks; t++)
        s->value[t] = s->value[t] / fmax(to - from, 1);
}

static double value_of(const struct td_lane *lane, enum td_chip_measure measure)
{
    switch (measure) {
    case TD_MEASURE_BUSY:
        return lane->facts.busy;
    case TD_MEASURE_WAIT:
        return lane->facts.wait;
    case TD_MEASURE_LOST:
        return lane->facts.lost;
    case TD_MEASURE_ZONES:
        return lane->facts.zones;
    case TD_MEASURE_LONGEST:
        return lane->facts.longest_ns;
    case TD_MEASURE_END:
        return lane->sum.zones ? (double)lane->sum.last_ns : NAN;
    default:
        return 0;
    }
}

/* What the transfers that each core commanded moved in a second. */
static void add_noc(struct td_view *view, struct td_chip_values *s)
{
    const struct td_noc_traffic *traffic = td_view_traffic(view);
    for (uint32_t t = 0; traffic && t < traffic->tracks && t < s->tracks; t++)
        s->value[t] = td_view_noc_rate(view, traffic->core[t].bytes);
}

static const char *selected_name(const struct td_view *view)
{
    if (!td_ref_valid(view->selection.zone))
        return NULL;
    return td_dict_zone_name(view->model.dict, td_view_zone(view, view->selection.zone).srcloc);
}

static void make_values(struct td_view *view, struct td_chip_values *s)
{
    const char *selected = selected_name(view), *text = selected ? selected : "";
    uint64_t key = td_mix64(td_mix64(view->lanes.version) + s->measure + 1);
    if (s->measure == TD_MEASURE_NOC && td_view_traffic(view))
        key ^= td_mix64(view->noc.version);
    if (view->find.active)
        text = view->find.only ? view->find.only : view->find.text;
    if (s->measure == TD_MEASURE_NAMED && strncmp(s->named, text, sizeof s->named - 1)) {
        snprintf(s->named, sizeof s->named, "%s", text);
        key++;
        s->key = 0;
    }
    if (s->key == key)
        return;
    double *value = realloc(s->value, ((size_t)view->lanes.table.tracks + 1) * sizeof *value);
    if (!value)
        return;
    s->value = value;
    s->tracks = view->lanes.table.tracks;
    s->key = key;
    for (uint32_t t = 0; t < s->tracks; t++)
        value[t] = value_of(&view->lanes.table.lane[t], s->measure);
    if (s->measure == TD_MEASURE_NAMED)
        add_named(view, s, selected);
    if (s->measure == TD_MEASURE_NOC)
        add_noc(view, s);
    s->low = INFINITY;
    s->high = -INFINITY;
    for (size_t i = 0; i < s->grid.tracks; i++) {
        const double v = value[s->grid.track[i]];
        if (isnan(v) || !td_lanes_passes(view, s->grid.track[i]))
            continue;
        s->low = fmin(s->low, v);
        s->high = fmax(s->high, v);
    }
    if (measures[s->measure].is_share || s->measure == TD_MEASURE_NOC || s->low > s->high)
        s->low = 0;
    s->high = fmax(s->high, s->low);
}

const char *td_chip_value_text(const struct td_view *view, enum td_chip_measure measure, double value,
                               char *text)
{
    if (measures[measure].is_share)
        snprintf(text, TD_FORMAT_BYTES, "%.1f %%", value * 100);
    else if (measure == TD_MEASURE_ZONES)
        td_format_count(text, (uint64_t)value);
    else if (measure == TD_MEASURE_NOC)
        td_format_rate(text, value);
    else if (measure == TD_MEASURE_END)
        td_format_time(text, value, (double)(view->model.last_ns - view->model.first_ns) / 1e4);
    else
        td_format_ns(text, value);
    return text;
}

td_rgba td_chip_scale_color(enum td_chip_measure measure, double part)
{
    return td_color_mix(TD_C(LIT), measures[measure].color, (float)(.08 + .92 * part));
}

td_rgba td_chip_color(const struct td_chip_values *s, double value, bool passes)
{
    double part = s->high > s->low ? (value - s->low) / (s->high - s->low) : s->high > 0 ? 1 : 0;
    if (isnan(value))
        return TD_C(STRIPE);
    td_rgba color = td_chip_scale_color(s->measure, fmin(fmax(part, 0), 1));
    return passes ? color : td_color_mix(TD_C(PANEL), color, .25f);
}

double td_chip_tile_value(const struct td_view *view, const struct td_chip_values *s,
                          const struct td_grid_tile *tile, bool *passes)
{
    double sum = 0, most = NAN;
    size_t count = 0;
    *passes = false;
    for (size_t i = tile->first; i < tile->first + tile->count; i++) {
        const double v = s->value[s->grid.track[i]];
        if (isnan(v) || !td_lanes_passes(view, s->grid.track[i]))
            continue;
        *passes = true;
        sum += v;
        most = count++ ? fmax(most, v) : v;
    }
    return measures[s->measure].is_share && count ? sum / (double)count : most;
}

const char *td_chip_measure_name(enum td_chip_measure measure)
{
    return measures[measure].name;
}

const char *td_chip_measure_note(const struct td_chip_values *s)
{
    static const char *const notes[] = {"time in zones",           "time waiting",
                                        "lost and stalled",        "zones",
                                        "longest outermost zone",  "end of last zone",
                                        "search or select a zone", "bytes that cores moved, a second"};
    return s->measure == TD_MEASURE_NAMED && *s->named ? s->named : notes[s->measure];
}

void td_chip_values_update(struct td_view *view, struct td_chip_values *s)
{
    td_view_sums(view);
    make_grid(view, s);
    make_values(view, s);
}

void td_chip_values_free(struct td_chip_values *s)
{
    td_grid_free(&s->grid);
    td_chip_maps_free(&s->maps);
    free(s->value);
    *s = (struct td_chip_values){0};
}
