/* What the panel Source shows, as text. */
#include "host/base/stream.h"
#include "host/file/out_stream.h"
#include "host/viewer/panels/source_panel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The line of a zone's marker and its instructions are marked so. */
static char mark_of(const struct td_source_data *d, uint32_t line, uint64_t address)
{
    const bool is_site = line == d->place.line || (address && address == d->place.address);
    return d->place.zone && is_site ? '>' : ' ';
}

static void write_lines(FILE *f, const struct td_source_panel *s)
{
    const struct td_source_data *d = &s->shown;
    for (uint32_t i = 1; i <= d->text.line_count; i++) {
        size_t bytes;
        const char *text = td_source_text_line(&d->text, i, &bytes);
        const uint64_t cost = td_source_line_cost(td_line_sums_find(&d->lines, i), s->inlined, s->called);
        if (s->line_picks.picked && !td_picks_have(&s->line_picks, i - 1))
            continue;
        fprintf(f, "%8" PRIu64 " %6" PRIu32 "%c %.*s\n", cost, i, mark_of(d, i, 0), text ? (int)bytes : 0,
                text ? text : "");
    }
}

static void write_insn(FILE *f, const struct td_view *view, const struct td_source_panel *s, size_t i)
{
    const struct td_source_data *d = &s->shown;
    const struct td_code_insn *c = &d->code.at[i];
    struct td_insn insn;
    char bytes[TD_INSN_BYTES_TEXT];
    td_code_text(&d->code, i, &insn);
    fprintf(f, "%8" PRIu64 " %16" PRIx64 "%c ", td_source_insn_cost(c, s->called), c->address,
            mark_of(d, td_source_insn_line(d, c, d->place.file), c->address));
    if (s->bytes)
        fprintf(f, "%-30s ", td_source_insn_bytes(d, i, bytes));
    if (d->code.costs)
        fprintf(f, "%4" PRIu32 " %6.2f %4" PRIu32 "  ", d->code.costs[i].latency_cycles,
                d->code.costs[i].throughput_cycles, d->code.costs[i].uops);
    fprintf(f, "%-8s %s", insn.mnemonic, insn.operands);
    if (c->level_count) {
        const struct td_level *l = &d->code.levels.at[c->first_level];
        fprintf(f, "    ; %s:%" PRIu32, td_dict_text(view->model.dict, l->file), l->line);
    }
    fputc('\n', f);
}

/* Lines and instructions; if only some of one list are picked, these. */
static void write_listing(FILE *f, const struct td_view *view, const struct td_source_panel *s)
{
    const bool some = td_source_picked(s);
    if (s->form != TD_FORM_CODE && (!some || s->line_picks.picked))
        write_lines(f, s);
    for (size_t i = 0; s->form != TD_FORM_TEXT && i < s->shown.code.count; i++)
        if (!some || td_picks_have(&s->insn_picks, i))
            write_insn(f, view, s, i);
}

char *td_source_listing(const struct td_view *view, const struct td_source_panel *s)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = s->any ? open_memstream(&text, &bytes) : NULL;
    if (!f)
        return NULL;
    write_listing(f, view, s);
    if (td_text_close(f, &text))
        return text;
    free(text);
    return NULL;
}

int td_view_save_listing(struct td_view *view, const char *path, struct td_err *err)
{
    const struct td_source_panel *s = td_panel_state(view, TD_PANEL_SOURCE);
    if (!s->any)
        return td_fail(err, TD_E_NOTFOUND, "no function is shown; show one with: symbol NAME");
    struct td_out_stream stream;
    const int rc = td_out_stream_open(&stream, path, TD_OUT_TEXT, err);
    if (rc < 0)
        return rc;
    write_listing(stream.to, view, s);
    return td_out_stream_close(&stream, 0);
}
