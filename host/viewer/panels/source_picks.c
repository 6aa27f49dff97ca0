/* What is picked in the lists of the panel Source: rows that are summed, the instruction whose dependencies are shown,
 * and whose callers are asked for. */
#include "host/viewer/panels/entries.h"
#include "host/viewer/panels/source_panel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

static void free_picks(struct td_picks *p)
{
    free(p->rows);
    *p = (struct td_picks){0};
}

/* Without memory nothing is picked. */
static bool begin_picks(struct td_picks *p, int rows)
{
    if (p->count != rows || !p->rows) {
        free_picks(p);
        p->rows = calloc((size_t)rows + 1, 1);
        p->count = rows;
    }
    return p->rows != NULL;
}

static void set_range(struct td_picks *p, int first, int last)
{
    memset(p->rows, 0, (size_t)p->count);
    first = first < 0 ? 0 : first;
    for (int i = first; i <= last && i < p->count; i++)
        p->rows[i] = 1;
}

static void count_picks(struct td_picks *p)
{
    p->picked = 0;
    for (int i = 0; i < p->count; i++)
        p->picked += p->rows[i];
    p->picked = p->picked > 1 ? p->picked : 0; /* one row is selected, and not summed */
}

void td_picks_range(struct td_picks *p, int rows, int first, int last)
{
    if (!begin_picks(p, rows))
        return;
    set_range(p, first, last);
    count_picks(p);
    p->anchor = first + 1;
}

void td_picks_click(struct td_picks *p, int rows, int before, int row, bool shift, bool ctrl)
{
    if (!begin_picks(p, rows))
        return;
    if (shift) {
        p->anchor = p->anchor ? p->anchor : before ? before : row + 1;
        set_range(p, p->anchor - 1 < row ? p->anchor - 1 : row, p->anchor - 1 < row ? row : p->anchor - 1);
    } else if (ctrl) {
        if (!p->picked && before && before <= rows)
            p->rows[before - 1] = 1;
        p->rows[row] = p->picked ? !p->rows[row] : 1;
        p->anchor = row + 1;
    } else {
        memset(p->rows, 0, (size_t)rows);
        p->anchor = row + 1;
    }
    count_picks(p);
}

bool td_source_picked(const struct td_source_panel *s)
{
    return (s->line_picks.picked && s->form != TD_FORM_CODE) ||
           (s->insn_picks.picked && s->form != TD_FORM_TEXT);
}

void td_source_unpick(struct td_source_panel *s)
{
    free_picks(&s->line_picks);
    free_picks(&s->insn_picks);
    free(s->depends);
    s->depends = NULL;
    s->depends_on = 0;
}

bool td_source_step(struct td_source_panel *s, const struct td_key_press *press)
{
    const bool code = s->form == TD_FORM_CODE || (s->form == TD_FORM_BOTH && s->in_code);
    struct td_list *list = code ? &s->insns : &s->lines;
    const int rows = code ? (int)s->shown.code.count : (int)s->shown.text.line_count, before = list->selected;
    bool enter;
    if (!td_list_key(list, press, rows, &enter))
        return false;
    if (list->selected)
        td_picks_click(code ? &s->insn_picks : &s->line_picks, rows, before, list->selected - 1, press->shift,
                       false);
    return true;
}

/* ---- their sums ---- */

static double percent(uint64_t part, uint64_t all)
{
    return all ? (double)part * 100 / (double)all : 0;
}

const char *td_source_say_lines(const struct td_source_panel *s, char *text, size_t bytes)
{
    const struct td_source_data *d = &s->shown;
    const uint64_t all = td_source_line_cost(&d->lines.all, s->inlined, s->called);
    char number[TD_FORMAT_BYTES];
    uint64_t cost = 0;
    for (uint32_t i = 0; i < d->text.line_count; i++)
        if (td_picks_have(&s->line_picks, i))
            cost += td_source_line_cost(td_line_sums_find(&d->lines, i + 1), s->inlined, s->called);
    snprintf(text, bytes, "%d lines: %s samples, %.2f %%", s->line_picks.picked,
             td_format_count(number, cost), percent(cost, all));
    return text;
}

const char *td_source_say_insns(const struct td_source_panel *s, char *text, size_t bytes)
{
    const struct td_code_view *code = &s->shown.code;
    struct td_hardware hardware = {0};
    char number[TD_FORMAT_BYTES], rates[160];
    uint64_t cost = 0, length = 0, uops = 0;
    double cycles = 0;
    for (size_t i = 0; i < code->count; i++) {
        if (!td_picks_have(&s->insn_picks, i))
            continue;
        cost += td_source_insn_cost(&code->at[i], s->called);
        length += code->at[i].length;
        td_hardware_add(&hardware, &code->at[i].hardware);
        if (code->costs && code->costs[i].known) {
            uops += code->costs[i].uops;
            cycles += code->costs[i].throughput_cycles;
        }
    }
    int used = snprintf(text, bytes, "%d instructions, %" PRIu64 " bytes: %s samples, %.2f %%%s",
                        s->insn_picks.picked, length, td_format_count(number, cost),
                        percent(cost, code->self + (s->called ? code->called : 0)),
                        td_hardware_rates_text(&hardware, rates, sizeof rates));
    if (code->costs && used > 0 && (size_t)used < bytes)
        snprintf(text + used, bytes - (size_t)used,
                 ", %" PRIu64 " uops, one after the other every %.2f cycles", uops, cycles);
    return text;
}

/* ---- the selected instruction ---- */

void td_source_depend(struct td_source_panel *s)
{
    const int wanted = s->registers ? s->insns.selected : 0;
    if (wanted == s->depends_on)
        return;
    s->depends_on = wanted;
    free(s->depends);
    s->depends = wanted ? calloc(s->shown.code.count + 1, sizeof *s->depends) : NULL;
    if (s->depends && td_code_depend(&s->shown.code, (size_t)wanted - 1, s->depends) < 0) {
        free(s->depends);
        s->depends = NULL;
    }
}

void td_source_show_callers(struct td_view *view, const struct td_source_panel *s)
{
    const struct td_code_view *code = &s->shown.code;
    const size_t at = (size_t)s->insns.selected - 1;
    const char *name = td_dict_text(view->model.dict, code->name);
    char text[200];
    if (s->insns.selected && at < code->count && s->in_code && code->at[at].self) {
        snprintf(text, sizeof text, "%.160s +0x%" PRIx64, name, code->at[at].address - code->address);
        td_view_show_entries_at(view, code->at[at].address, code->at[at].length, text);
    } else if (code->count) {
        td_view_show_entries(view, code->address, name);
    } else if (s->shown.place.symbol) {
        td_view_show_entries(view, s->shown.place.symbol, "the function");
    }
}
