/* Translated code of a core, and when it is out of date.
 *
 * The host may load other code while a core is in reset, and a core may write code and then execute fence.i. Pages
 * that code was translated from are remembered with a checksum. What has changed by the next release or fence.i is
 * translated anew, the rest is kept, so that launching the same kernel again costs nothing. */
#include "boards/tensix_sim/sim.h"

#include <stdlib.h>
#include <string.h>

/* Data next to the code may change meanwhile: such a page is translated once more than needed. */
static uint64_t checksum(const uint8_t *page)
{
    const uint64_t *words = (const uint64_t *)page;
    uint64_t sum[4] = {1, 2, 3, 4};
    for (unsigned i = 0; i < PAGE_BYTES / sizeof sum; i++)
        for (unsigned k = 0; k < 4; k++) {
            const uint64_t word = __atomic_load_n(&words[4 * i + k], __ATOMIC_RELAXED);
            sum[k] = (sum[k] ^ word) * UINT64_C(0x9e3779b97f4a7c15);
            sum[k] ^= sum[k] >> 29;
        }
    return sum[0] ^ (sum[1] << 16 | sum[1] >> 48) ^ (sum[2] << 32 | sum[2] >> 32) ^
           (sum[3] << 48 | sum[3] >> 16);
}

int code_init(struct core *core)
{
    size_t pages = core->sim->board.l1_bytes / PAGE_BYTES + 1;
    if (!core->code)
        core->code = calloc(pages, sizeof *core->code);
    else
        memset(core->code, 0, pages * sizeof *core->code);
    core->code_pages = 0;
    return core->code ? 0 : -1;
}

void code_note(struct core *core, uint32_t block, uint32_t bytes)
{
    uint32_t offset = block - core->sim->board.l1_base;
    bytes = bytes ? bytes : 1; /* a block of which not even the first instruction could be translated */
    core->translated_bytes += bytes;
    if (block < core->sim->board.l1_base || offset + bytes > core->sim->board.l1_bytes)
        return;
    for (uint32_t page = offset / PAGE_BYTES; page <= (offset + bytes - 1) / PAGE_BYTES; page++)
        if (core->code[page] == 0) {
            core->code[page] = checksum(core->tile->memory + (size_t)page * PAGE_BYTES) | 1;
            if (page >= core->code_pages)
                core->code_pages = page + 1;
        }
}

void code_refresh(struct core *core)
{
    int changed = 0;
    for (uint32_t page = 0; page < core->code_pages; page++) {
        if (core->code[page] == 0 ||
            core->code[page] == (checksum(core->tile->memory + (size_t)page * PAGE_BYTES) | 1))
            continue;
        uint64_t address = core->sim->board.l1_base + (uint64_t)page * PAGE_BYTES;
        uc_ctl_remove_cache(core->uc, address, address + PAGE_BYTES);
        core->code[page] = 0;
        changed = 1;
    }
    if (changed)
        memset(core->seen, 0, sizeof core->seen);
}

void code_finish(struct core *core)
{
    free(core->code);
}
