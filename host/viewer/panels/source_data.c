#include "host/viewer/panels/source_data.h"
#include "host/query/code/zone_site.h"

#include <stdio.h>
#include <stdlib.h>

td_lex_state *td_source_states(const struct td_source_text *text, enum td_language language)
{
    td_lex_state state = 0, *states = calloc((size_t)text->line_count + 1, sizeof *states);
    for (uint32_t i = 0; states && i < text->line_count; i++) {
        size_t bytes;
        const char *line = td_source_text_line(text, i + 1, &bytes);
        states[i] = state;
        state = td_lex_line(language, state, line ? line : "", line ? bytes : 0, NULL);
    }
    return states;
}

static size_t length_of(const struct td_code_jump *jump)
{
    return jump->to > jump->from ? jump->to - jump->from : jump->from - jump->to;
}

static int compare_jumps(const void *a, const void *b)
{
    const struct td_code_jump *x = a, *y = b;
    if (length_of(x) != length_of(y))
        return length_of(x) < length_of(y) ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

static bool do_overlap(const struct td_code_jump *a, const struct td_code_jump *b)
{
    const size_t a0 = a->from < a->to ? a->from : a->to, b0 = b->from < b->to ? b->from : b->to;
    return a0 <= b0 + length_of(b) && b0 <= a0 + length_of(a);
}

/* Short jumps are next to the text; those that overlap are side by side. */
static void place_jumps(struct td_source_data *d)
{
    qsort(d->jumps, d->jump_count, sizeof *d->jumps, compare_jumps);
    for (size_t i = 0; i < d->jump_count; i++) {
        bool moved = true;
        while (moved) {
            moved = false;
            for (size_t k = 0; k < i; k++)
                if (d->jumps[k].lane == d->jumps[i].lane && do_overlap(&d->jumps[k], &d->jumps[i])) {
                    d->jumps[i].lane++;
                    moved = true;
                }
        }
        d->lanes = d->jumps[i].lane >= d->lanes ? (uint16_t)(d->jumps[i].lane + 1) : d->lanes;
    }
}

static void make_jumps(struct td_source_data *d)
{
    d->jumps = calloc(TD_JUMPS_MOST, sizeof *d->jumps);
    for (size_t i = 0; d->jumps && i < d->code.count && d->jump_count < TD_JUMPS_MOST; i++) {
        const struct td_code_insn *insn = &d->code.at[i];
        if (!insn->has_target || (insn->kind != TD_INSN_JUMP && insn->kind != TD_INSN_BRANCH))
            continue;
        const size_t to = td_code_find(&d->code, insn->target);
        if (to != SIZE_MAX)
            d->jumps[d->jump_count++] = (struct td_code_jump){i, to, 0};
    }
    if (d->jump_count)
        place_jumps(d);
}

static void find_hottest(struct td_source_data *d)
{
    uint64_t most = 0;
    for (size_t i = 0; i < d->lines.count; i++)
        if (d->lines.at[i].self > most) {
            most = d->lines.at[i].self;
            d->hot_line = d->lines.at[i].line;
        }
    most = 0;
    for (size_t i = 0; i < d->code.count; i++)
        if (d->code.at[i].self > most) {
            most = d->code.at[i].self;
            d->hot_address = d->code.at[i].address;
        }
}

/* A zone's place becomes that of the machine code at its marker. */
static void find_code(struct td_source_data *d, const struct td_trace *trace,
                      const struct td_progress *progress)
{
    struct td_zone_site site;
    const int rc = td_zone_site_find(trace, d->place.zone, progress, &site, NULL);
    if (rc == TD_E_NOTFOUND)
        d->codeless = "the trace has no code of this zone's function";
    if (rc < 0)
        return;
    d->place.file = site.file;
    d->place.symbol = site.function;
    d->place.address = site.address;
}

/* The trace may have the text under the name that the zone has for the file, or the one that its code has. */
static int open_text(struct td_source_data *d, const struct td_source_request *r, struct td_err *err)
{
    const struct td_trace *trace = r->sampled.trace;
    int rc = td_source_text_open(&d->text, trace, d->place.file, r->paths, NULL, err);
    if (rc == 0 && d->text.origin == TD_SOURCE_NONE && d->place.file != r->place.file) {
        td_source_text_free(&d->text);
        rc = td_source_text_open(&d->text, trace, r->place.file, r->paths, NULL, err);
    }
    return rc;
}

void td_source_data_make(struct td_source_data *d, const struct td_source_request *r, struct td_job *job)
{
    const struct td_trace *trace = r->sampled.trace;
    const struct td_progress progress = td_job_progress_of(job);
    const struct td_code_options options = {.att = r->att};
    struct td_stack_counts counts = {0};
    struct td_err err = {0};
    *d = (struct td_source_data){.place = r->place};
    if (r->place.zone)
        find_code(d, trace, &progress);
    const uint64_t address = d->place.symbol ? d->place.symbol : d->place.address;
    if (d->place.file && open_text(d, r, &err) == 0) {
        d->language = td_language_of(td_dict_text(td_trace_dict(trace), d->place.file));
        d->states = td_source_states(&d->text, d->language);
    }
    if (td_stack_counts_make(trace, &r->sampled.choice, &progress, &counts, &err) == 0) {
        d->samples = counts.total;
        if (d->place.file)
            td_line_sums_make(trace, &counts, d->place.file, r->whole_file ? 0 : d->place.symbol, &progress,
                              &d->lines, &err);
        if (address && td_code_make(trace, &r->sampled.choice, &counts, address, &options, &progress,
                                    &d->code, &err) < 0)
            td_code_free(&d->code);
    }
    td_stack_counts_free(&counts);
    struct td_err costless = {0};
    if (r->processor[0] && d->code.count && td_code_find_costs(&d->code, r->processor, &costless) < 0)
        snprintf(d->costless, sizeof d->costless, "%.110s", costless.text);
    make_jumps(d);
    find_hottest(d);
    d->has_hardware = !td_hardware_is_empty(&d->code.hardware);
}

void td_source_data_free(struct td_source_data *d)
{
    td_source_text_free(&d->text);
    td_line_sums_free(&d->lines);
    td_code_free(&d->code);
    free(d->states);
    free(d->jumps);
    *d = (struct td_source_data){0};
}

uint64_t td_source_line_cost(const struct td_line_sum *sum, bool inlined, bool called)
{
    return sum ? sum->self + (inlined ? sum->inlined : 0) + (called ? sum->called : 0) : 0;
}

uint64_t td_source_insn_cost(const struct td_code_insn *insn, bool called)
{
    return insn->self + (called ? insn->called : 0);
}

uint32_t td_source_insn_line(const struct td_source_data *d, const struct td_code_insn *insn, uint32_t file)
{
    for (uint32_t i = 0; i < insn->level_count; i++)
        if (d->code.levels.at[insn->first_level + i].file == file)
            return d->code.levels.at[insn->first_level + i].line;
    return 0;
}

const char *td_source_insn_bytes(const struct td_source_data *d, size_t i, char text[TD_INSN_BYTES_TEXT])
{
    const struct td_code_insn *insn = &d->code.at[i];
    const uint64_t at = insn->address - d->code.address;
    size_t used = 0;
    text[0] = 0;
    for (uint8_t k = 0; d->code.bytes && k < insn->length && used + 4 <= TD_INSN_BYTES_TEXT; k++)
        used += (size_t)snprintf(text + used, TD_INSN_BYTES_TEXT - used, "%s%02x", k ? " " : "",
                                 d->code.bytes[at + k]);
    return text;
}
