#include "boards/qemu_virt/memory.h"

#include "boards/qemu_virt/harts.h"
#include "host/base/err.h"
#include "qemu_virt_config.h"
#include "riscv/clock.h"
#include "riscv/fence.h"

#include <stdbool.h>
#include <string.h>

extern const char board_description[]; /* description.S */

static int fail(char *why, int code, const char *text)
{
    strncpy(why, text, TD_PROBE_WHY_BYTES - 1);
    why[TD_PROBE_WHY_BYTES - 1] = 0;
    return code;
}

static bool is_tile(struct td_probe_at at)
{
    return at.chip == 0 && at.x == BOARD_TILE_X && at.y == BOARD_TILE_Y;
}

static bool is_l1(struct td_probe_at at, uint64_t address, uint32_t bytes)
{
    const uint64_t offset = address - BOARD_L1_BASE;
    return is_tile(at) && address >= BOARD_L1_BASE && offset <= BOARD_L1_BYTES &&
           bytes <= BOARD_L1_BYTES - offset;
}

/* Memory that is nothing but memory: the reset word is more. */
static void *map(void *self, struct td_probe_at at, uint64_t address, uint32_t bytes)
{
    const int has_reset = address < BOARD_RESET_WORD + 4 && address + bytes > BOARD_RESET_WORD;
    return is_l1(at, address, bytes) && !has_reset ? (void *)(uintptr_t)address : NULL;
}

static int no_memory(struct td_probe_at at, char *why)
{
    return fail(why, TD_E_USAGE,
                is_tile(at) ? "the address is not in what a host reaches of this board so"
                            : "the board has one tile only");
}

static uint32_t load(const uint8_t *from)
{
    uint32_t word;
    memcpy(&word, from, 4);
    return word;
}

/* Aligned words whole, in order; the other side need not be aligned. */
static void copy_in(volatile uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    for (; bytes && ((uintptr_t)to & 3); bytes--)
        *to++ = *from++;
    for (; bytes >= 4; bytes -= 4, to += 4, from += 4)
        *(volatile uint32_t *)to = load(from);
    for (; bytes; bytes--)
        *to++ = *from++;
}

static void copy_out(uint8_t *to, const volatile uint8_t *from, uint32_t bytes)
{
    for (; bytes && ((uintptr_t)from & 3); bytes--)
        *to++ = *from++;
    for (; bytes >= 4; bytes -= 4, to += 4, from += 4) {
        uint32_t word = *(const volatile uint32_t *)from;
        memcpy(to, &word, 4);
    }
    for (; bytes; bytes--)
        *to++ = *from++;
}

static int read(void *self, struct td_probe_at at, uint64_t address, void *to, uint32_t bytes, char *why)
{
    const int is_clock =
        is_tile(at) && (address == BOARD_CLOCK_LOW || address == BOARD_CLOCK_HIGH) && bytes == 4;
    const volatile uint8_t *from = (const volatile uint8_t *)(uintptr_t)address;
    if (!is_clock && !is_l1(at, address, bytes))
        return no_memory(at, why);
    td_fence();
    copy_out(to, from, bytes);
    return TD_OK;
}

static int write(void *self, struct td_probe_at at, uint64_t address, const void *from, uint32_t bytes,
                 char *why)
{
    volatile uint8_t *to = map(self, at, address, bytes);
    if (to) {
        copy_in(to, from, bytes);
        td_fence();
        return TD_OK;
    }
    if (!is_tile(at) || address != BOARD_RESET_WORD || bytes != 4)
        return no_memory(at, why);
    const char *wrong;
    int rc = harts_reset(load(from), &wrong);
    return rc ? fail(why, rc, wrong) : TD_OK;
}

static int fill(void *self, struct td_probe_at at, uint64_t address, uint32_t word, uint32_t bytes, char *why)
{
    volatile uint32_t *to = map(self, at, address, bytes);
    if (!to || address % 4)
        return no_memory(at, why);
    for (uint32_t i = 0; i < bytes / 4; i++)
        to[i] = word;
    td_fence();
    return TD_OK;
}

static int clock(void *self, struct td_probe_at at, uint64_t *ticks, char *why)
{
    if (!is_tile(at))
        return no_memory(at, why);
    *ticks = td_clock64();
    return TD_OK;
}

const struct td_probe_board memory_board = {
    .read = read,
    .write = write,
    .fill = fill,
    .map = map,
    .clock = clock,
    .description = board_description,
    .grid = BOARD_GRID,
    .name = BOARD_NAME,
};
