#include "host/viewer/layout.h"
#include "host/base/grow.h"
#include "host/trace/tables.h"
#include "proto/track.h"

#include <inttypes.h>
#include <stdio.h>

#define NO_TRACK UINT32_MAX

/* State while the tree is built. */
struct layout_builder {
    const struct td_trace *trace;
    const struct td_messages *messages;
    const struct td_dict *dict;
    struct td_layout *layout;
    size_t capacity;
    uint32_t *order; /* tracks in the order in which they are shown */
    uint32_t order_count;
    uint32_t *plot_owner; /* the track below which a plot is shown, or NO_TRACK */
};

static struct td_node *add_node(struct layout_builder *b, enum td_node_kind kind, int level, int parent,
                                uint32_t number)
{
    struct td_layout *layout = b->layout;
    if (td_grow(&layout->nodes, &b->capacity, (size_t)layout->count + 1, sizeof *layout->nodes) < 0)
        return NULL;
    struct td_node *node = &layout->nodes[layout->count++];
    *node = (struct td_node){.kind = kind, .level = level, .parent = parent, .number = number};
    node->end = layout->count;
    return node;
}

static void copy_label(char *out, size_t bytes, const char *text)
{
    size_t n = strcspn(text, "\r\n");
    if (n >= bytes) {
        n = bytes - 1;
        while (n && ((unsigned char)text[n] & 0xc0) == 0x80) /* no partial character */
            n--;
    }
    memcpy(out, text, n);
    out[n] = 0;
}

static bool track_has_content(const struct layout_builder *b, uint32_t track)
{
    return td_trace_track_zones(b->trace, track) || td_messages_count(b->messages, b->trace, track);
}

/* Sort order: threads, rows of GPU contexts, cores. */
static int track_rank(const struct td_track *track)
{
    return td_track_is_core(track) ? 2 : track->kind == TD_TRACK_GPU;
}

static int compare_tracks(const void *a, const void *b, void *self)
{
    const struct td_dict *dict = self;
    uint32_t m = *(const uint32_t *)a, n = *(const uint32_t *)b;
    const struct td_track *s = td_dict_get_track(dict, m), *t = td_dict_get_track(dict, n);
    if (track_rank(s) != track_rank(t))
        return track_rank(s) < track_rank(t) ? -1 : 1;
    if (td_track_is_core(s)) {
        uint64_t p = (uint64_t)s->chip << 40 | (uint64_t)s->y << 24 | (uint64_t)s->x << 8 | s->core;
        uint64_t q = (uint64_t)t->chip << 40 | (uint64_t)t->y << 24 | (uint64_t)t->x << 8 | t->core;
        if (p != q)
            return p < q ? -1 : 1;
    } else if (s->context != t->context) {
        return s->context < t->context ? -1 : 1;
    } else if (s->group_hint != t->group_hint) {
        return s->group_hint < t->group_hint ? -1 : 1;
    }
    return m < n ? -1 : m > n;
}

static int order_tracks(struct layout_builder *b)
{
    uint32_t tracks = td_dict_track_count(b->dict);
    b->order = malloc(((size_t)tracks + 1) * sizeof *b->order);
    if (!b->order)
        return TD_E_NOMEM;
    for (uint32_t t = 0; t < tracks; t++)
        if (track_has_content(b, t))
            b->order[b->order_count++] = t;
    qsort_r(b->order, b->order_count, sizeof *b->order, compare_tracks, (void *)b->dict);
    return 0;
}

static void label_track(const struct layout_builder *b, struct td_node *node)
{
    const struct td_track *track = td_dict_get_track(b->dict, node->number);
    const char *name = td_dict_text(b->dict, track->name);
    char place[64];
    int n = snprintf(place, sizeof place, TD_TRACK_NAME_FORMAT, track->chip, track->x, track->y, "");
    if (td_track_is_core(track) && !strncmp(name, place, (size_t)n))
        name += n;
    if (*name)
        copy_label(node->label, sizeof node->label, name);
    else if (td_track_is_core(track))
        snprintf(node->label, sizeof node->label, "core %u", track->core);
    else if (track->kind == TD_TRACK_GPU && !track->thread)
        snprintf(node->label, sizeof node->label, "queue");
    else if (track->kind == TD_TRACK_GPU)
        snprintf(node->label, sizeof node->label, "row %" PRIu64, track->thread);
    else
        snprintf(node->label, sizeof node->label, "thread %" PRIu64, track->thread);
    if (track->unsynced)
        snprintf(node->detail, sizeof node->detail, "clock not synchronised");
}

/* Plots of a core are named "WHAT (TRACK)"; TRACK is the track's name or its short form "chip/x,y/CORE". */
static const char *plot_place(const char *name, size_t *bytes)
{
    size_t n = strlen(name);
    const char *open = n && name[n - 1] == ')' ? strrchr(name, '(') : NULL;
    if (!open || open < name + 2 || open[-1] != ' ')
        return NULL;
    *bytes = n - 2 - (size_t)(open - name);
    return open + 1;
}

static bool is_name_of_track(const struct layout_builder *b, uint32_t track, const char *place, size_t bytes)
{
    const struct td_track *t = td_dict_get_track(b->dict, track);
    const char *name = td_dict_text(b->dict, t->name);
    if (strlen(name) == bytes && !strncmp(name, place, bytes))
        return true;
    const char *core = strrchr(name, ' ');
    char brief[128];
    int n = snprintf(brief, sizeof brief, "%u/%u,%u/%s", t->chip, t->x, t->y, core ? core + 1 : name);
    return (size_t)n == bytes && !strncmp(brief, place, bytes);
}

static int find_plot_owners(struct layout_builder *b)
{
    uint32_t plots = td_dict_plot_count(b->dict);
    b->plot_owner = malloc(((size_t)plots + 1) * sizeof *b->plot_owner);
    if (!b->plot_owner)
        return TD_E_NOMEM;
    for (uint32_t p = 0; p < plots; p++) {
        size_t bytes;
        const char *place = plot_place(td_dict_text(b->dict, td_dict_get_plot(b->dict, p)->name), &bytes);
        b->plot_owner[p] = NO_TRACK;
        for (uint32_t i = 0; place && i < b->order_count; i++) {
            uint32_t t = b->order[i];
            if (td_track_is_core(td_dict_get_track(b->dict, t)) && is_name_of_track(b, t, place, bytes))
                b->plot_owner[p] = t;
        }
    }
    return 0;
}

/* Adds the plots of an owner. Returns their number; -1: out of memory. */
static int add_plots(struct layout_builder *b, uint32_t owner, int level, int parent)
{
    int added = 0;
    for (uint32_t p = 0; p < td_dict_plot_count(b->dict); p++) {
        if (b->plot_owner[p] != owner || !td_trace_plot_points(b->trace, p))
            continue;
        struct td_node *node = add_node(b, TD_NODE_PLOT, level, parent, p);
        if (!node)
            return TD_E_NOMEM;
        const char *name = td_dict_text(b->dict, td_dict_get_plot(b->dict, p)->name);
        size_t bytes;
        const char *place = owner == NO_TRACK ? NULL : plot_place(name, &bytes);
        node->is_device = owner != NO_TRACK;
        copy_label(node->label, sizeof node->label, name);
        if (place && (size_t)(place - 2 - name) < sizeof node->label)
            node->label[place - 2 - name] = 0;
        added++;
    }
    return added;
}

static int add_track(struct layout_builder *b, uint32_t track, int level, int parent)
{
    struct td_node *node = add_node(b, TD_NODE_TRACK, level, parent, track);
    if (!node)
        return TD_E_NOMEM;
    node->rows = td_trace_rows(b->trace, track);
    node->has_messages = td_messages_count(b->messages, b->trace, track) > 0;
    node->tracks = node->rows > 0;
    node->is_device = td_track_is_core(td_dict_get_track(b->dict, track));
    label_track(b, node);
    return add_plots(b, track, level, parent) < 0 ? TD_E_NOMEM : 0;
}

static int add_group(struct layout_builder *b, int level, int parent, bool is_device)
{
    struct td_node *node = add_node(b, TD_NODE_GROUP, level, parent, 0);
    if (!node)
        return TD_E_NOMEM;
    node->is_device = is_device;
    return b->layout->count - 1;
}

/* Ends a group; it contains the nodes that were added since. */
static struct td_node *end_group(struct layout_builder *b, int group)
{
    struct td_node *node = &b->layout->nodes[group];
    node->end = b->layout->count;
    for (int i = group + 1; i < node->end; i++)
        if (b->layout->nodes[i].kind == TD_NODE_TRACK)
            node->tracks += b->layout->nodes[i].tracks;
    return node;
}

static int add_frames(struct layout_builder *b)
{
    uint32_t sets = td_dict_frame_set_count(b->dict);
    for (uint32_t s = 0; s < sets; s++) {
        /* The base set always has two frames that end when the program is ready; they are not shown. */
        size_t frames = td_trace_frames(b->trace, s);
        if (frames == 0 || (s == 0 && frames <= 2))
            continue;
        struct td_node *node = add_node(b, TD_NODE_FRAMES, 0, -1, s);
        if (!node)
            return TD_E_NOMEM;
        int continuous;
        const char *name = td_dict_text(b->dict, td_dict_get_frame_set(b->dict, s, &continuous));
        copy_label(node->label, sizeof node->label, *name ? name : "Frames");
        snprintf(node->detail, sizeof node->detail, "%zu", frames);
    }
    return 0;
}

/* Adds a group for each GPU context; its rows are tracks `first` to `end` - 1 of the order. */
static int add_contexts(struct layout_builder *b, uint32_t first, uint32_t end)
{
    const struct td_series *contexts = td_trace_table(b->trace, TD_TABLE_GPU_CONTEXT);
    while (first < end) {
        uint32_t context = td_dict_get_track(b->dict, b->order[first])->context, rows = 0;
        const char *name = "";
        int group = add_group(b, 0, -1, false);
        if (group < 0)
            return TD_E_NOMEM;
        for (; first < end && td_dict_get_track(b->dict, b->order[first])->context == context;
             first++, rows++)
            if (add_track(b, b->order[first], 1, group) < 0)
                return TD_E_NOMEM;
        struct td_node *node = end_group(b, group);
        if (context && context <= td_series_count(contexts))
            name = td_dict_text(b->dict, (uint32_t)td_series_get(contexts, context - 1, TD_GPU_CONTEXT_NAME));
        if (*name)
            copy_label(node->label, sizeof node->label, name);
        else
            snprintf(node->label, sizeof node->label, "GPU context %" PRIu32, context ? context - 1 : 0);
        snprintf(node->detail, sizeof node->detail, "GPU, %u row%s", rows, rows == 1 ? "" : "s");
    }
    return 0;
}

static int add_host(struct layout_builder *b, uint32_t threads)
{
    if (threads) {
        int group = add_group(b, 0, -1, false);
        if (group < 0)
            return TD_E_NOMEM;
        for (uint32_t i = 0; i < threads; i++)
            if (add_track(b, b->order[i], 1, group) < 0)
                return TD_E_NOMEM;
        struct td_node *node = end_group(b, group);
        snprintf(node->label, sizeof node->label, "Host");
        snprintf(node->detail, sizeof node->detail, "%u thread%s", threads, threads == 1 ? "" : "s");
    }
    bool any = false;
    for (uint32_t p = 0; p < td_dict_plot_count(b->dict) && !any; p++)
        any = b->plot_owner[p] == NO_TRACK && td_trace_plot_points(b->trace, p) > 0;
    if (!any)
        return 0;
    int group = add_group(b, 0, -1, false);
    int plots = group < 0 ? -1 : add_plots(b, NO_TRACK, 1, group);
    if (plots < 0)
        return TD_E_NOMEM;
    struct td_node *node = end_group(b, group);
    snprintf(node->label, sizeof node->label, "Plots");
    snprintf(node->detail, sizeof node->detail, "%d", plots);
    return 0;
}

/* Locks that were used, in a group that is closed at first. */
static int add_locks(struct layout_builder *b)
{
    const struct td_series *locks = td_trace_table(b->trace, TD_TABLE_LOCK);
    int group = -1, used = 0;
    for (uint64_t l = 0; l < td_series_count(locks); l++) {
        if (!td_series_count(td_trace_list(b->trace, TD_TABLE_LOCK_EVENT, l)))
            continue;
        if (group < 0 && (group = add_group(b, 0, -1, false)) < 0)
            return TD_E_NOMEM;
        struct td_node *node = add_node(b, TD_NODE_LOCK, 1, group, (uint32_t)l);
        if (!node)
            return TD_E_NOMEM;
        const char *name = td_dict_text(b->dict, (uint32_t)td_series_get(locks, l, TD_LOCK_NAME));
        uint32_t place = (uint32_t)td_series_get(locks, l, TD_LOCK_SRCLOC);
        copy_label(node->label, sizeof node->label, *name ? name : td_dict_zone_name(b->dict, place));
        used++;
    }
    if (group >= 0) {
        struct td_node *node = end_group(b, group);
        node->collapsed = true;
        snprintf(node->label, sizeof node->label, "Locks");
        snprintf(node->detail, sizeof node->detail, "%d", used);
    }
    return 0;
}

static void label_group(struct td_layout *layout, int group, const char *what, int inner,
                        const char *inner_what)
{
    if (group < 0)
        return;
    snprintf(layout->nodes[group].label, sizeof layout->nodes[group].label, "%s", what);
    snprintf(layout->nodes[group].detail, sizeof layout->nodes[group].detail, "%d %s%s", inner, inner_what,
             inner == 1 ? "" : "s");
}

/* Cores are sorted by chip and tile: a group ends where the next begins. */
static int add_device(struct layout_builder *b, uint32_t first)
{
    int chip = -1, tile = -1, tiles = 0, cores = 0;
    const struct td_track *last = NULL;
    char chip_name[32] = "", tile_name[32] = "";
    for (uint32_t i = first; i <= b->order_count; i++) {
        const struct td_track *t = i < b->order_count ? td_dict_get_track(b->dict, b->order[i]) : NULL;
        bool new_chip = !t || !last || t->chip != last->chip;
        if (tile >= 0 && (new_chip || t->x != last->x || t->y != last->y)) {
            end_group(b, tile);
            label_group(b->layout, tile, tile_name, cores, "core");
            tile = -1;
        }
        if (chip >= 0 && new_chip) {
            end_group(b, chip);
            label_group(b->layout, chip, chip_name, tiles, "tile");
            chip = -1;
        }
        if (!t)
            break;
        if (chip < 0) {
            tiles = 0;
            snprintf(chip_name, sizeof chip_name, "Chip %u", t->chip);
            if ((chip = add_group(b, 0, -1, true)) < 0)
                return TD_E_NOMEM;
        }
        if (tile < 0) {
            cores = 0;
            tiles++;
            snprintf(tile_name, sizeof tile_name, "Tile %u,%u", t->x, t->y);
            if ((tile = add_group(b, 1, chip, true)) < 0)
                return TD_E_NOMEM;
        }
        cores++;
        if (add_track(b, b->order[i], 2, tile) < 0)
            return TD_E_NOMEM;
        last = t;
    }
    return 0;
}

int td_layout_build(struct td_layout *layout, const struct td_trace *trace,
                    const struct td_messages *messages, struct td_err *err)
{
    *layout = (struct td_layout){0};
    struct layout_builder b = {
        .trace = trace, .messages = messages, .dict = td_trace_dict(trace), .layout = layout};
    int rc = order_tracks(&b) < 0 || find_plot_owners(&b) < 0 || add_frames(&b) < 0 ? -1 : 0;
    uint32_t threads = 0, cores = 0;
    for (uint32_t i = 0; rc == 0 && i < b.order_count; i++) {
        int of = track_rank(td_dict_get_track(b.dict, b.order[i]));
        threads += of == 0;
        cores += of < 2;
    }
    if (rc == 0)
        rc = add_host(&b, threads);
    if (rc == 0)
        rc = add_locks(&b);
    if (rc == 0)
        rc = add_contexts(&b, threads, cores);
    if (rc == 0)
        rc = add_device(&b, cores);
    if (rc == 0 && !(layout->shown = malloc(((size_t)layout->count + 1) * sizeof *layout->shown)))
        rc = -1;
    free(b.order);
    free(b.plot_owner);
    if (rc < 0) {
        td_layout_free(layout);
        return td_fail_no_memory(err, "while arranging the tracks");
    }
    return 0;
}

void td_layout_free(struct td_layout *layout)
{
    free(layout->nodes);
    free(layout->shown);
    *layout = (struct td_layout){0};
}

struct td_metrics td_metrics_for(float scale)
{
    struct td_metrics m = {.row = 19,
                           .group = 24,
                           .density = 26,
                           .messages = 15,
                           .plot = 46,
                           .frames = 22,
                           .lock = 22,
                           .pad = 4};
    float *all[] = {&m.row, &m.group, &m.density, &m.messages, &m.plot, &m.frames, &m.lock, &m.pad};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] = (float)(int)(*all[i] * scale + .5f);
    return m;
}

static float node_height(const struct td_node *node, const struct td_metrics *m)
{
    switch (node->kind) {
    case TD_NODE_GROUP:
        return node->collapsed ? m->density : m->group;
    case TD_NODE_PLOT:
        return m->plot;
    case TD_NODE_FRAMES:
        return m->frames;
    case TD_NODE_LOCK:
        return m->lock;
    case TD_NODE_TRACK:
        break;
    }
    if (node->collapsed)
        return m->density;
    float height = (node->has_messages ? m->messages : 0) + (float)node->rows * m->row;
    return (height > m->row ? height : m->row) + 2 * m->pad;
}

void td_layout_place(struct td_layout *layout, const struct td_metrics *metrics)
{
    float y = 0;
    int hidden_until = 0;
    layout->shown_count = 0;
    for (int i = 0; i < layout->count; i++) {
        struct td_node *node = &layout->nodes[i];
        node->y = y;
        node->height = i < hidden_until ? 0 : node_height(node, metrics);
        if (i < hidden_until)
            continue;
        layout->shown[layout->shown_count++] = i;
        y += node->height;
        if (node->kind == TD_NODE_GROUP && node->collapsed)
            hidden_until = node->end;
    }
    layout->height = y;
}

void td_layout_collapse(struct td_layout *layout, bool collapsed)
{
    bool device = false;
    for (int i = 0; i < layout->count; i++)
        device |= layout->nodes[i].is_device;
    for (int i = 0; i < layout->count; i++) {
        struct td_node *node = &layout->nodes[i];
        if (!collapsed)
            node->collapsed = false;
        else if (device)
            node->collapsed |= node->kind == TD_NODE_GROUP && node->is_device && node->level == 1;
        else
            node->collapsed |= node->kind == TD_NODE_TRACK;
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
    for (int i = 0; i < layout->count; i++)
        if (layout->nodes[i].kind == TD_NODE_TRACK && layout->nodes[i].number == track)
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

float td_layout_row_y(const struct td_node *node, const struct td_metrics *metrics, uint32_t row)
{
    return node->y + metrics->pad + (node->has_messages ? metrics->messages : 0) + (float)row * metrics->row;
}
