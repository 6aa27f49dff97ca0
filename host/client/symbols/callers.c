#include "host/client/symbols/callers.h"
#include "host/client/symbols/frame_rules.h"

#include <string.h>

#define FRAMES_WITH_FP 3 /* after so many, functions without a frame register are not expected further out */

/* A word of the copied part of the stack. */
static bool read_word(const struct td_perf_user *user, uint64_t address, uint64_t *word)
{
    const uint64_t at = address - user->sp;
    if (address < user->sp || user->bytes < 8 || at > user->bytes - 8)
        return false;
    memcpy(word, user->stack + at, 8);
    return true;
}

static uint64_t stacks, cut; /* `cut`: of them, those whose callers were further out than the copy */

uint64_t td_callers_take_cut(uint64_t *of)
{
    const uint64_t count = cut;
    *of = stacks;
    stacks = cut = 0;
    return count;
}

unsigned td_callers_find(const struct td_perf_user *user, uint64_t *callers, unsigned room,
                         unsigned *replaced)
{
    uint64_t ip = user->ip, sp = user->sp, fp = user->fp;
    unsigned count = 0, passed = 0, in_row = 0;
    bool is_in_chain = true, is_known = true; /* is_in_chain: fp is where the kernel goes next */
    while (count < room && in_row < FRAMES_WITH_FP) {
        /* A return address may be that of the next function. */
        const struct td_frame_rule rule = td_frame_rule_at(count ? ip - 1 : ip);
        const uint64_t end = (rule.by_fp ? fp : sp) + (uint64_t)(int64_t)rule.size;
        uint64_t outer = fp;
        is_known = rule.known;
        if (!is_known || end <= sp || !read_word(user, end - 8, &ip) || !ip ||
            (rule.saves_fp && !read_word(user, end + (uint64_t)(int64_t)rule.fp_at, &outer)))
            break;
        in_row = rule.by_fp && is_in_chain ? in_row + 1 : 0;
        passed += in_row > 0;
        is_in_chain = is_in_chain && (rule.by_fp ? rule.saves_fp : outer == fp);
        fp = outer;
        sp = end;
        callers[count++] = ip;
    }
    stacks++;
    cut += !is_in_chain && is_known && count < room;
    *replaced = is_in_chain ? passed : UINT32_MAX;
    return count;
}
