/* Rows that belong to no one track: frames, sections, processors and plots; and the plots of a track. */
#include "host/base/grow.h"
#include "host/trace/tables.h"
#include "host/query/rows/memory_pool.h"
#include "host/viewer/timeline/layout_internal.h"

#include <inttypes.h>
#include <stdio.h>

struct td_node *td_layout_add_node(struct layout_builder *b, enum td_node_kind kind, int level, int parent,
                                   uint32_t number)
{
    struct td_layout *layout = b->layout;
    const struct td_node node = {
        .kind = kind, .level = level, .parent = parent, .number = number, .end = layout->count + 1};
    b->no_memory |= TD_APPEND(layout->nodes, layout->count, b->capacity, node) < 0;
    return b->no_memory ? &b->none : &layout->nodes[layout->count - 1];
}

void td_layout_copy_label(char *out, size_t bytes, const char *text)
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

int td_layout_add_group(struct layout_builder *b, int level, int parent, bool is_device)
{
    td_layout_add_node(b, TD_NODE_GROUP, level, parent, 0)->is_device = is_device;
    return b->layout->count - 1;
}

struct td_node *td_layout_end_group(struct layout_builder *b, int group)
{
    if (b->no_memory)
        return &b->none;
    struct td_node *node = &b->layout->nodes[group];
    node->end = b->layout->count;
    for (int i = group + 1; i < node->end; i++)
        if (b->layout->nodes[i].kind == TD_NODE_TRACK)
            node->tracks += b->layout->nodes[i].tracks;
    return node;
}

void td_layout_add_frames(struct layout_builder *b)
{
    uint32_t sets = td_dict_frame_set_count(b->dict);
    for (uint32_t s = 0; s < sets; s++) {
        /* The base set always has two frames that end when the program is ready; they are not shown. */
        size_t frames = td_trace_frames(b->trace, s);
        if (frames == 0 || (s == 0 && frames <= 2))
            continue;
        struct td_node *node = td_layout_add_node(b, TD_NODE_FRAMES, 0, -1, s);
        int continuous;
        const char *name = td_dict_text(b->dict, td_dict_get_frame_set(b->dict, s, &continuous));
        td_layout_copy_label(node->label, sizeof node->label, *name ? name : "Frames");
        snprintf(node->detail, sizeof node->detail, "%zu", frames);
    }
}

void td_layout_add_sections(struct layout_builder *b)
{
    for (uint32_t c = 0; b->as.sections && c < b->as.sections->category_count; c++) {
        const struct td_section_category *category = &b->as.sections->categories[c];
        struct td_node *node = td_layout_add_node(b, TD_NODE_SECTIONS, 0, -1, c);
        node->rows = category->lanes;
        if (*td_dict_text(b->dict, category->text))
            td_layout_copy_label(node->label, sizeof node->label, td_dict_text(b->dict, category->text));
        else if (category->number)
            snprintf(node->label, sizeof node->label, "Sections %" PRIu64, category->number);
        else
            snprintf(node->label, sizeof node->label, "Sections");
        snprintf(node->detail, sizeof node->detail, "%zu", category->count);
    }
}

void td_layout_add_cpus(struct layout_builder *b)
{
    int group = -1, cpus = 0;
    for (uint32_t c = 0; b->as.cpus && b->as.processors && c < b->as.processors->cpu_count; c++) {
        if (!td_switches_cpu(b->as.processors, c))
            continue;
        if (group < 0) {
            group = td_layout_add_group(b, 0, -1, false);
            struct td_node *usage = td_layout_add_node(b, TD_NODE_CPU_USAGE, 1, group, 0);
            snprintf(usage->label, sizeof usage->label, "CPU usage");
        }
        struct td_node *node = td_layout_add_node(b, TD_NODE_CPU, 1, group, c);
        td_switches_cpu_name(b->trace, c, node->label, sizeof node->label);
        cpus++;
    }
    if (group >= 0) {
        struct td_node *node = td_layout_end_group(b, group);
        snprintf(node->label, sizeof node->label, "CPU data");
        node->inner = cpus;
        snprintf(node->detail, sizeof node->detail, "%d", cpus);
    }
}

int td_layout_add_plots(struct layout_builder *b, uint32_t owner, int level, int parent)
{
    const struct td_plot_owner *of;
    const size_t count = b->as.no_plots ? 0 : td_plot_owners_of(&b->plots, owner, &of);
    int added = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t p = of[i].plot;
        if (!td_trace_plot_points(b->trace, p) || td_row_host(b->as.own, p) != p)
            continue;
        struct td_node *node = td_layout_add_node(b, TD_NODE_PLOT, level, parent, p);
        const char *name = td_dict_text(b->dict, td_dict_get_plot(b->dict, p)->name);
        size_t bytes;
        const char *place = owner == TD_NO_OWNER ? NULL : td_plot_owner_name(name, &bytes);
        node->is_device = owner != TD_NO_OWNER;
        for (uint32_t g = 0; b->as.own && g < b->as.own->plots; g++)
            node->rows += g != p && td_row_host(b->as.own, g) == p && node->rows + 1 < TD_ROW_PLOTS;
        td_layout_copy_label(node->label, sizeof node->label, name);
        if (place && (size_t)(place - 2 - name) < sizeof node->label)
            node->label[place - 2 - name] = 0;
        added++;
    }
    return added;
}

static bool has_shared_plots(const struct layout_builder *b)
{
    const struct td_plot_owner *of;
    const size_t count = td_plot_owners_of(&b->plots, TD_NO_OWNER, &of);
    for (size_t i = 0; i < count; i++)
        if (td_trace_plot_points(b->trace, of[i].plot))
            return true;
    return false;
}

/* Adds the use of the memory pools. Returns their number. */
static int add_memory(struct layout_builder *b, int level, int parent)
{
    const uint64_t pools = td_series_count(td_trace_table(b->trace, TD_TABLE_POOL));
    int added = 0;
    for (uint64_t p = 0; p < pools; p++) {
        if (!td_series_count(td_trace_list(b->trace, TD_TABLE_MEMORY, p)))
            continue;
        struct td_node *node = td_layout_add_node(b, TD_NODE_MEMORY, level, parent, (uint32_t)p);
        char label[sizeof node->label];
        snprintf(label, sizeof label, "Memory: %s", td_memory_pool_name(b->trace, p));
        td_layout_copy_label(node->label, sizeof node->label, label);
        added++;
    }
    return added;
}

static bool has_memory(const struct layout_builder *b)
{
    return td_trace_table_rows(b->trace, TD_TABLE_MEMORY) > 0;
}

void td_layout_add_shared_plots(struct layout_builder *b)
{
    if (b->as.no_plots || (!has_shared_plots(b) && !has_memory(b)))
        return;
    const int group = td_layout_add_group(b, 0, -1, false), pools = add_memory(b, 1, group),
              plots = td_layout_add_plots(b, TD_NO_OWNER, 1, group);
    struct td_node *node = td_layout_end_group(b, group);
    snprintf(node->label, sizeof node->label, "Plots");
    snprintf(node->detail, sizeof node->detail, "%d", pools + plots);
}
