#include "host/agent/board/core_samples.h"
#include "host/agent/board/core_symbols.h"
#include "host/base/clock.h"
#include "host/base/grow.h"
#include "host/event/map.h"
#include "host/trace/rows.h"
#include "proto/kernel_image.h"

#include <byteswap.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define SPACE_SHIFT  48
#define KERNEL_SHIFT 32
#define KERNELS      65536u    /* that addresses can tell apart */
#define LOOK_NS      100000000 /* between searches for an ELF that was not found */

struct waiting_sample {
    int64_t ticks;
    uint32_t pc, lane;
    uint32_t kernel;
};

struct kernel {
    uint64_t build_id;
    struct td_core_symbols *symbols; /* NULL: its ELF was not found */
    int64_t looked_ns;
};

struct td_core_samples {
    struct td_dict *dict;
    struct td_lane_names *names;
    struct td_client_serials own_serials, *serials;
    uint64_t space;
    struct kernel *kernels;
    size_t kernel_count, kernel_room;
    struct waiting_sample *waiting;
    size_t waiting_count, waiting_room;
    struct td_map stacks;  /* address in the trace -> row of STACK; */
    struct td_map unnamed; /* of these, those without a function */
    struct td_map known;   /* addresses of symbols that the trace has */
    uint64_t count, unnamed_count;
};

struct td_core_samples *td_core_samples_create(struct td_dict *dict, struct td_lane_names *names,
                                               struct td_client_spaces *spaces)
{
    struct td_core_samples *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->dict = dict;
    s->names = names;
    s->serials = spaces ? td_client_spaces_serials(spaces) : &s->own_serials;
    s->space = td_client_spaces_code(spaces);
    return s;
}

void td_core_samples_destroy(struct td_core_samples *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->kernel_count; i++)
        td_core_symbols_close(s->kernels[i].symbols);
    free(s->kernels);
    free(s->waiting);
    td_map_finish(&s->stacks);
    td_map_finish(&s->unnamed);
    td_map_finish(&s->known);
    free(s);
}

uint64_t td_core_samples_count(const struct td_core_samples *s)
{
    return s->count;
}

uint64_t td_core_samples_unnamed(const struct td_core_samples *s)
{
    return s->unnamed_count;
}

size_t td_core_samples_waiting(const struct td_core_samples *s)
{
    return s->waiting_count * sizeof *s->waiting;
}

bool td_core_samples_knows(const struct td_core_samples *s, uint64_t build_id)
{
    for (size_t i = s->kernel_count; i-- > 0;)
        if (s->kernels[i].build_id == build_id)
            return true;
    return false;
}

/* The kernel's number; UINT32_MAX: no memory, or there are too many. */
static uint32_t kernel_of(struct td_core_samples *s, uint64_t build_id)
{
    /* Cores mostly run what others run. */
    for (size_t i = s->kernel_count; i-- > 0;)
        if (s->kernels[i].build_id == build_id)
            return (uint32_t)i;
    if (s->kernel_count == KERNELS ||
        td_grow(&s->kernels, &s->kernel_room, s->kernel_count + 1, sizeof *s->kernels))
        return UINT32_MAX;
    s->kernels[s->kernel_count] = (struct kernel){.build_id = build_id, .looked_ns = INT64_MIN};
    return (uint32_t)s->kernel_count++;
}

int td_core_samples_add(struct td_core_samples *s, const struct td_core_sample *sample, struct td_err *err)
{
    const uint32_t kernel = kernel_of(s, sample->build_id);
    if (kernel == UINT32_MAX ||
        td_grow(&s->waiting, &s->waiting_room, s->waiting_count + 1, sizeof *s->waiting))
        return td_fail(err, TD_E_NOMEM, "no memory for samples of the cores, or more than %u kernels",
                       KERNELS);
    s->waiting[s->waiting_count++] = (struct waiting_sample){sample->ticks, sample->pc, sample->lane, kernel};
    return 0;
}

/* ---- rows ---- */

struct sample_rows {
    struct td_core_samples *s;
    struct td_hub *hub;
    struct td_err *err;
    uint64_t base;  /* of the kernel's addresses in the trace */
    uint32_t image; /* string */
};

static int add_row(const struct sample_rows *r, unsigned table, uint64_t parent, const int64_t *values)
{
    int64_t row = td_hub_row(r->hub, table, parent, values, r->err);
    return row < 0 ? (int)row : 0;
}

static uint32_t add_text(const struct sample_rows *r, const char *text)
{
    return text && *text ? td_dict_cstring(r->s->dict, text) : 0;
}

/* A symbol, and its code, unless the trace has it. `call`: the line of the caller of an inlined function. */
static int add_symbol(const struct sample_rows *r, const struct td_core_line *line, bool inlined)
{
    const uint64_t address = r->base + line->low;
    if (!line->bytes)
        return 0;
    int fresh = td_map_add(&r->s->known, address, 1);
    if (fresh <= 0)
        return fresh;
    const int64_t symbol[TD_SYMBOL_COLUMN_COUNT] = {
        [TD_SYMBOL_ADDRESS] = (int64_t)address,
        [TD_SYMBOL_NAME] = add_text(r, line->function),
        [TD_SYMBOL_FILE] = add_text(r, line->begin_file),
        [TD_SYMBOL_LINE] = line->begin_line,
        [TD_SYMBOL_IMAGE] = r->image,
        [TD_SYMBOL_CALL_FILE] = add_text(r, line->file),
        [TD_SYMBOL_CALL_LINE] = line->line,
        [TD_SYMBOL_INLINED] = inlined,
        [TD_SYMBOL_BYTES] = line->bytes,
    };
    int rc = add_row(r, TD_TABLE_SYMBOL, 0, symbol);
    if (rc || !line->code)
        return rc;
    const int64_t code[TD_CODE_COLUMN_COUNT] = {[TD_CODE_ADDRESS] = (int64_t)address,
                                                [TD_CODE_DATA] = (int64_t)(uintptr_t)line->code,
                                                [TD_CODE_BYTES] = line->bytes};
    return add_row(r, TD_TABLE_CODE, 0, code);
}

/* The frame at a program counter: its lines, the frame itself and where its symbol is. */
static int add_frame(const struct sample_rows *r, uint32_t pc, const struct td_core_line *lines,
                     unsigned count)
{
    int64_t row = 0;
    int rc = 0;
    /* The function itself first: one that is inlined at its beginning has its address. */
    for (unsigned i = count; rc == 0 && i-- > 0;)
        rc = add_symbol(r, &lines[i], i + 1 < count);
    for (unsigned i = 0; rc == 0 && i < count && row >= 0; i++) {
        const int64_t values[TD_STACK_LINE_COLUMN_COUNT] = {
            [TD_STACK_LINE_FUNCTION] = add_text(r, lines[i].function),
            [TD_STACK_LINE_FILE] = add_text(r, lines[i].file),
            [TD_STACK_LINE_LINE] = lines[i].line,
            [TD_STACK_LINE_SYMBOL] = lines[i].bytes ? (int64_t)(r->base + lines[i].low) : 0};
        row = td_hub_row(r->hub, TD_TABLE_STACK_LINE, 0, values, r->err);
    }
    if (rc || row < 0)
        return rc ? rc : (int)row;
    const int64_t frame[TD_STACK_FRAME_COLUMN_COUNT] = {[TD_STACK_FRAME_FRAME] = (int64_t)(r->base + pc),
                                                        [TD_STACK_FRAME_IMAGE] = r->image,
                                                        [TD_STACK_FRAME_END] = row + 1};
    rc = add_row(r, TD_TABLE_STACK_FRAME, 0, frame);
    if (rc || !lines[0].bytes)
        return rc;
    const int64_t of[TD_SYMBOL_OF_COLUMN_COUNT] = {[TD_SYMBOL_OF_ADDRESS] = (int64_t)(r->base + pc),
                                                   [TD_SYMBOL_OF_SYMBOL] = (int64_t)(r->base + lines[0].low)};
    return add_row(r, TD_TABLE_SYMBOL_OF, 0, of);
}

/* The call stack of one frame. Returns its row. */
static int64_t add_stack(const struct sample_rows *r, uint64_t frame)
{
    struct td_client_serials *serials = r->s->serials;
    const int64_t none[] = {(int64_t)serials->stack_entries}, entry[] = {(int64_t)frame};
    int64_t row = 0;
    if (!serials->has_no_stack)
        row = td_hub_row(r->hub, TD_TABLE_STACK, 0, none, r->err);
    if (row < 0)
        return row;
    serials->has_no_stack = true;
    row = td_hub_row(r->hub, TD_TABLE_STACK_ENTRY, 0, entry, r->err);
    if (row < 0)
        return row;
    serials->stack_entries = (uint64_t)row + 1;
    const int64_t end[] = {row + 1};
    return td_hub_row(r->hub, TD_TABLE_STACK, 0, end, r->err);
}

/* ---- samples ---- */

static struct td_core_symbols *symbols_of(struct td_core_samples *s, struct kernel *kernel)
{
    const int64_t now_ns = td_mono_ns();
    if (kernel->symbols || (kernel->looked_ns != INT64_MIN && now_ns - kernel->looked_ns < LOOK_NS))
        return kernel->symbols;
    kernel->looked_ns = now_ns;
    kernel->symbols = td_core_symbols_open(s->names, kernel->build_id);
    return kernel->symbols;
}

/* Sets the row of the call stack at a program counter, which is made if there is none yet. */
static int find_stack(struct sample_rows *r, uint32_t kernel, uint32_t pc, uint32_t *stack)
{
    struct td_core_samples *s = r->s;
    char text[64];
    r->base = s->space << SPACE_SHIFT | (uint64_t)kernel << KERNEL_SHIFT;
    *stack = td_map_get(&s->stacks, r->base + pc, 0);
    if (*stack) {
        s->unnamed_count += td_map_get(&s->unnamed, r->base + pc, 0);
        return 0;
    }
    struct td_core_line lines[TD_CORE_LINES];
    struct td_core_symbols *symbols = symbols_of(s, &s->kernels[kernel]);
    unsigned count = symbols ? td_core_symbols_find(symbols, pc, lines) : 0;
    snprintf(text, sizeof text, TD_KERNEL_IMAGE "%016" PRIx64, bswap_64(s->kernels[kernel].build_id));
    r->image = add_text(r, text);
    if (!count) {
        snprintf(text, sizeof text, "0x%08" PRIx32, pc);
        lines[0] = (struct td_core_line){.function = text};
        s->unnamed_count++;
        if (td_map_set(&s->unnamed, r->base + pc, 1) < 0)
            return TD_E_NOMEM;
    }
    int rc = add_frame(r, pc, lines, count ? count : 1);
    int64_t row = rc ? rc : add_stack(r, r->base + pc);
    if (row < 0)
        return (int)row;
    *stack = (uint32_t)row;
    return td_map_set(&s->stacks, r->base + pc, *stack) < 0 ? TD_E_NOMEM : 0;
}

int td_core_samples_push(struct td_core_samples *s, const struct td_core_samples_to *to, struct td_err *err)
{
    struct sample_rows r = {.s = s, .hub = to->hub, .err = err};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < s->waiting_count; i++) {
        const struct waiting_sample *sample = &s->waiting[i];
        uint32_t stack = 0;
        const uint32_t track = to->track(to->self, sample->lane);
        if (track == UINT32_MAX)
            return td_fail_no_memory(err, "for samples of the cores");
        rc = find_stack(&r, sample->kernel, sample->pc, &stack);
        const int64_t values[] = {to->time(to->self, sample->lane, sample->ticks), stack};
        rc = rc ? rc : add_row(&r, TD_TABLE_SAMPLE, track, values);
        s->count += rc == 0;
    }
    s->waiting_count = 0;
    return rc;
}
