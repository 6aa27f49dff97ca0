#include "host/query/code/dependencies.h"
#include "host/base/compare.h"
#include "host/base/sorted.h"

#include <stdlib.h>
#include <string.h>

struct jump {
    size_t to, from;
};

struct register_search {
    const struct td_code_view *code;
    struct td_dependency *of;
    struct jump *jumps; /* within the function, by their targets */
    size_t jump_count;
    size_t *queue;      /* instructions that the search has reached */
    uint8_t *steps;     /* after which each was reached, 1 or more; 0: it was not */
    size_t first, last; /* of the queue */
};

TD_COMPARE(by_target, struct jump, TD_UP(to) TD_UP(from))

bool td_dependency_is_any(const struct td_dependency *d)
{
    return td_registers_any(&d->makes) || td_registers_any(&d->uses) || td_registers_any(&d->replaces);
}

static size_t target_of(const struct td_code_view *code, size_t i)
{
    const struct td_code_insn *insn = &code->at[i];
    return insn->has_target && (insn->kind == TD_INSN_JUMP || insn->kind == TD_INSN_BRANCH)
               ? td_code_find(code, insn->target)
               : SIZE_MAX;
}

static bool goes_on(const struct td_code_insn *insn)
{
    return insn->kind != TD_INSN_JUMP && insn->kind != TD_INSN_RETURN && insn->kind != TD_INSN_BYTES;
}

static bool registers_of(const struct td_code_view *code, size_t i, struct td_insn_registers *registers)
{
    const uint64_t at = code->at[i].address - code->address;
    return td_disasm_registers(code->disasm, code->bytes + at, (size_t)(code->byte_count - at),
                               code->at[i].address, registers);
}

static void reach(struct register_search *s, size_t i, uint8_t steps)
{
    if (i >= s->code->count || s->steps[i] || steps > TD_DEPENDENCY_REACH)
        return;
    s->steps[i] = steps;
    s->queue[s->last++] = i;
}

static void reach_after(struct register_search *s, size_t i, uint8_t steps)
{
    if (goes_on(&s->code->at[i]))
        reach(s, i + 1, steps);
    reach(s, target_of(s->code, i), steps);
}

static void reach_before(struct register_search *s, size_t i, uint8_t steps)
{
    if (i && goes_on(&s->code->at[i - 1]))
        reach(s, i - 1, steps);
    size_t j = 0, end = s->jump_count;
    TD_BISECT(j, end, at, s->jumps[at].to < i)
    for (; j < s->jump_count && s->jumps[j].to == i; j++)
        reach(s, s->jumps[j].from, steps);
}

/* Takes the next instruction that was reached; false: there is none. */
static bool take_next(struct register_search *s, size_t *i)
{
    if (s->first == s->last)
        return false;
    *i = s->queue[s->first++];
    return true;
}

static void begin(struct register_search *s)
{
    for (size_t i = 0; i < s->last; i++)
        s->steps[s->queue[i]] = 0;
    s->first = s->last = 0;
}

/* Backwards, up to the instructions that write the register. */
static void find_makers(struct register_search *s, size_t chosen, unsigned n)
{
    struct td_insn_registers r;
    size_t i;
    begin(s);
    reach_before(s, chosen, 1);
    while (take_next(s, &i)) {
        if (!registers_of(s->code, i, &r))
            continue;
        if (td_registers_have(&r.writes, n))
            td_registers_add(&s->of[i].makes, n);
        else
            reach_before(s, i, (uint8_t)(s->steps[i] + 1));
    }
}

/* Forwards, up to the instructions that write it anew. */
static void find_users(struct register_search *s, size_t chosen, unsigned n)
{
    struct td_insn_registers r;
    size_t i;
    begin(s);
    reach_after(s, chosen, 1);
    while (take_next(s, &i)) {
        if (!registers_of(s->code, i, &r))
            continue;
        if (td_registers_have(&r.reads, n))
            td_registers_add(&s->of[i].uses, n);
        if (td_registers_have(&r.writes, n))
            td_registers_add(&s->of[i].replaces, n);
        else
            reach_after(s, i, (uint8_t)(s->steps[i] + 1));
    }
}

static int find_jumps(struct register_search *s)
{
    s->jumps = malloc((s->code->count + 1) * sizeof *s->jumps);
    s->queue = malloc((s->code->count + 1) * sizeof *s->queue);
    s->steps = calloc(s->code->count + 1, 1);
    if (!s->jumps || !s->queue || !s->steps)
        return TD_E_NOMEM;
    for (size_t i = 0; i < s->code->count; i++) {
        const size_t to = target_of(s->code, i);
        if (to != SIZE_MAX)
            s->jumps[s->jump_count++] = (struct jump){to, i};
    }
    qsort(s->jumps, s->jump_count, sizeof *s->jumps, by_target);
    return 0;
}

int td_code_depend(const struct td_code_view *code, size_t chosen, struct td_dependency *of)
{
    struct register_search s = {.code = code, .of = of};
    struct td_insn_registers r;
    memset(of, 0, code->count * sizeof *of);
    if (!code->bytes || chosen >= code->count || !registers_of(code, chosen, &r))
        return 0;
    const int rc = find_jumps(&s);
    for (unsigned n = 0; rc == 0 && n < TD_REGISTERS; n++) {
        if (td_registers_have(&r.reads, n))
            find_makers(&s, chosen, n);
        if (td_registers_have(&r.writes, n))
            find_users(&s, chosen, n);
    }
    if (rc == 0)
        of[chosen] = (struct td_dependency){.makes = r.writes, .uses = r.reads};
    free(s.jumps);
    free(s.queue);
    free(s.steps);
    return rc;
}
