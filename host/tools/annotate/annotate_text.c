/* The text that tendril annotate prints. */
#include "host/base/plain_text.h"
#include "host/tools/annotate/annotate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LIST_LINES    40  /* of functions and wait stacks, without --all */
#define LEAST_PERCENT 0.5 /* of callers, without --all */
#define WAIT_LEVELS   12  /* of a wait stack, without --all */

double annotate_percent(uint64_t part, uint64_t whole)
{
    return whole ? 100. * (double)part / (double)whole : 0;
}

static void print_text(const struct annotate *a, const char *text)
{
    td_plain_print(a->to, text, strlen(text));
}

static const char *text_of(const struct annotate *a, uint32_t string)
{
    return td_dict_text(a->dict, string);
}

static void print_place(const struct annotate *a, uint32_t file, uint32_t line)
{
    print_text(a, text_of(a, file));
    if (line)
        fprintf(a->to, ":%" PRIu32, line);
}

/* A percentage; nothing for 0, so that the eye finds the lines that cost. */
static void print_share(const struct annotate *a, uint64_t part)
{
    if (part)
        fprintf(a->to, "%7.2f", annotate_percent(part, a->counts.total));
    else
        fprintf(a->to, "%7s", "");
}

static void print_rates(const struct annotate *a, const struct td_hardware *hardware)
{
    char text[160];
    fputs(td_hardware_rates_text(hardware, text, sizeof text), a->to);
}

/* ---- lists ---- */

struct td_query_rows *annotate_rows(const struct annotate *a, const struct td_symbol_sums *sums)
{
    struct td_query_request of = td_query_all(a->trace);
    struct td_samples_wanted *wanted = calloc(1, sizeof *wanted);
    int rc;
    if (wanted)
        wanted->given = sums;
    of.with = wanted;
    return wanted ? td_query_make(&td_table_symbols, &of, &rc) : NULL;
}

int annotate_print_list(const struct annotate *a)
{
    struct td_query_rows *rows = annotate_rows(a, &a->sums);
    if (!rows)
        return TD_E_NOMEM;
    fprintf(a->to, "%" PRIu64 " samples in %zu functions%s\n\n", a->counts.total, a->sums.count,
            a->inlines ? ", inlined ones among them" : "");
    td_query_text(a->to, rows, NULL, a->all ? UINT64_MAX : LIST_LINES);
    td_query_free(rows);
    return 0;
}

static void print_ms(const struct annotate *a, int64_t ns)
{
    fprintf(a->to, "%12.3f", (double)ns / 1e6);
}

int annotate_print_wait_levels(const struct annotate *a, uint32_t stack)
{
    struct td_levels levels = {0};
    int rc = td_levels_read(&levels, a->trace, stack);
    for (size_t i = 0; rc == 0 && i < levels.count; i++) {
        const struct td_level *level = &levels.at[i];
        if (!a->all && i >= WAIT_LEVELS) {
            fprintf(a->to, "%38s... %zu more (--all)\n", "", levels.count - i);
            break;
        }
        fprintf(a->to, "%38s", "");
        if (*text_of(a, level->function))
            print_text(a, text_of(a, level->function));
        else
            fprintf(a->to, "0x%" PRIx64, level->address);
        if (level->line) {
            fputs("  ", a->to);
            print_place(a, level->file, level->line);
        }
        putc('\n', a->to);
    }
    td_levels_free(&levels);
    return rc;
}

void annotate_print_waits(const struct annotate *a, const struct td_wait_stacks *waits)
{
    const size_t shown = a->all || waits->count < LIST_LINES ? waits->count : LIST_LINES;
    fprintf(a->to, "%" PRIu64 " waits with %zu call stacks, ", waits->waits, waits->count);
    if (waits->timed)
        fprintf(a->to, "%.3f ms in the %" PRIu64 " whose length is known\n\n", (double)waits->total_ns / 1e6,
                waits->timed);
    else
        fputs("of no known length\n\n", a->to);
    fprintf(a->to, "%10s %12s %12s  %s\n", "count", "total ms", "longest ms", "call stack, innermost first");
    for (size_t i = 0; i < shown; i++) {
        fprintf(a->to, "%10" PRIu64 " ", waits->at[i].count);
        print_ms(a, waits->at[i].total_ns);
        putc(' ', a->to);
        print_ms(a, waits->at[i].max_ns);
        putc('\n', a->to);
        if (annotate_print_wait_levels(a, waits->at[i].stack) < 0)
            fprintf(a->to, "%38s(out of memory)\n", "");
    }
    if (shown < waits->count)
        fprintf(a->to, "... %zu more (--all)\n", waits->count - shown);
}

/* ---- callers ---- */

void annotate_print_callers(const struct annotate *a, const struct td_call_tree *tree)
{
    fputs("\ncallers, and the part of the samples that came through them\n\n", a->to);
    for (uint32_t n = tree->at[0].child; n != TD_CALL_NONE;) {
        const struct td_call_node *node = &tree->at[n];
        const bool is_shown = a->all || annotate_percent(node->total, tree->at[0].total) >= LEAST_PERCENT;
        if (is_shown) {
            print_share(a, node->total);
            fprintf(a->to, " %10" PRIu64 "  %*s", node->total, (int)(2 * (node->depth - 1)), "");
            if (*text_of(a, node->name))
                print_text(a, text_of(a, node->name));
            else
                fprintf(a->to, "0x%" PRIx64, node->address);
            putc('\n', a->to);
        }
        if (is_shown && node->child != TD_CALL_NONE) {
            n = node->child;
            continue;
        }
        while (n != TD_CALL_NONE && tree->at[n].next == TD_CALL_NONE)
            n = tree->at[n].parent;
        n = n == TD_CALL_NONE ? n : tree->at[n].next;
    }
}

/* ---- a function ---- */

static void print_head(const struct annotate *a, const struct annotate_function *f)
{
    const struct td_symbol_sum *sum = f->sum;
    print_text(a, td_symbol_sum_name(a->trace, sum));
    fputs("  ", a->to);
    print_place(a, sum->file, sum->line);
    fputs("  ", a->to);
    print_text(a, text_of(a, sum->image));
    putc('\n', a->to);
    if (!a->counts.total)
        return;
    fprintf(a->to,
            "%" PRIu64 " of %" PRIu64 " samples (%.2f %%) in it, %" PRIu64 " (%.2f %%) with what it calls",
            sum->self, a->counts.total, annotate_percent(sum->self, a->counts.total), sum->total,
            annotate_percent(sum->total, a->counts.total));
    print_rates(a, &sum->hardware);
    putc('\n', a->to);
}

static const char *origin_text(enum td_source_origin origin)
{
    switch (origin) {
    case TD_SOURCE_IN_TRACE:
        return "text from the trace";
    case TD_SOURCE_ON_DISK:
        return "text from this machine";
    case TD_SOURCE_NEWER:
        return "text from this machine, changed after the program was built: lines may not fit";
    default:
        return "no text: the trace has none, and this machine has no such file (--path says where files are)";
    }
}

static void print_source_line(const struct annotate *a, const struct annotate_function *f, uint32_t line)
{
    static const struct td_line_sum none;
    const struct td_line_sum *sum = td_line_sums_find(&f->lines, line);
    size_t bytes = 0;
    const char *text = td_source_text_line(&f->source, line, &bytes);
    if (!sum)
        sum = &none;
    if (!text && !sum->line && line != f->marked)
        return;
    print_share(a, sum->self + (a->inlines ? 0 : sum->inlined));
    putc(' ', a->to);
    print_share(a, sum->self + sum->inlined + sum->called);
    fprintf(a->to, " %6" PRIu32 "%s ", line, line == f->marked ? ">" : " ");
    char *copy = text ? malloc(bytes + 1) : NULL;
    if (copy) {
        memcpy(copy, text, bytes);
        copy[bytes] = 0;
        fwrite(copy, 1, td_plain_lines(copy, bytes), a->to);
    }
    free(copy);
    putc('\n', a->to);
}

static void print_source(const struct annotate *a, const struct annotate_function *f)
{
    fputs("\nsource ", a->to);
    print_place(a, f->sum->file, 0);
    fprintf(a->to, " (%s)\n\n%7s %7s %6s\n", origin_text(f->source.origin), "self %", "total %", "line");
    for (uint32_t line = f->first; line && line <= f->last; line++)
        print_source_line(a, f, line);
}

/* "work.c:22 < helper.h:5": where the instruction's source is, the inlined function last. */
static void print_levels(const struct annotate *a, const struct td_code_view *code,
                         const struct td_code_insn *insn)
{
    for (uint32_t i = insn->level_count; i-- > 0;) {
        const struct td_level *level = &code->levels.at[insn->first_level + i];
        const char *file = text_of(a, level->file), *name = strrchr(file, '/');
        print_text(a, name ? name + 1 : file);
        fprintf(a->to, ":%" PRIu32 "%s", level->line, i ? " > " : "");
    }
}

static bool has_same_levels(const struct td_code_view *code, const struct td_code_insn *one,
                            const struct td_code_insn *other)
{
    if (one->level_count != other->level_count)
        return false;
    for (uint32_t i = 0; i < one->level_count; i++) {
        const struct td_level *x = &code->levels.at[one->first_level + i],
                              *y = &code->levels.at[other->first_level + i];
        if (x->line != y->line || x->file != y->file)
            return false;
    }
    return true;
}

static void print_cost(const struct annotate *a, const struct td_insn_cost *cost)
{
    if (cost->known)
        fprintf(a->to, "%5" PRIu32 " %7.2f %5" PRIu32 "  ", cost->latency_cycles, cost->throughput_cycles,
                cost->uops);
    else
        fprintf(a->to, "%21s", "");
}

static void print_insn(const struct annotate *a, const struct td_code_view *code, size_t index)
{
    const struct td_code_insn *row = &code->at[index];
    struct td_insn insn;
    td_code_text(code, index, &insn);
    print_share(a, row->self);
    putc(' ', a->to);
    print_share(a, row->self + row->called);
    fprintf(a->to, " %8" PRIx64 "  ", row->address - code->address);
    if (code->costs)
        print_cost(a, &code->costs[index]);
    if (row->level_count && (!index || !has_same_levels(code, row, row - 1))) {
        fprintf(a->to, "%-8s %-36s  ", insn.mnemonic, insn.operands);
        print_levels(a, code, row);
    } else {
        fprintf(a->to, *insn.operands ? "%-8s %s" : "%s", insn.mnemonic, insn.operands);
    }
    print_rates(a, &row->hardware);
    putc('\n', a->to);
}

static void print_assembly(const struct annotate *a, const struct annotate_function *f)
{
    const struct td_code_view *code = &f->code;
    if (!code->byte_count) {
        fputs("\nno machine code: the trace does not say where the function is\n", a->to);
        return;
    }
    fprintf(a->to, "\n%s code at 0x%" PRIx64 ", %" PRIu64 " bytes", td_code_arch_name(code->arch),
            code->address, code->byte_count);
    if (code->address != f->sum->address) {
        fputs(", of ", a->to);
        print_text(a, text_of(a, code->name));
        fputs(", into which it is inlined", a->to);
    }
    if (code->missing)
        fprintf(a->to, " (%s)", code->missing);
    if (code->costs)
        fprintf(
            a->to,
            "\ncycles until a result (lat) and between two of a kind (every), micro-operations: %s, by LLVM",
            a->processor);
    fprintf(a->to, "\n\n%7s %7s %8s%s\n", "self %", "total %", "offset",
            code->costs ? "    lat   every  uops" : "");
    for (size_t i = 0; i < code->count; i++)
        print_insn(a, code, i);
}

static void print_parts(const struct annotate *a, const struct annotate_function *function)
{
    if (!a->assembly_only)
        print_source(a, function);
    if (!a->source_only)
        print_assembly(a, function);
    if (a->callers)
        annotate_print_callers(a, &function->tree);
}

void annotate_print_function(const struct annotate *a, const struct annotate_function *function)
{
    print_head(a, function);
    print_parts(a, function);
}

void annotate_print_zone(const struct annotate *a, const struct annotate_zone *zone,
                         const struct annotate_function *function)
{
    const struct td_srcloc *loc = td_dict_get_srcloc(a->dict, zone->srcloc);
    const struct td_stat *stats;
    const size_t count = td_trace_stats(a->trace, &stats);
    fputs("zone ", a->to);
    print_text(a, zone->name);
    fputs("  ", a->to);
    print_place(a, loc->file, loc->line);
    for (size_t i = 0; i < count; i++)
        if (stats[i].srcloc == zone->srcloc)
            fprintf(a->to, "\n%" PRIu64 " zones, %.3f ms in all, %.3f us each", stats[i].count,
                    (double)stats[i].total_ns / 1e6, stats[i].mean_ns / 1e3);
    putc('\n', a->to);
    if (zone->function.name)
        print_head(a, function);
    print_parts(a, function);
}
