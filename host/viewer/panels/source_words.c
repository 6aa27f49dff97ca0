/* The panel Source, as commands drive it. */
#include "host/viewer/panels/source_panel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const words[] = {"bytes", "registers", "calls", "inlined", "file",   "att",
                                    "show",  "lines",     "range", "at",      "callers"};

const char *td_source_word(size_t index)
{
    return index < sizeof words / sizeof *words ? words[index] : NULL;
}

static bool *switch_of(struct td_source_panel *s, const char *word)
{
    bool *const of[] = {&s->bytes, &s->registers, &s->called, &s->inlined, &s->whole_file, &s->att};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (!strcmp(word, words[i]))
            return of[i];
    return NULL;
}

static int set_switch(bool *on, const char *value, struct td_err *err)
{
    if (value && strcmp(value, "on") != 0 && strcmp(value, "off") != 0)
        return td_fail(err, TD_E_USAGE, "'%.80s' is not on or off", value);
    *on = value ? !strcmp(value, "on") : !*on;
    return 0;
}

static int set_form(struct td_source_panel *s, const char *value, struct td_err *err)
{
    static const char *const forms[TD_FORM_COUNT] = {"both", "text", "code"};
    for (int i = 0; value && i < TD_FORM_COUNT; i++)
        if (!strcmp(value, forms[i])) {
            s->form = (enum td_source_form)i;
            return 0;
        }
    return td_fail(err, TD_E_USAGE, "'%.80s' is not both, text or code", value ? value : "");
}

/* "+0x4" is counted from the start of the function. SIZE_MAX: no instruction of it is there. */
static size_t insn_at(const struct td_source_panel *s, const char *text, const char **rest)
{
    char *end;
    const bool is_offset = *text == '+';
    const uint64_t number = strtoull(text + is_offset, &end, 0);
    *rest = end;
    return end == text + is_offset
               ? SIZE_MAX
               : td_code_find(&s->shown.code, number + (is_offset ? s->shown.code.address : 0));
}

static int pick_insns(struct td_source_panel *s, const char *value, struct td_err *err)
{
    const char *rest = "", *end = "";
    const int count = (int)s->shown.code.count;
    const size_t first = value ? insn_at(s, value, &rest) : SIZE_MAX,
                 last = !strncmp(rest, "..", 2) ? insn_at(s, rest + 2, &end) : SIZE_MAX;
    if (!value) {
        td_picks_range(&s->insn_picks, count, 0, -1);
        return 0;
    }
    if (first == SIZE_MAX || last == SIZE_MAX || last < first || *end)
        return td_fail(
            err, TD_E_USAGE,
            "'%.80s' are no two addresses of this function, such as 0x401000..0x401010 or +0..+0x10", value);
    td_picks_range(&s->insn_picks, count, (int)first, (int)last);
    return 0;
}

static int pick_lines(struct td_source_panel *s, const char *value, struct td_err *err)
{
    int first, last, end = 0;
    if (!value) {
        td_picks_range(&s->line_picks, (int)s->shown.text.line_count, 0, -1);
        return 0;
    }
    if (sscanf(value, "%d..%d%n", &first, &last, &end) != 2 || value[end] || first < 1 || last < first ||
        (uint32_t)last > s->shown.text.line_count)
        return td_fail(err, TD_E_USAGE, "'%.80s' are no lines of this file, such as 10..20", value);
    td_picks_range(&s->line_picks, (int)s->shown.text.line_count, first - 1, last - 1);
    return 0;
}

static int select_insn(struct td_source_panel *s, const char *value, struct td_err *err)
{
    const char *rest = "";
    const size_t at = value ? insn_at(s, value, &rest) : SIZE_MAX;
    if (at == SIZE_MAX || *rest)
        return td_fail(err, TD_E_USAGE, "'%.80s' is no address of this function", value ? value : "");
    s->insns.selected = (int)at + 1;
    s->insns.show = s->in_code = true;
    return 0;
}

int td_source_do(struct td_view *view, const char *word, const char *value, struct td_err *err)
{
    struct td_source_panel *s = td_panel_state(view, TD_PANEL_SOURCE);
    bool *on = switch_of(s, word);
    td_panel_set_open(view, TD_PANEL_SOURCE, true);
    if (on)
        return set_switch(on, value, err);
    if (!strcmp(word, "show"))
        return set_form(s, value, err);
    if (!strcmp(word, "lines"))
        return pick_lines(s, value, err);
    if (!strcmp(word, "range"))
        return pick_insns(s, value, err);
    if (!strcmp(word, "at"))
        return select_insn(s, value, err);
    if (strcmp(word, "callers") != 0)
        return td_fail(
            err, TD_E_USAGE,
            "'%.80s' is not bytes, registers, calls, inlined, file, att, show, lines, range, at or "
            "callers",
            word);
    td_source_show_callers(view, s);
    return 0;
}
