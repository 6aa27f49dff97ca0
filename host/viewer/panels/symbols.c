/* Functions by their samples: in themselves, and with what they call. */
#include "host/base/hash.h"
#include "host/query/code/code_origin.h"
#include "host/viewer/panels/entries.h"
#include "host/viewer/panels/lacks.h"
#include "host/viewer/panels/source.h"
#include "host/viewer/panels/symbols.h"

#include <stdio.h>
#include <string.h>

struct symbols {
    struct td_table_list table;
    int joined;       /* inlined functions count as those that they are inlined into */
    int no_kernel;    /* functions of the kernel are left out */
    int by;           /* enum td_symbols_by */
    char within[200]; /* the name of the zones in which samples count; "": all samples do */
};

TD_PANEL_STATE(symbols, SYMBOLS)

static uint64_t symbols_key(const struct td_view *view)
{
    const struct symbols *s = state_of(view);
    return td_sampled_key(view) + (uint64_t)(s->joined + s->no_kernel * 2 + s->by * 4) +
           td_hash(s->within, strlen(s->within)) * 16;
}

static bool ask_for_symbols(struct td_view *view, struct td_query_request *of)
{
    const struct symbols *s = state_of(view);
    if (!td_sampled_ask(view, of))
        return false;
    struct td_samples_wanted *wanted = of->with;
    wanted->joined = s->joined;
    wanted->no_kernel = s->no_kernel;
    wanted->by = (enum td_symbols_by)s->by;
    snprintf(wanted->within, sizeof wanted->within, "%s", s->within);
    return true;
}

static void look_of_symbol(const struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                           struct td_row_look *look)
{
    const struct td_symbol_sum *sum = &td_symbols_of(rows)->at[row];
    look->box = td_color_of_name(td_symbol_sum_name(view->model.trace, sum));
    const char *file = td_dict_text(view->model.dict, sum->file),
               *image = td_dict_text(view->model.dict, sum->image);
    look->name = sum->is_kernel                                                ? TD_C(KERNEL)
                 : td_code_origin_of(file, image, sum->address) != TD_CODE_OWN ? TD_C(LIBRARY)
                 : sum->is_inlined                                             ? TD_C(TEXT_DIM)
                                                                               : TD_C(TEXT);
    if (td_sampled_dims(view, sum->file, sum->image, sum->address)) {
        look->name = sum->is_kernel ? look->name : TD_C(TEXT_FAINT);
        look->number = look->text = TD_C(TEXT_FAINT);
    }
}

static void describe_symbols(const struct td_view *view, const struct td_query_rows *rows, uint64_t listed,
                             char *text, size_t bytes)
{
    char number[2][TD_FORMAT_BYTES], lanes[60];
    const char *within = state_of(view)->within;
    snprintf(text, bytes, "%s rows, %s samples%s%.80s%s", td_format_count(number[0], listed),
             td_format_count(number[1], td_symbols_of(rows)->samples), *within ? " in zones " : "", within,
             td_lanes_note(view, lanes, sizeof lanes));
}

static void show_source(struct td_view *view, const struct td_query_rows *rows, uint64_t row,
                        enum td_row_choice how)
{
    const struct td_symbol_sum *sum = &td_symbols_of(rows)->at[row];
    if (how != TD_ROW_BY_ARROW && state_of(view)->by == TD_BY_FUNCTION)
        td_view_show_source(view,
                            (struct td_source_place){sum->file, sum->line, sum->address, sum->address, 0});
}

int td_symbols_of_zones(struct td_view *view, const char *name, struct td_err *err)
{
    struct symbols *s = state_of(view);
    const uint32_t places = td_dict_srcloc_count(view->model.dict);
    bool known = !name;
    for (uint32_t i = 0; i < places && !known; i++)
        known = !strcmp(td_dict_zone_name(view->model.dict, i), name);
    if (!known)
        return td_fail(err, TD_E_NOTFOUND, "there is no zone '%.80s'", name);
    snprintf(s->within, sizeof s->within, "%s", name ? name : "");
    td_panel_set_open(view, TD_PANEL_SYMBOLS, true);
    return 0;
}

/* The samples in zones of the selected one's name, or all. */
static const char *label_of_zones(const struct td_view *view, bool *on)
{
    const struct symbols *s = state_of(view);
    *on = *s->within != 0;
    return *s->within || td_ref_valid(view->selection.zone) ? "In zones" : NULL;
}

static void toggle_zones(struct td_view *view)
{
    const struct td_zone_ref ref = view->selection.zone;
    const char *name = NULL;
    if (!*state_of(view)->within && td_ref_valid(ref))
        name = td_dict_zone_name(view->model.dict, td_view_zone(view, ref).srcloc);
    td_symbols_of_zones(view, name, NULL);
}

static const char *const by_names[] = {"By function", "By file", "By image"};
static const struct td_table_button buttons[] = {
    TD_SWITCH_BUTTON('q', struct symbols, no_kernel, 0, "Kernel"),
    TD_SWITCH_BUTTON('v', struct symbols, joined, 0, "Inlined"),
    TD_STEP_BUTTON('y', struct symbols, by, by_names),
    TD_BUTTON('j', label_of_zones, toggle_zones),
    {0}};

static const struct td_table_panel symbols = {
    .table = &td_table_symbols,
    .id = TD_PANEL_SYMBOLS,
    .columns = "function self share total total_share time_ns bytes source image",
    .sort = "self",
    .filter = "name file image",
    .hint = "Filter: name, file or image, -not",
    .row = "row",
    .empty = "There are no samples of running threads in this range.",
    .bar = "share",
    .buttons = buttons,
    .key = symbols_key,
    .ask = ask_for_symbols,
    .look = look_of_symbol,
    .choose = show_source,
    .describe = describe_symbols,
};
TD_TABLE_PANEL(symbols)

static void show_callers(struct td_view *view, const struct td_query_rows *rows, uint64_t row)
{
    const struct td_symbol_sum *sum = &td_symbols_of(rows)->at[row];
    td_view_show_entries(view,
                         sum->address ? sum->address
                         : sum->name  ? UINT64_C(1) << 63 | sum->name
                                      : 0,
                         td_symbol_sum_name(view->model.trace, sum));
}

static bool take_symbols_key(struct td_view *view, const struct td_key_press *press)
{
    const struct symbols *s = state_of(view);
    const uint64_t row = td_table_selected(&s->table);
    if (!td_panel_has_keys(view, TD_PANEL_SYMBOLS) || press->key != '.' || row == TD_NO_ROW)
        return take_table_key(view, press);
    if (s->by == TD_BY_FUNCTION)
        show_callers(view, s->table.shown, row);
    return true;
}

static const struct td_help_line symbols_help[] = {
    {"Shift+T", "functions by their samples"},
    {"V, Q, Y", "inlined functions, the kernel, by function, file or image"},
    {"J", "only samples in zones of the selected one's name"},
    {"Enter, .", "the source of the function, its callers"},
    {0},
};

const struct td_panel td_panel_symbols = {
    .name = "symbols",
    .dock = TD_DOCK_BOTTOM,
    .title = "Symbols",
    .group = TD_GROUP_SAMPLES,
    .page = "Which functions take the processor, and where do threads wait?",
    .lacks = td_lacks_samples,
    .keys = {{.key = 't', .shift = true}},
    .help = symbols_help,
    .state_bytes = sizeof(struct symbols),
    .draw = draw_table,
    .free_state = free_table,
    .is_busy = table_is_busy,
    .copy = copy_table,
    .toggle_column = toggle_table_column,
    .take_key = take_symbols_key,
};
