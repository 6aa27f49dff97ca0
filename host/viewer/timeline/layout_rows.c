/* The rows of the layout: their heights, and which of them are shown. */
#include "host/viewer/timeline/layout.h"

#include <stdio.h>
#include <stdlib.h>

void td_layout_free(struct td_layout *layout)
{
    free(layout->nodes);
    free(layout->shown);
    free(layout->pins);
    free(layout->of_track);
    *layout = (struct td_layout){0};
}

struct td_metrics td_metrics_for(float scale)
{
    struct td_metrics m = {.row = 19,
                           .group = 24,
                           .density = 26,
                           .messages = 15,
                           .runs = 8,
                           .samples = 6,
                           .switches = 7,
                           .plot = 46,
                           .frames = 22,
                           .lock = 22,
                           .cpu = 17,
                           .usage = 34,
                           .pad = 4};
    float *all[] = {&m.row,  &m.group,  &m.density, &m.messages, &m.runs,  &m.samples, &m.switches,
                    &m.plot, &m.frames, &m.lock,    &m.cpu,      &m.usage, &m.pad};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] = (float)(int)(*all[i] * scale + .5f);
    return m;
}

bool td_layout_centres_label(const struct td_node *node)
{
    static const int centred_rows[] = {
#define TD_X(id, height, for_each, centred, draw) centred,
        TD_NODE_KINDS(TD_X)
#undef TD_X
    };
    return node->collapsed || (int)node->rows <= centred_rows[node->kind];
}

static float node_height(const struct td_node *node, const struct td_metrics *m)
{
    const struct {
        float height;
        bool for_each;
    } kinds[] = {
#define TD_X(id, height, for_each, centred, draw) {m->height, for_each},
        TD_NODE_KINDS(TD_X)
#undef TD_X
    };
    const float height = kinds[node->kind].height;
    if (node->collapsed && (node->kind == TD_NODE_GROUP || node->kind == TD_NODE_TRACK))
        return m->density;
    if (node->kind == TD_NODE_TRACK) { /* with its strips; not lower than a row */
        const float all = td_layout_row_y(node, m, node->rows) - node->y - m->pad;
        return (all > height ? all : height) + 2 * m->pad;
    }
    if (node->kind == TD_NODE_PLOT)
        return height + (float)node->rows * m->messages;
    const uint32_t rows = node->most_rows && node->most_rows < node->rows ? node->most_rows : node->rows;
    return kinds[node->kind].for_each ? (float)rows * height + m->pad : height;
}

/* Groups are visible if anything in them is. */
static void set_visible(struct td_layout *layout)
{
    for (int i = 0; i < layout->count; i++) {
        struct td_node *node = &layout->nodes[i];
        bool pinned = node->pinned || (node->parent >= 0 && layout->nodes[node->parent].in_pins);
        node->in_pins = pinned;
        node->inner_shown = 0;
        node->visible = node->kind != TD_NODE_GROUP && !node->hidden &&
                        ((!node->filtered && !node->empty) || node->pinned);
        if (node->below) { /* as its track */
            const struct td_node *track = node - node->below;
            node->in_pins |= track->in_pins;
            node->visible = track->visible && !track->collapsed && !node->hidden;
        }
        if (node->visible && node->kind == TD_NODE_TRACK && node->parent >= 0)
            layout->nodes[node->parent].inner_shown++;
        for (int up = node->parent; node->visible && up >= 0 && !layout->nodes[up].visible;
             up = layout->nodes[up].parent) {
            layout->nodes[up].visible = true;
            if (layout->nodes[up].parent >= 0)
                layout->nodes[layout->nodes[up].parent].inner_shown++;
        }
    }
}

const char *td_layout_detail(const struct td_node *node, char text[TD_NODE_DETAIL_BYTES])
{
    const char *several = node->inner == 1 ? "" : "s";
    if (!node->inner_what)
        snprintf(text, TD_NODE_DETAIL_BYTES, "%s", node->detail);
    else if (node->inner_shown < node->inner)
        snprintf(text, TD_NODE_DETAIL_BYTES, "%d of %d %s%s", node->inner_shown, node->inner,
                 node->inner_what, several);
    else
        snprintf(text, TD_NODE_DETAIL_BYTES, "%d %s%s", node->inner, node->inner_what, several);
    return text;
}

void td_layout_place(struct td_layout *layout, const struct td_metrics *metrics)
{
    float y[2] = {0, 0}; /* of the rows, of the pins */
    int hidden_until[2] = {0, 0};
    layout->shown_count = layout->pin_count = 0;
    set_visible(layout);
    for (int i = 0; i < layout->count; i++) {
        struct td_node *node = &layout->nodes[i];
        int p = node->in_pins;
        bool hidden = i < hidden_until[p] || !node->visible;
        node->y = y[p];
        node->height = hidden ? 0 : node_height(node, metrics);
        if (hidden)
            continue;
        if (p)
            layout->pins[layout->pin_count++] = i;
        else
            layout->shown[layout->shown_count++] = i;
        y[p] += node->height;
        if (node->kind == TD_NODE_GROUP && node->collapsed)
            hidden_until[p] = node->end;
    }
    layout->height = y[0];
    layout->pins_height = y[1];
}

void td_layout_filter(struct td_layout *layout, const uint8_t *passes, uint32_t tracks)
{
    bool filtered = false; /* of the last track, to which the plots after it belong */
    for (int i = 0; i < layout->count; i++) {
        struct td_node *node = &layout->nodes[i];
        if (node->kind == TD_NODE_TRACK)
            filtered = passes && node->number < tracks && !passes[node->number];
        node->filtered =
            filtered && (node->kind == TD_NODE_TRACK || (node->kind == TD_NODE_PLOT && node->is_device));
    }
}

void td_layout_hide(struct td_layout *layout, int number, bool hidden)
{
    for (int i = number; i < layout->nodes[number].end; i++)
        if (layout->nodes[i].kind != TD_NODE_GROUP) {
            layout->nodes[i].hidden = hidden;
            layout->nodes[i].pinned &= !hidden;
        }
    layout->nodes[number].pinned &= !hidden;
}

void td_layout_collapse(struct td_layout *layout, bool collapsed)
{
    bool device = false, tiles = false;
    for (int i = 0; i < layout->count; i++) {
        const struct td_node *node = &layout->nodes[i];
        device |= node->is_device;
        tiles |= node->is_device && node->kind == TD_NODE_GROUP && node->level == 1;
    }
    for (int i = 0; i < layout->count; i++) {
        struct td_node *node = &layout->nodes[i];
        if (!collapsed)
            node->collapsed = false;
        else if (tiles)
            node->collapsed |= node->kind == TD_NODE_GROUP && node->is_device && node->level == 1;
        else
            node->collapsed |= node->kind == TD_NODE_TRACK && node->is_device == device;
    }
}

int td_layout_at(const struct td_layout *layout, float y)
{
    int low = 0, high = layout->shown_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        const struct td_node *node = &layout->nodes[layout->shown[middle]];
        if (node->y + node->height > y)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

int td_layout_track_node(const struct td_layout *layout, uint32_t track)
{
    return track < layout->tracks ? layout->of_track[track] : -1;
}

int td_layout_row_node(const struct td_layout *layout, enum td_node_kind kind, uint32_t number)
{
    for (int i = 0; i < layout->count; i++)
        if (layout->nodes[i].kind == kind && layout->nodes[i].number == number)
            return i;
    return -1;
}

bool td_layout_reveal(struct td_layout *layout, int node)
{
    bool opened = false;
    for (; node >= 0; node = layout->nodes[node].parent) {
        opened |= layout->nodes[node].collapsed;
        layout->nodes[node].collapsed = false;
    }
    return opened;
}

float td_layout_samples_y(const struct td_node *node, const struct td_metrics *metrics)
{
    return node->y + metrics->pad + (node->has_messages ? metrics->messages : 0) +
           (node->has_runs ? metrics->runs : 0);
}

float td_layout_switches_y(const struct td_node *node, const struct td_metrics *metrics)
{
    return td_layout_samples_y(node, metrics) + (node->has_samples ? metrics->samples : 0);
}

float td_layout_row_y(const struct td_node *node, const struct td_metrics *metrics, uint32_t row)
{
    return td_layout_switches_y(node, metrics) + (node->has_switches ? metrics->switches : 0) +
           (float)row * metrics->row;
}
