/* Source text with the samples of each line, and the machine code of the function with those of each instruction. */
#include "host/base/plain_text.h"
#include "host/query/code/symbol_sums.h"
#include "host/trace/tables.h"
#include "host/viewer/panels/source_panel.h"
#include "host/viewer/timeline/limits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOLS_HEIGHT 30
#define BOTH_WIDTH   700
#define ACTIONS      9

TD_PANEL_STATE(td_source_panel, SOURCE)

/* ---- what is shown ---- */

static void make_data(void *self, struct td_job *job)
{
    struct td_source_panel *s = self;
    td_source_data_make(&s->made, &s->request, job);
}

static void show_line(struct td_source_panel *s, uint32_t line)
{
    s->lines.selected = (int)line;
    s->lines.show = line > 0;
}

static void show_insn(struct td_source_panel *s, uint64_t address)
{
    const size_t at = address ? td_code_find(&s->shown.code, address) : SIZE_MAX;
    if (at == SIZE_MAX)
        return;
    s->insns.selected = (int)at + 1;
    s->insns.show = true;
}

/* Selects the place that was asked for. Of a function that is opened, the settings say which: its entry, where it has
 * most samples, or that only if it is inlined, and so has no entry. */
static void show_place(const struct td_view *view, struct td_source_panel *s)
{
    enum { SMART, ENTRY };
    const struct td_source_data *d = &s->shown;
    const struct td_source_place *p = &s->place;
    const int choice = td_view_choice(view, TD_CHOICE_OPENS);
    const bool opens = p->symbol && p->symbol == p->address && p->symbol == d->place.symbol && !p->zone,
               hot = opens && choice != ENTRY && (choice != SMART || d->code.address != p->symbol);
    show_line(s, hot && d->hot_line ? d->hot_line : p->line);
    show_insn(s, hot && d->hot_address                 ? d->hot_address
                 : p->zone && p->zone == d->place.zone ? d->place.address
                                                       : p->address);
}

static bool is_nowhere(const struct td_source_place *place)
{
    return !place->file && !place->symbol && !place->address;
}

static void update(struct td_view *view, struct td_source_panel *s)
{
    bool fresh;
    const struct td_source_place *p = &s->place;
    uint64_t key = td_mix64(td_sampled_key(view) ^ td_mix64(view->model.source_paths.turn + 7) ^
                            td_mix64(p->file) ^ td_mix64(p->symbol + 1) * 3);
    key = td_mix64(key + (p->symbol ? 0 : p->address) + td_mix64(p->zone + 1) + (uint64_t)s->att * 2 +
                   s->whole_file);
    for (const char *c = s->processor; *c; c++)
        key = td_mix64(key + (uint8_t)*c);
    const enum td_job_state state = td_job_want(&s->job, key, &fresh);
    if (fresh) {
        TD_JOB_TAKE(&s->shown, &s->made, td_source_data_free);
        td_source_unpick(s);
        s->any = true;
        show_place(view, s);
    }
    if (state != TD_JOB_WANTED || is_nowhere(p))
        return;
    td_sampled_free(&s->request.sampled);
    td_source_data_free(&s->made);
    s->request.place = *p;
    s->request.paths = &view->model.source_paths.all;
    s->request.att = s->att;
    s->request.whole_file = s->whole_file;
    memcpy(s->request.processor, s->processor, sizeof s->processor);
    if (td_sampled_choose(&s->request.sampled, view))
        td_job_start(&s->job, key, make_data, s);
}

void td_view_show_source(struct td_view *view, struct td_source_place place)
{
    struct td_source_panel *s = state_of(view);
    s->place = place;
    show_place(view, s);
    td_panel_set_open(view, TD_PANEL_SOURCE, true);
}

/* Of the selected zone; nowhere: no zone is selected, or its place is not known. */
static struct td_source_place place_of_selected(const struct td_view *view)
{
    if (!td_ref_valid(view->selection.zone))
        return (struct td_source_place){0};
    const uint32_t zone = td_view_zone(view, view->selection.zone).srcloc;
    const struct td_srcloc *l = td_dict_get_srcloc(view->model.dict, zone);
    return l->file ? (struct td_source_place){.file = l->file, .line = l->line, .zone = zone}
                   : (struct td_source_place){0};
}

/* On its key: the source and the code of the selected zone, if there is one. */
static void open_source(struct td_view *view)
{
    const bool open = td_panel_is_open(view, TD_PANEL_SOURCE);
    const struct td_source_place place = place_of_selected(view);
    if (!open && !is_nowhere(&place))
        td_view_show_source(view, place);
    else
        td_panel_set_open(view, TD_PANEL_SOURCE, !open);
}

int td_view_show_symbol(struct td_view *view, const char *name, struct td_err *err)
{
    const struct td_samples_choice choice = {0};
    struct td_stack_counts counts = {0};
    struct td_symbol_sums sums = {0};
    int rc = td_stack_counts_make(view->model.trace, &choice, NULL, &counts, err);
    if (rc == 0)
        rc = td_symbol_sums_make(view->model.trace, &choice, &counts, true, NULL, &sums, err);
    const struct td_symbol_sum *sum =
        rc == 0 ? td_symbol_sums_find(&sums, view->model.trace, name, NULL) : NULL;
    struct td_source_place place = {0};
    if (sum)
        place = (struct td_source_place){sum->file, sum->line, sum->address, sum->address, 0};
    const struct td_series *symbols = td_trace_table(view->model.trace, TD_TABLE_SYMBOL);
    /* Functions without samples. */
    for (uint64_t i = 0; rc == 0 && !sum && !place.symbol && i < td_series_count(symbols); i++)
        if (!strcmp(td_dict_text(view->model.dict, (uint32_t)td_series_get(symbols, i, TD_SYMBOL_NAME)),
                    name)) {
            place.file = (uint32_t)td_series_get(symbols, i, TD_SYMBOL_FILE);
            place.line = (uint32_t)td_series_get(symbols, i, TD_SYMBOL_LINE);
            place.symbol = place.address = (uint64_t)td_series_get(symbols, i, TD_SYMBOL_ADDRESS);
        }
    td_stack_counts_free(&counts);
    td_symbol_sums_free(&sums);
    if (rc < 0)
        return rc;
    if (!place.symbol && !place.file)
        return td_fail(err, TD_E_NOTFOUND, "the trace has no function '%.200s'", name);
    td_view_show_source(view, place);
    return 0;
}

int td_view_show_file(struct td_view *view, const char *text, struct td_err *err)
{
    char name[1000];
    unsigned line = 0;
    snprintf(name, sizeof name, "%s", text);
    char *colon = strrchr(name, ':');
    if (colon && sscanf(colon, ":%u", &line) == 1)
        *colon = 0;
    const size_t n = strlen(name);
    for (uint32_t i = 1; n && i < td_dict_string_count(view->model.dict); i++) {
        const char *file = td_dict_text(view->model.dict, i);
        const size_t length = strlen(file);
        if (length >= n && !strcmp(file + length - n, name) && (length == n || file[length - n - 1] == '/')) {
            td_view_show_source(view, (struct td_source_place){.file = i, .line = line});
            return 0;
        }
    }
    return td_fail(err, TD_E_NOTFOUND, "the trace names no file '%.200s'", name);
}

int td_view_set_processor(struct td_view *view, const char *name, struct td_err *err)
{
    struct td_source_panel *s = state_of(view);
    if (strlen(name) >= sizeof s->processor)
        return td_fail(err, TD_E_USAGE, "'%.60s' is no name of a processor", name);
    snprintf(s->processor, sizeof s->processor, "%s", name);
    return 0;
}

/* ---- drawing ---- */

static void describe(const struct td_view *view, const struct td_source_panel *s, char *text, size_t bytes)
{
    const struct td_source_data *d = &s->shown;
    const char *file = td_dict_text(view->model.dict, d->place.file),
               *name = td_dict_text(view->model.dict, d->code.name),
               *missing = d->codeless ? d->codeless : d->code.missing;
    char number[TD_FORMAT_BYTES];
    if (is_nowhere(&s->place))
        snprintf(text, bytes, "Choose a function, a line of a call stack, or select a zone.");
    else if (!s->any)
        snprintf(text, bytes, "counting, %.0f %%", (double)td_job_progress(&s->job) * 100);
    else
        snprintf(text, bytes, "%.80s%s%.160s%s%s, %s samples%s%.100s%s%.120s", name, *name ? ", " : "",
                 TD_PLAIN(file), *file ? ", text: " : "", *file ? td_source_origin_name(d->text.origin) : "",
                 td_format_count(number, d->lines.samples ? d->lines.samples : d->samples),
                 missing ? "; " : "", missing ? missing : "", d->costless[0] ? "; " : "", d->costless);
}

static void act(struct td_view *view, struct td_source_panel *s, int action)
{
    struct td_err err = {0};
    char path[300];
    if (action == 0) {
        const char *name = td_dict_text(view->model.dict, s->shown.code.name);
        snprintf(path, sizeof path, "%.200s.txt", *name && !strchr(name, '/') ? name : "listing");
        if (td_view_save_listing(view, path, &err) < 0)
            snprintf(view->panels.notice, sizeof view->panels.notice, "%.380s", err.text);
        else
            snprintf(view->panels.notice, sizeof view->panels.notice, "saved as %.300s", path);
    }
    s->att ^= action == 1;
    s->called ^= action == 2;
    s->inlined ^= action == 3;
    s->whole_file ^= action == 4;
    if (action == 5)
        s->form = (enum td_source_form)((s->form + 1) % TD_FORM_COUNT);
    s->bytes ^= action == 6;
    s->registers ^= action == 7;
    if (action == 8)
        td_source_show_callers(view, s);
}

static void draw_tools(struct td_view *view, struct td_source_panel *s, const struct td_rect *place)
{
    static const char *const forms[] = {"Text and code", "Text", "Code"};
    const char *const labels[ACTIONS] = {td_source_picked(s) ? "Save range" : "Save",
                                         "AT&T",
                                         "Calls",
                                         "Inlined",
                                         "Whole file",
                                         forms[s->form],
                                         "Bytes",
                                         "Registers",
                                         "Callers"};
    char text[500];
    const float pad = TD_U(view, 8), high = TD_U(view, 23), y = place->top + TD_U(view, 3);
    float right = td_draw_limits(view, place->right - pad, y, high) - pad;
    const unsigned on = (unsigned)s->att << 1 | (unsigned)s->called << 2 | (unsigned)s->inlined << 3 |
                        (unsigned)s->whole_file << 4 | (unsigned)s->bytes << 6 | (unsigned)s->registers << 7;
    for (int i = 0; i < ACTIONS; i++)
        if (td_tool_button(view, place->left + pad, &right, y, labels[i], on >> i & 1))
            act(view, s, i);
    describe(view, s, text, sizeof text);
    td_ui_text_fit(view->ui, TD_FONT_SMALL, place->left + pad,
                   y + (high - td_ui_text_height(view->ui, TD_FONT_SMALL)) / 2, right - place->left - pad,
                   TD_C(TEXT_FAINT), text);
}

static void draw_source(struct td_view *view, const struct td_rect *place)
{
    struct td_source_panel *s = state_of(view);
    struct td_rect left = *place, right;
    if (!s->started) {
        s->inlined = s->started = true;
    }
    if (is_nowhere(&s->place)) /* until something is asked for */
        s->place = place_of_selected(view);
    update(view, s);
    draw_tools(view, s, place);
    left.top += TD_U(view, TOOLS_HEIGHT);
    right = left;
    const bool has_code = s->shown.code.count > 0, has_text = s->shown.text.line_count > 0;
    bool text = s->form != TD_FORM_CODE && (has_text || !has_code),
         code = s->form != TD_FORM_TEXT && has_code;
    if (text && code && place->right - place->left < TD_U(view, BOTH_WIDTH))
        code = false;
    if (text && code)
        right.left = left.right =
            roundf(place->left + (place->right - place->left) * (s->bytes || s->registers ? .4f : .5f));
    if (text)
        td_source_draw_lines(view, s, &left);
    if (code)
        td_source_draw_insns(view, s, &right);
}

static bool take_source_key(struct td_view *view, const struct td_key_press *press)
{
    static const char actions[ACTIONS] = {'\0', 'y', 'k', 'v', 'q', 'j', 'x', 'w', '.'};
    struct td_source_panel *s = state_of(view);
    if (!td_panel_has_keys(view, TD_PANEL_SOURCE) || press->alt || press->ctrl)
        return false;
    for (int i = 1; i < ACTIONS && !press->shift; i++)
        if (press->key == actions[i]) {
            act(view, s, i);
            return true;
        }
    return td_source_step(s, press);
}

static bool source_is_busy(const struct td_view *view)
{
    return state_of(view)->job.running;
}

static void free_source(struct td_view *view)
{
    struct td_source_panel *s = state_of(view);
    td_job_stop(&s->job);
    td_sampled_free(&s->request.sampled);
    td_source_data_free(&s->made);
    td_source_data_free(&s->shown);
    td_source_unpick(s);
}

static char *copy_listing(struct td_view *view, enum td_copy_form form)
{
    return form == TD_COPY_LINES || form == TD_COPY_TEXT ? td_source_listing(view, state_of(view)) : NULL;
}

static const struct td_help_line source_help[] = {
    {"Shift+S", "source of the selected zone, or what was shown last"},
    {"J", "text and code, text, code"},
    {"V, K", "count inlined functions, called functions"},
    {"Q, Y", "samples of all functions in the file; AT&T's notation"},
    {"X, W", "bytes of instructions; registers that they depend on"},
    {".", "callers of the function, or of the selected instruction's samples"},
    {"Shift+click, Ctrl+click", "sum several lines; Save and Ctrl+C take them"},
    {0},
};

const struct td_panel td_panel_source = {
    .name = "source",
    .dock = TD_DOCK_BOTTOM,
    .title = "Source",
    .group = TD_GROUP_SOURCE,
    .page = "Which functions take the processor, and where do threads wait?",
    .keys = {{.key = 's', .shift = true}},
    .open = open_source,
    .help = source_help,
    .state_bytes = sizeof(struct td_source_panel),
    .draw = draw_source,
    .free_state = free_source,
    .is_busy = source_is_busy,
    .copy = copy_listing,
    .take_key = take_source_key,
};
