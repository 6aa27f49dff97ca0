/* Uses libgcc's unwinder. With a current C library it finds its tables without a lock and without
 * allocating. */
#include "host/client/symbols/stack.h"
#include "host/client/platform/settings.h"
#include "host/client/queue/records.h"

#include <stdbool.h>
#include <stdatomic.h>
#include <unwind.h>

struct stack_walk {
    uint64_t *stack, caller;
    uint32_t count, most, seen;
};

/* An address inside of the calling instruction. The return address may belong to another line or function:
 * the call may be the last instruction of its own. */
static uint64_t place_of(struct _Unwind_Context *context)
{
    int before = 0;
    uint64_t address = _Unwind_GetIPInfo(context, &before);
    return address && !before ? address - 1 : address;
}

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *self)
{
    struct stack_walk *walk = self;
    uint64_t address = place_of(context);
    if (!address || walk->count == walk->most)
        return _URC_END_OF_STACK;
    walk->seen += address == walk->caller;
    if (walk->seen)
        walk->stack[walk->count++] = address;
    return _URC_NO_REASON;
}

static uint32_t cut(int most)
{
    return most < 0 ? 0 : most > (int)TD_REC_STACK_MAX ? TD_REC_STACK_MAX : (uint32_t)most;
}

/* libgcc's search for the unwind tables of a function; NULL: there are none. The unwinder ends the program
 * if it does not find those of its caller. Statically linked programs register theirs only after the
 * client's start. */
extern const void *_Unwind_Find_FDE(const void *pc, void *bases);

static __attribute__((noinline)) bool has_tables(void)
{
    static atomic_int found;
    void *bases[3];
    if (!atomic_load_explicit(&found, memory_order_relaxed) &&
        _Unwind_Find_FDE(__builtin_extract_return_addr(__builtin_return_address(0)), bases))
        atomic_store_explicit(&found, 1, memory_order_relaxed);
    return atomic_load_explicit(&found, memory_order_relaxed);
}

uint32_t td_stack_walk_from(uint64_t *stack, int most, uint64_t first)
{
    struct stack_walk walk = {.stack = stack, .caller = first, .most = cut(most)};
    if (td_setting_value(TD_SETTING_NO_CALLSTACK) || !walk.most || !has_tables())
        return 0;
    _Unwind_Backtrace(step, &walk);
    return walk.count;
}

uint32_t td_stack_walk(uint64_t *stack, int most, const void *caller)
{
    uint64_t first = (uintptr_t)caller - 1;
    uint32_t count = td_stack_walk_from(stack, most, first);
    if (count || most <= 0 || td_setting_value(TD_SETTING_NO_CALLSTACK))
        return count;
    stack[0] = first; /* code between has no tables */
    return 1;
}
