#include "host/viewer/timeline/zone_color.h"

#include <stdio.h>

#define DEPTHS       5 /* shades of a colour */
#define DEPTH_SHADE  .085f
#define INHERIT_DARK .2f

td_rgba td_color_at_depth(td_rgba color, uint32_t row)
{
    return td_color_mix(color, 0xff000000u, DEPTH_SHADE * (float)(row % DEPTHS));
}

td_rgba td_color_of_row(const struct td_track *track, uint32_t row)
{
    /* The palette is that of names. */
    char text[80];
    snprintf(text, sizeof text, "%llu %u %u %u,%u %u", (unsigned long long)track->thread,
             (unsigned)track->context, track->chip, track->x, track->y, track->core);
    return td_color_at_depth(td_color_of_name(text), row);
}

/* The colour of a function, file and line. */
static td_rgba color_of_place(const struct td_dict *dict, const struct td_srcloc *srcloc)
{
    char text[600];
    snprintf(text, sizeof text, "%.250s %.250s %u", td_dict_text(dict, srcloc->function),
             td_dict_text(dict, srcloc->file), (unsigned)srcloc->line);
    return td_color_of_name(text);
}

/* The colour that the program gave the zone; 0: none. */
static td_rgba own_color(const struct td_dict *dict, const struct td_zone *zone)
{
    const td_rgba color = zone->color ? zone->color : td_dict_get_srcloc(dict, zone->srcloc)->color;
    return color ? td_color_readable(color) : 0;
}

/* The zone of the row around the time. */
static bool find_around(const struct td_trace *trace, uint32_t track, uint32_t row, int64_t time_ns,
                        struct td_zone *zone)
{
    const size_t index = td_trace_zone_after(trace, track, row, time_ns);
    if (index >= td_trace_row_zones(trace, track, row))
        return false;
    *zone = td_trace_zone(trace, track, row, index);
    return zone->start_ns <= time_ns;
}

td_rgba td_zone_color_inherit(const struct td_trace *trace, uint32_t track, uint32_t row, int64_t start_ns,
                              struct td_inherited *last)
{
    if (last->start <= start_ns && start_ns < last->end)
        return last->color;
    *last = (struct td_inherited){0};
    for (uint32_t up = row; up-- > 0;) {
        struct td_zone zone;
        if (!find_around(trace, track, up, start_ns, &zone))
            continue;
        if (up + 1 == row) {
            last->start = zone.start_ns;
            last->end = zone.end_ns;
        }
        const td_rgba own = own_color(td_trace_dict(trace), &zone);
        if (own) {
            last->color = td_color_readable(td_color_mix(own, 0xff000000u, INHERIT_DARK));
            break;
        }
    }
    return last->color;
}

td_rgba td_color_of_srcloc(const struct td_dict *dict, struct td_zone_coloring as, uint32_t srcloc,
                           bool *fixed)
{
    const struct td_srcloc *s = td_dict_get_srcloc(dict, srcloc);
    *fixed = true;
    if (s->color && !as.ignore_own)
        return td_color_readable(s->color);
    if (s->flags & TD_SRCLOC_LOST)
        return TD_C(LOST);
    if (s->flags & TD_SRCLOC_WAIT)
        return TD_C(WAIT);
    *fixed = false;
    if (as.by == TD_ZONE_COLOR_STATIC)
        return TD_STATIC_ZONE;
    return as.by == TD_ZONE_COLOR_LOCATION ? color_of_place(dict, s)
                                           : td_color_of_name(td_dict_zone_name(dict, srcloc));
}

td_rgba td_zone_color(const struct td_trace *trace, struct td_zone_coloring as, uint32_t track, uint32_t row,
                      const struct td_zone *zone)
{
    const struct td_dict *dict = td_trace_dict(trace);
    bool fixed;
    const td_rgba color = td_color_of_srcloc(dict, as, zone->srcloc, &fixed);
    if (zone->color && !as.ignore_own)
        return td_color_readable(zone->color);
    if (fixed)
        return color;
    struct td_inherited none = {0};
    const td_rgba inherited =
        as.inherit ? td_zone_color_inherit(trace, track, row, zone->start_ns, &none) : 0;
    if (inherited)
        return inherited;
    if (as.by == TD_ZONE_COLOR_TRACK)
        return td_color_of_row(td_dict_get_track(dict, track), row);
    return as.by == TD_ZONE_COLOR_LOCATION ? td_color_at_depth(color, row) : color;
}
