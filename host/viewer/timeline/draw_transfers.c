/* Arrows of transfers over the NoC: from the core that wrote to the tile that got the data, from the tile that was read
 * to the core. Ends that no row shows, such as DRAM, have none. */
#include "host/viewer/timeline/lod.h"
#include "host/viewer/timeline/draw.h"
#include "host/viewer/timeline/view.h"

#define MOST_ARROWS  400
#define MOST_OF_ZONE 100
#define MOST_SCANNED 20000 /* transfers in the visible range: of more, none are drawn but the chosen ones */

/* The middle of the row of messages, where the command is, or of what hides it. */
static bool find_command_y(const struct td_view *view, uint32_t track, float *y)
{
    const int number = td_layout_track_node(&view->layout, track);
    if (!td_view_zone_y(view, (struct td_zone_ref){track, 0, 0}, y))
        return false;
    const struct td_node *node = &view->layout.nodes[number];
    if (node->height > 0 && !node->collapsed && node->has_messages)
        *y = td_view_node_y(view, node) + view->metrics.pad + view->metrics.messages / 2 - 1;
    else
        *y += view->metrics.row / 2;
    return true;
}

/* The arrow to one place, or from it. False: the place or the core has no row. */
static bool draw_to(struct td_view *view, const struct td_noc_index *index, const struct td_noc_transfer *t,
                    struct td_noc_place place, td_rgba color)
{
    const uint32_t other = td_noc_index_lane(index, t->chip, place);
    float core_y, other_y;
    if (other == UINT32_MAX || !find_command_y(view, t->track, &core_y) ||
        !td_view_zone_y(view, (struct td_zone_ref){other, 0, 0}, &other_y) ||
        td_layout_track_node(&view->layout, other) == td_layout_track_node(&view->layout, t->track))
        return false;
    other_y += view->metrics.row / 2;
    const float start = td_view_x(view, (double)t->time_ns),
                end = t->done_ns == TD_OPEN ? start : td_view_x(view, (double)t->done_ns);
    td_draw_arrow(view, start, t->is_read ? other_y : core_y, end, t->is_read ? core_y : other_y, color);
    return true;
}

/* Returns how many arrows it drew. */
static size_t draw_transfer(struct td_view *view, const struct td_noc_index *index,
                            const struct td_noc_transfer *t, float alpha)
{
    const td_rgba color = td_color_alpha(t->noc ? TD_C(NOC1) : TD_C(NOC0), alpha);
    size_t drawn = 0;
    if (t->is_read)
        return draw_to(view, index, t, t->from, color);
    const uint32_t x0 = t->to.x < t->to_last.x ? t->to.x : t->to_last.x, x1 = t->to.x + t->to_last.x - x0;
    const uint32_t y0 = t->to.y < t->to_last.y ? t->to.y : t->to_last.y, y1 = t->to.y + t->to_last.y - y0;
    for (uint32_t y = y0; y <= y1 && drawn < MOST_OF_ZONE; y++)
        for (uint32_t x = x0; x <= x1 && drawn < MOST_OF_ZONE; x++)
            drawn += draw_to(view, index, t, (struct td_noc_place){(uint16_t)x, (uint16_t)y}, color);
    return drawn;
}

/* Those that the core commanded during the zone. */
static void draw_of_zone(struct td_view *view, const struct td_noc_index *index, struct td_zone_ref ref)
{
    if (!td_ref_valid(ref) || ref.track >= index->tracks)
        return;
    const struct td_zone zone = td_view_zone(view, ref);
    const double end = td_view_zone_end(view, &zone);
    const size_t last = index->first[ref.track + 1];
    size_t drawn = 0;
    for (size_t i = td_noc_index_of(index, ref.track, zone.start_ns); i < last && drawn < MOST_OF_ZONE; i++) {
        const struct td_noc_transfer *t = &index->transfers.list[index->of_track[i]];
        if ((double)t->time_ns > end)
            break;
        drawn += draw_transfer(view, index, t, 1);
    }
}

static void draw_visible(struct td_view *view, const struct td_noc_index *index)
{
    const size_t first = td_noc_index_at(index, td_lod_time(view->camera.start_ns)),
                 last = td_noc_index_at(index, td_lod_time(view->camera.end_ns));
    size_t drawn = 0;
    if (last - first > MOST_SCANNED)
        return;
    for (size_t i = first; i < last && drawn < MOST_ARROWS; i++)
        if (td_lanes_passes(view, index->transfers.list[i].track))
            drawn += draw_transfer(view, index, &index->transfers.list[i], .55f);
}

void td_draw_transfers(struct td_view *view)
{
    const int choice = td_view_choice(view, TD_CHOICE_TRANSFERS);
    const struct td_noc_index *index = choice == 2 ? NULL : td_view_transfers(view);
    if (!index)
        return;
    if (choice == 1)
        draw_visible(view, index);
    draw_of_zone(view, index, view->selection.zone);
    if (!td_ref_equal(view->selection.zone, view->hover.zone))
        draw_of_zone(view, index, view->hover.zone);
}
