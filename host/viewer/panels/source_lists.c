/* Draws the lines of a source file, and the instructions of a function with arrows for its jumps. */
#include "host/viewer/panels/source_panel.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LINE_BYTES 600 /* of a line that are drawn */
#define TAB        8
#define JUMP_LANES 8 /* that have room */
#define LANE_WIDE  6
#define LEAST_TEXT 240 /* of an instruction */

enum line_column { LINE_SHARE, LINE_COUNT, LINE_NUMBER, LINE_TEXT, LINE_COLUMNS };
static const struct td_column line_columns[LINE_COLUMNS] = {
    [LINE_SHARE] = {.title = "Share", .width = 70, .right = true, .fixed = true},
    [LINE_COUNT] = {.title = "Samples", .width = 70, .right = true, .fixed = true},
    [LINE_NUMBER] = {.title = "Line", .width = 52, .right = true, .fixed = true},
    [LINE_TEXT] = {.title = "Source", .fixed = true},
};

enum insn_column {
    INSN_SHARE,
    INSN_COUNT,
    ADDRESS,
    JUMPS,
    BYTES,
    INSN_TEXT,
    REGISTERS,
    PLACE,
    LATENCY,
    EVERY,
    UOPS,
    IPC,
    CACHE,
    BRANCH,
    INSN_COLUMNS
};
static const struct td_column insn_columns[INSN_COLUMNS] = {
    [INSN_SHARE] = {.title = "Cost", .width = 70, .right = true, .fixed = true},
    [INSN_COUNT] = {.title = "Samples", .width = 70, .right = true, .fixed = true},
    [ADDRESS] = {.title = "Address", .width = 92, .right = true, .fixed = true},
    [JUMPS] = {.title = "", .width = 60, .fixed = true},
    [BYTES] = {.title = "Bytes", .width = 150, .fixed = true},
    [INSN_TEXT] = {.title = "Code", .fixed = true},
    [REGISTERS] = {.title = "Registers", .width = 130, .fixed = true},
    [PLACE] = {.title = "Source", .width = 150, .fixed = true},
    [LATENCY] = {.title = "Latency", .width = 60, .right = true, .fixed = true},
    [EVERY] = {.title = "Every", .width = 54, .right = true, .fixed = true},
    [UOPS] = {.title = "uops", .width = 46, .right = true, .fixed = true},
    [IPC] = {.title = "IPC", .width = 54, .right = true, .fixed = true},
    [CACHE] = {.title = "Cache misses", .width = 92, .right = true, .fixed = true},
    [BRANCH] = {.title = "Branch misses", .width = 98, .right = true, .fixed = true},
};

static td_rgba word_color(enum td_word word)
{
    static const td_rgba colors[TD_WORDS] = {
        [TD_WORD_PLAIN] = 0xffd9dee7u,    [TD_WORD_KEYWORD] = 0xffc792eau, [TD_WORD_TYPE] = 0xff7fc8d8u,
        [TD_WORD_NUMBER] = 0xfff0a96cu,   [TD_WORD_STRING] = 0xffa6cf7fu,  [TD_WORD_COMMENT] = 0xff7f8a9au,
        [TD_WORD_DIRECTIVE] = 0xffe0c070u};
    return colors[word];
}

static td_rgba heat(double share)
{
    return td_color_mix(TD_C(SHARE), 0xffb8503cu, (float)fmin(share * 2.5, 1));
}

void td_source_draw_code(struct td_list_drawing *d, int column, enum td_language language, td_lex_state state,
                         const char *line, size_t bytes)
{
    struct td_rect cell;
    char text[LINE_BYTES + TAB + 1], part[LINE_BYTES + TAB + 1];
    uint8_t kinds[LINE_BYTES + TAB];
    size_t n = 0;
    if (!td_list_cell(d, column, &cell))
        return;
    for (size_t i = 0; i < bytes && n < LINE_BYTES; i++) {
        const unsigned char c = (unsigned char)line[i];
        if (c == '\t')
            do
                text[n++] = ' ';
            while (n % TAB && n < LINE_BYTES);
        else
            text[n++] = c < ' ' || c == 0x7f ? '?' : (char)c;
    }
    td_lex_line(language, state, text, n, kinds);
    struct td_ui *ui = d->view->ui;
    const float y = d->y + (d->height - td_ui_text_height(ui, TD_FONT_MONO)) / 2;
    float x = cell.left;
    td_ui_clip(ui, cell.left, d->y, cell.right, d->y + d->height);
    for (size_t i = 0, end; i < n && x < cell.right; i = end) {
        for (end = i + 1; end < n && kinds[end] == kinds[i];)
            end++;
        memcpy(part, text + i, end - i);
        part[end - i] = 0;
        x += td_ui_text(ui, TD_FONT_MONO, x, y, td_color_legible(word_color((enum td_word)kinds[i])), part);
    }
    td_ui_unclip(ui);
}

/* count_column -1: the count is left out. */
static void draw_share(struct td_list_drawing *d, int share_column, int count_column, uint64_t cost,
                       uint64_t all)
{
    char text[TD_FORMAT_BYTES];
    if (!cost)
        return;
    const double share = all ? (double)cost / (double)all : 0;
    td_list_bar(d, share_column, (float)share, heat(share));
    snprintf(text, sizeof text, "%.2f %%", share * 100);
    td_list_text(d, share_column, TD_C(TEXT), text);
    if (count_column >= 0)
        td_list_text(d, count_column, TD_C(TEXT_DIM), td_format_count(text, cost));
}

/* Lights the row that belongs to the one that is selected in the other list. */
static void draw_light(struct td_list_drawing *d, const struct td_rect *place)
{
    td_ui_rect(d->view->ui, place->left, d->y, place->right, d->y + d->height, 0x206cb6d9u, 0);
}

static void draw_picked(struct td_list_drawing *d, const struct td_rect *place)
{
    td_ui_rect(d->view->ui, place->left, d->y, place->right, d->y + d->height, TD_C(CHOSEN), 0);
}

/* A line at the bottom of a list, of which it cuts its place. */
static void draw_sum(struct td_view *view, struct td_rect *rows, const char *text)
{
    const struct td_rect line = td_dock_cut(rows, TD_DOCK_BOTTOM, TD_U(view, 24));
    td_ui_rect(view->ui, line.left, line.top, line.right, line.bottom, TD_C(GROUP), 0);
    td_ui_text_fit(view->ui, TD_FONT_TEXT, line.left + TD_U(view, 12),
                   line.top + (line.bottom - line.top - td_ui_text_height(view->ui, TD_FONT_TEXT)) / 2,
                   line.right - line.left - TD_U(view, 24), TD_C(TEXT), text);
}

static uint32_t selected_line(const struct td_source_panel *s)
{
    const size_t at = (size_t)s->insns.selected - 1;
    return s->insns.selected && at < s->shown.code.count
               ? td_source_insn_line(&s->shown, &s->shown.code.at[at], s->shown.place.file)
               : 0;
}

void td_source_draw_lines(struct td_view *view, struct td_source_panel *s, const struct td_rect *place)
{
    const struct td_source_data *data = &s->shown;
    struct td_list_drawing d;
    const uint64_t all = td_source_line_cost(&data->lines.all, s->inlined, s->called);
    const uint32_t lit = selected_line(s);
    struct td_rect rows = *place;
    char number[24], text[200];
    const int before = s->lines.selected;
    int clicked = -1;
    if (s->any && !data->text.line_count) {
        td_ui_text_fit(view->ui, TD_FONT_TEXT, place->left + TD_U(view, 14), place->top + TD_U(view, 14),
                       place->right - place->left - TD_U(view, 28), TD_C(TEXT_DIM),
                       data->place.file
                           ? "The text of this file is neither in the trace nor on this machine. "
                             "The panel Trace has a field "
                             "that says where files are."
                           : "The source file of this function is not known.");
        return;
    }
    if (s->line_picks.picked)
        draw_sum(view, &rows, td_source_say_lines(s, text, sizeof text));
    for (int i = td_list_begin(view, &s->lines, line_columns, LINE_COLUMNS, (int)data->text.line_count, &rows,
                               &d);
         i < d.last; i++) {
        size_t bytes;
        const char *line = td_source_text_line(&data->text, (uint32_t)i + 1, &bytes);
        if (td_list_row(&d, i) & TD_ROW_CLICKED)
            clicked = i;
        if (td_picks_have(&s->line_picks, (size_t)i))
            draw_picked(&d, place);
        if (lit == (uint32_t)i + 1)
            draw_light(&d, place);
        draw_share(
            &d, LINE_SHARE, LINE_COUNT,
            td_source_line_cost(td_line_sums_find(&data->lines, (uint32_t)i + 1), s->inlined, s->called),
            all);
        snprintf(number, sizeof number, "%d", i + 1);
        td_list_text(&d, LINE_NUMBER, TD_C(TEXT_FAINT), number);
        if (line)
            td_source_draw_code(&d, LINE_TEXT, data->language, data->states ? data->states[i] : 0, line,
                                bytes);
    }
    td_list_end(&d);
    if (clicked < 0)
        return;
    s->in_code = false;
    td_picks_click(&s->line_picks, (int)data->text.line_count, before, clicked, td_ui_shift(view->ui),
                   td_ui_ctrl(view->ui));
    for (size_t i = 0; i < data->code.count; i++) /* the line's first instruction */
        if (td_source_insn_line(data, &data->code.at[i], s->shown.place.file) == (uint32_t)clicked + 1) {
            s->insns.selected = (int)i + 1;
            s->insns.show = true;
            break;
        }
}

/* The parts of jumps that pass through the row. */
static void draw_jumps(struct td_list_drawing *d, int column, const struct td_source_data *data, size_t row)
{
    struct td_rect cell;
    if (!td_list_cell(d, column, &cell))
        return;
    struct td_ui *ui = d->view->ui;
    const float middle = floorf(d->y + d->height / 2), unit = TD_U(d->view, LANE_WIDE);
    for (size_t i = 0; i < data->jump_count; i++) {
        const struct td_code_jump *j = &data->jumps[i];
        const size_t low = j->from < j->to ? j->from : j->to, high = j->from < j->to ? j->to : j->from;
        if (row < low || row > high || j->lane >= JUMP_LANES)
            continue;
        const float x = cell.right - unit * (float)(j->lane + 1);
        const td_rgba color = td_color_mix(TD_C(TEXT_FAINT), TD_C(ACCENT), j->lane & 1 ? .25f : .75f);
        td_ui_rect(ui, x, row == low ? middle : d->y, x + 1, row == high ? middle : d->y + d->height, color,
                   0);
        if (row != low && row != high)
            continue;
        td_ui_rect(ui, x, middle, cell.right, middle + 1, color, 0);
        if (row == j->to) {
            const float r = TD_U(d->view, 3.5f),
                        head[6] = {
                            cell.right, middle, cell.right - r * 1.4f, middle - r, cell.right - r * 1.4f,
                            middle + r};
            td_ui_triangle(ui, head, color);
        }
    }
}

/* The columns that this code has. */
struct insn_table {
    struct td_column columns[INSN_COLUMNS];
    int count, at[INSN_COLUMNS]; /* where each is; -1: it is left out */
};

/* Where the instructions would have too little room, columns that say less are left out. */
static void choose_insn_columns(struct insn_table *t, const struct td_source_panel *s, float width)
{
    static const enum insn_column unless_wide[] = {PLACE, INSN_COUNT, JUMPS};
    bool has[INSN_COLUMNS];
    float rest = width;
    for (int i = 0; i < INSN_COLUMNS; i++) {
        has[i] = i == BYTES                  ? s->bytes
                 : i == REGISTERS            ? s->registers
                 : i >= LATENCY && i <= UOPS ? s->shown.code.costs != NULL
                 : i >= IPC                  ? s->shown.has_hardware
                                             : true;
        rest -= has[i] ? insn_columns[i].width : 0;
    }
    for (size_t i = 0; i < sizeof unless_wide / sizeof *unless_wide && rest < LEAST_TEXT; i++) {
        has[unless_wide[i]] = false;
        rest += insn_columns[unless_wide[i]].width;
    }
    t->count = 0;
    for (int i = 0; i < INSN_COLUMNS; i++) {
        t->at[i] = has[i] ? t->count : -1;
        if (has[i])
            t->columns[t->count++] = insn_columns[i];
    }
}

/* The bytes, in two shades by turns. */
static void draw_bytes(struct td_list_drawing *d, int column, const struct td_source_data *data, size_t i)
{
    const struct td_code_insn *c = &data->code.at[i];
    struct td_rect cell;
    char text[4];
    if (!td_list_cell(d, column, &cell) || !data->code.bytes)
        return;
    struct td_ui *ui = d->view->ui;
    const float y = d->y + (d->height - td_ui_text_height(ui, TD_FONT_MONO)) / 2;
    float x = cell.left;
    td_ui_clip(ui, cell.left, d->y, cell.right, d->y + d->height);
    for (uint8_t k = 0; k < c->length && x < cell.right; k++) {
        snprintf(text, sizeof text, "%02x ", data->code.bytes[c->address - data->code.address + k]);
        x += td_ui_text(ui, TD_FONT_MONO, x, y, k & 1 ? TD_C(TEXT_FAINT) : TD_C(TEXT), text);
    }
    td_ui_unclip(ui);
}

/* Registers of which the instruction makes, uses or replaces the values of the selected one. */
static void draw_registers(struct td_list_drawing *d, int column, const struct td_source_panel *s, size_t i)
{
    const struct td_dependency *of = &s->depends[i];
    struct td_rect cell;
    char text[TD_REGISTER_BYTES + 1], name[TD_REGISTER_BYTES];
    if (!td_list_cell(d, column, &cell))
        return;
    struct td_ui *ui = d->view->ui;
    const float y = d->y + (d->height - td_ui_text_height(ui, TD_FONT_MONO)) / 2;
    float x = cell.left;
    td_ui_clip(ui, cell.left, d->y, cell.right, d->y + d->height);
    for (unsigned n = 0; n < TD_REGISTERS && x < cell.right; n++) {
        const bool makes = td_registers_have(&of->makes, n), uses = td_registers_have(&of->uses, n),
                   replaces = td_registers_have(&of->replaces, n);
        if (!makes && !uses && !replaces)
            continue;
        const td_rgba color = uses && (makes || replaces) ? TD_C(MESSAGE)
                              : uses                      ? TD_C(READ)
                              : makes                     ? TD_C(WRITTEN)
                                                          : TD_C(TEXT_FAINT);
        snprintf(text, sizeof text, "%s ", td_register_name(s->shown.code.arch, n, name));
        x += td_ui_text(ui, TD_FONT_MONO, x, y, color, text);
    }
    td_ui_unclip(ui);
}

/* `first`: the column of latencies. */
static void draw_cost(struct td_list_drawing *d, int first, const struct td_insn_cost *cost)
{
    char text[24];
    if (!cost->known)
        return;
    snprintf(text, sizeof text, "%" PRIu32, cost->latency_cycles);
    td_list_text(d, first, TD_C(TEXT_DIM), text);
    snprintf(text, sizeof text, "%.2f", cost->throughput_cycles);
    td_list_text(d, first + EVERY - LATENCY, TD_C(TEXT_DIM), text);
    snprintf(text, sizeof text, "%" PRIu32, cost->uops);
    td_list_text(d, first + UOPS - LATENCY, TD_C(TEXT_DIM), text);
}

/* `first`: the column of instructions per cycle. */
static void draw_hardware(struct td_list_drawing *d, int first, const struct td_hardware *hardware)
{
    char text[24];
    double value;
    if (td_hardware_ipc(hardware, &value)) {
        snprintf(text, sizeof text, "%.2f", value);
        td_list_text(d, first, td_color_mix(0xffe06050u, 0xff70c080u, (float)fmin(value / 4, 1)), text);
    }
    if (td_hardware_cache_miss_rate(hardware, &value)) {
        snprintf(text, sizeof text, "%.1f %%", value * 100);
        td_list_text(d, first + CACHE - IPC, td_color_mix(0xff70c080u, 0xffe06050u, (float)value), text);
    }
    if (td_hardware_branch_miss_rate(hardware, &value)) {
        snprintf(text, sizeof text, "%.1f %%", value * 100);
        td_list_text(d, first + BRANCH - IPC, td_color_mix(0xff70c080u, 0xffe06050u, (float)value), text);
    }
}

static void draw_insn(struct td_list_drawing *d, const struct td_source_panel *s, const struct insn_table *t,
                      size_t i)
{
    const struct td_source_data *data = &s->shown;
    const struct td_code_insn *c = &data->code.at[i];
    struct td_insn insn;
    char text[300];
    td_code_text(&data->code, i, &insn);
    draw_share(d, t->at[INSN_SHARE], t->at[INSN_COUNT], td_source_insn_cost(c, s->called),
               data->code.self + (s->called ? data->code.called : 0));
    snprintf(text, sizeof text, "+0x%" PRIx64, c->address - data->code.address);
    td_list_text(d, t->at[ADDRESS], TD_C(TEXT_FAINT), text);
    if (t->at[JUMPS] >= 0)
        draw_jumps(d, t->at[JUMPS], data, i);
    if (t->at[BYTES] >= 0)
        draw_bytes(d, t->at[BYTES], data, i);
    if (t->at[REGISTERS] >= 0 && s->depends)
        draw_registers(d, t->at[REGISTERS], s, i);
    snprintf(text, sizeof text, "%-7s %s", insn.mnemonic, insn.operands);
    td_source_draw_code(d, t->at[INSN_TEXT], TD_LANGUAGE_ASSEMBLY, 0, text, strlen(text));
    if (c->level_count && t->at[PLACE] >= 0) {
        const struct td_level *l = &data->code.levels.at[c->first_level];
        const char *file = td_dict_text(d->view->model.dict, l->file), *name = strrchr(file, '/');
        snprintf(text, sizeof text, "%.200s:%" PRIu32, name ? name + 1 : file, l->line);
        td_list_text(d, t->at[PLACE], TD_C(TEXT_FAINT), text);
    }
    if (t->at[LATENCY] >= 0)
        draw_cost(d, t->at[LATENCY], &data->code.costs[i]);
    if (t->at[IPC] >= 0)
        draw_hardware(d, t->at[IPC], &c->hardware);
}

void td_source_draw_insns(struct td_view *view, struct td_source_panel *s, const struct td_rect *place)
{
    const struct td_source_data *data = &s->shown;
    struct td_list_drawing d;
    struct insn_table table;
    struct td_rect rows = *place;
    char text[300];
    const int before = s->insns.selected;
    int clicked = -1;
    choose_insn_columns(&table, s, (place->right - place->left) / TD_U(view, 1));
    td_source_depend(s);
    if (s->insn_picks.picked)
        draw_sum(view, &rows, td_source_say_insns(s, text, sizeof text));
    for (int i = td_list_begin(view, &s->insns, table.columns, table.count, (int)data->code.count, &rows, &d);
         i < d.last; i++) {
        if (td_list_row(&d, i) & TD_ROW_CLICKED)
            clicked = i;
        if (td_picks_have(&s->insn_picks, (size_t)i))
            draw_picked(&d, place);
        if (s->depends && i + 1 != s->depends_on && td_dependency_is_any(&s->depends[i]))
            td_ui_rect(view->ui, place->left, d.y, place->left + TD_U(view, 4), d.y + d.height,
                       td_registers_any(&s->depends[i].makes) ? TD_C(WRITTEN) : TD_C(READ), 0);
        if (s->lines.selected &&
            td_source_insn_line(data, &data->code.at[i], s->shown.place.file) == (uint32_t)s->lines.selected)
            draw_light(&d, place);
        draw_insn(&d, s, &table, (size_t)i);
    }
    td_list_end(&d);
    if (clicked < 0)
        return;
    s->in_code = true;
    td_picks_click(&s->insn_picks, (int)data->code.count, before, clicked, td_ui_shift(view->ui),
                   td_ui_ctrl(view->ui));
    const uint32_t line = td_source_insn_line(data, &data->code.at[clicked], s->shown.place.file);
    if (line) {
        s->lines.selected = (int)line;
        s->lines.show = true;
    }
}
