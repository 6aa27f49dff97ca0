#include "host/query/code/code.h"
#include "host/base/grow.h"
#include "host/base/sorted.h"
#include "host/query/code/symbol_ranges.h"
#include "host/trace/tables.h"
#include "proto/kernel_image.h"

#include <stdlib.h>
#include <string.h>

enum td_code_arch td_code_arch_of(const struct td_trace *trace, uint32_t image)
{
    const char *name = td_dict_text(td_trace_dict(trace), image);
    if (strncmp(name, TD_KERNEL_IMAGE, strlen(TD_KERNEL_IMAGE)) == 0)
        return TD_CODE_RISCV32;
    const uint8_t host = td_trace_get_info(trace)->cpu_arch;
    return host <= TD_CODE_ARM64 ? (enum td_code_arch)host : TD_CODE_UNKNOWN;
}

struct maker {
    const struct td_trace *trace;
    struct td_code_view *code;
    size_t capacity;
    struct td_levels levels; /* of a stack */
};

static int add_insn(struct maker *m, const struct td_code_insn *insn)
{
    struct td_code_view *code = m->code;
    return TD_APPEND(code->at, code->count, m->capacity, *insn);
}

static int decode(struct maker *m, const struct td_progress *progress)
{
    struct td_insn insn;
    for (uint64_t at = 0; at < m->code->byte_count; at += insn.length) {
        td_disasm_next(m->code->disasm, m->code->bytes + at, (size_t)(m->code->byte_count - at),
                       m->code->address + at, &insn);
        const struct td_code_insn row = {.address = insn.address,
                                         .target = insn.target,
                                         .length = insn.length,
                                         .kind = insn.kind,
                                         .has_target = insn.has_target};
        if (add_insn(m, &row) < 0)
            return TD_E_NOMEM;
        if (m->code->count % 4096 == 0 && td_samples_step(progress, at, m->code->byte_count) < 0)
            return TD_E_STOPPED;
    }
    return 0;
}

size_t td_code_find(const struct td_code_view *code, uint64_t address)
{
    const size_t after = TD_SORTED_UP_TO(code->at, code->count, address, address);
    if (!after)
        return SIZE_MAX;
    const size_t last = after - 1;
    const uint64_t bytes = code->at[last].length ? code->at[last].length : 1;
    return address - code->at[last].address < bytes ? last : SIZE_MAX;
}

/* ---- samples ---- */

static bool contains(const struct td_code_view *code, uint64_t address)
{
    return address - code->address < code->byte_count;
}

/* Without code, each sampled address of the function becomes a row of its own. */
static int64_t find_row(struct maker *m, uint64_t address)
{
    size_t index = td_code_find(m->code, address);
    if (index != SIZE_MAX || m->code->bytes)
        return index == SIZE_MAX ? TD_E_NOTFOUND : (int64_t)index;
    const struct td_code_insn row = {.address = address};
    if (add_insn(m, &row) < 0)
        return TD_E_NOMEM;
    for (index = m->code->count - 1; index && m->code->at[index - 1].address > address; index--)
        m->code->at[index] = m->code->at[index - 1];
    m->code->at[index] = row;
    return (int64_t)index;
}

/* A stack counts once: at the instruction where the sample is, else at the innermost call. */
static int add_stack(struct maker *m, uint32_t stack, uint64_t count)
{
    const struct td_series *entries = td_trace_table(m->trace, TD_TABLE_STACK_ENTRY);
    uint64_t first, frames;
    td_trace_stack(m->trace, stack, &first, &frames);
    for (uint64_t i = 0; i < frames; i++) {
        const uint64_t id = (uint64_t)td_series_get(entries, first + i, TD_STACK_ENTRY_FRAME);
        const uint64_t address = td_frame_address(id) - (i != 0); /* a return address is after the call */
        if (id & TD_FRAME_SCRIPTED || !contains(m->code, address))
            continue;
        const int64_t row = find_row(m, address);
        if (row == TD_E_NOTFOUND)
            continue;
        if (row < 0)
            return TD_E_NOMEM;
        struct td_code_insn *insn = &m->code->at[row];
        *(i ? &insn->called : &insn->self) += count;
        *(i ? &m->code->called : &m->code->self) += count;
        return 0;
    }
    return 0;
}

static int add_samples(struct maker *m, const struct td_stack_counts *counts,
                       const struct td_progress *progress)
{
    int rc = 0;
    for (size_t s = 1; s < counts->stacks && rc == 0; s++) {
        if (s % 4096 == 1)
            rc = td_samples_step(progress, s, counts->stacks);
        if (rc == 0 && counts->at[s])
            rc = add_stack(m, (uint32_t)s, counts->at[s]);
    }
    return rc;
}

static int add_hardware(struct maker *m, const struct td_samples_choice *choice)
{
    const struct td_series *addresses = td_trace_table(m->trace, TD_TABLE_HW_ADDRESS);
    for (uint64_t i = 0; i < td_series_count(addresses); i++) {
        const uint64_t address = (uint64_t)td_series_get(addresses, i, TD_HW_ADDRESS_ADDRESS);
        struct td_hardware found;
        if (!contains(m->code, address))
            continue;
        td_hardware_of_row(m->trace, choice, i, &found);
        const int64_t row = td_hardware_is_empty(&found) ? TD_E_NOTFOUND : find_row(m, address);
        if (row == TD_E_NOTFOUND)
            continue;
        if (row < 0)
            return TD_E_NOMEM;
        td_hardware_add(&m->code->at[row].hardware, &found);
        td_hardware_add(&m->code->hardware, &found);
    }
    return 0;
}

/* Programs were asked for the source lines of each instruction. Where an answer is missing, the lines of the
 * instruction before hold. */
static int add_levels(struct maker *m)
{
    struct td_code_view *code = m->code;
    for (size_t i = 0; i < code->count; i++) {
        struct td_code_insn *insn = &code->at[i];
        const uint64_t id = insn->address & TD_FRAME_BITS;
        if (td_trace_stack_frame(m->trace, id) < 0) {
            insn->first_level = i ? insn[-1].first_level : 0;
            insn->level_count = i ? insn[-1].level_count : 0;
            continue;
        }
        insn->first_level = (uint32_t)code->levels.count;
        if (td_levels_add_frame(&code->levels, m->trace, id, 0) < 0)
            return TD_E_NOMEM;
        insn->level_count = (uint32_t)code->levels.count - insn->first_level;
    }
    return 0;
}

/* ---- the function ---- */

static int find_function(struct maker *m, uint64_t address, struct td_err *err)
{
    const struct td_series *symbols = td_trace_table(m->trace, TD_TABLE_SYMBOL),
                           *codes = td_trace_table(m->trace, TD_TABLE_CODE);
    struct td_symbol_ranges ranges;
    int rc = td_symbol_ranges_make(&ranges, m->trace);
    const struct td_symbol_range *range = rc == 0 ? td_symbol_ranges_find(&ranges, address) : NULL;
    if (rc < 0) {
        td_fail_no_memory(err, "for functions");
    } else if (!range) {
        rc = td_fail(err, TD_E_NOTFOUND, "no function of the trace contains the address 0x%llx",
                     (unsigned long long)address);
    } else {
        struct td_code_view *code = m->code;
        code->address = range->address;
        code->byte_count = range->bytes;
        if (range->code >= 0 && td_series_get(codes, (uint64_t)range->code, TD_CODE_DATA))
            code->bytes = td_trace_blob(td_series_get(codes, (uint64_t)range->code, TD_CODE_DATA));
        if (range->row >= 0) {
            int64_t symbol[TD_SYMBOL_COLUMN_COUNT];
            td_series_row(symbols, (uint64_t)range->row, symbol);
            code->name = (uint32_t)symbol[TD_SYMBOL_NAME];
            code->file = (uint32_t)symbol[TD_SYMBOL_FILE];
            code->line = (uint32_t)symbol[TD_SYMBOL_LINE];
            code->image = (uint32_t)symbol[TD_SYMBOL_IMAGE];
        }
    }
    td_symbol_ranges_free(&ranges);
    return rc;
}

static int open_decoder(struct maker *m, const struct td_code_options *options, struct td_err *err)
{
    struct td_code_view *code = m->code;
    code->arch = options->arch ? options->arch : td_code_arch_of(m->trace, code->image);
    code->disasm = td_disasm_open(&(struct td_disasm_options){.arch = code->arch, .att = options->att}, err);
    if (!code->disasm)
        return TD_E_NOMEM;
    code->missing =
        !code->bytes ? "the trace does not have the code of this function" : td_disasm_missing(code->disasm);
    return 0;
}

int td_code_make(const struct td_trace *trace, const struct td_samples_choice *choice,
                 const struct td_stack_counts *counts, uint64_t address,
                 const struct td_code_options *options, const struct td_progress *progress,
                 struct td_code_view *code, struct td_err *err)
{
    const struct td_samples_choice any = {0};
    *code = (struct td_code_view){0};
    struct maker m = {.trace = trace, .code = code};
    int rc = find_function(&m, address, err);
    rc = rc ? rc : open_decoder(&m, options, err);
    if (rc == 0 && code->bytes)
        rc = decode(&m, progress);
    if (rc == 0 && counts)
        rc = add_samples(&m, counts, progress);
    if (rc == 0)
        rc = add_hardware(&m, choice ? choice : &any);
    rc = rc ? rc : add_levels(&m);
    td_levels_free(&m.levels);
    return rc == TD_E_STOPPED ? td_fail(err, rc, "stopped")
           : rc == TD_E_NOMEM ? td_fail_no_memory(err, "for machine code")
                              : rc;
}

int td_code_make_of_bytes(const void *bytes, uint64_t byte_count, uint64_t address,
                          const struct td_code_options *options, struct td_code_view *code,
                          struct td_err *err)
{
    *code = (struct td_code_view){.address = address, .byte_count = byte_count, .bytes = bytes};
    struct maker m = {.code = code};
    code->arch = options->arch;
    code->disasm = td_disasm_open(&(struct td_disasm_options){.arch = code->arch, .att = options->att}, err);
    if (!code->disasm)
        return TD_E_NOMEM;
    code->missing = td_disasm_missing(code->disasm);
    return decode(&m, NULL) < 0 ? td_fail_no_memory(err, "for machine code") : 0;
}

void td_code_free(struct td_code_view *code)
{
    free(code->at);
    free(code->costs);
    td_levels_free(&code->levels);
    td_disasm_close(code->disasm);
    *code = (struct td_code_view){0};
}

int td_code_find_costs(struct td_code_view *code, const char *processor, struct td_err *err)
{
    free(code->costs);
    code->costs = code->bytes && code->count ? calloc(code->count, sizeof *code->costs) : NULL;
    if (!code->costs)
        return code->bytes && code->count ? td_fail_no_memory(err, "for costs of instructions") : 0;
    const int rc = td_insn_costs_find(code->arch, processor, code->bytes, (size_t)code->byte_count,
                                      code->address, code->costs, code->count, err);
    if (rc < 0) {
        free(code->costs);
        code->costs = NULL;
    }
    return rc;
}

void td_code_text(const struct td_code_view *code, size_t index, struct td_insn *insn)
{
    const struct td_code_insn *row = &code->at[index];
    if (code->bytes) {
        const uint64_t at = row->address - code->address;
        td_disasm_next(code->disasm, code->bytes + at, (size_t)(code->byte_count - at), row->address, insn);
        return;
    }
    memset(insn, 0, sizeof *insn);
    insn->address = row->address;
}
