#include "host/device/kernel_env.h"
#include "host/device/device_internal.h"
#include "proto/device/kernel_env.h"
#include "proto/device/noc.h"
#include "target/include/tendril/cb.h"

#include <stdlib.h>
#include <string.h>

#define DRAM_ALIGN 64u /* the largest of the chips */
#define L1_ALIGN   16u
#define SEMS_MAX   16u /* as in tt-metal */
#define LINE       64u
#define ARGS_BYTES ((4 * TD_KERNEL_ARGS_MAX + LINE - 1) / LINE * LINE)

/* A tile's blocks, in this order from data_base on; then come buffers and allocations. */
struct core_block {
    struct td_kernel_env env;
    uint8_t unused[LINE - sizeof(struct td_kernel_env) % LINE];
    uint32_t scratch[TD_KERNEL_SCRATCH_BYTES / 4];
    uint8_t rest[LINE - TD_KERNEL_SCRATCH_BYTES];
};
_Static_assert(sizeof(struct core_block) % LINE == 0, "blocks of cores are whole lines");
/* A word that goes from there over the NoC has the place in its line that it will have in the other tile. */
_Static_assert(offsetof(struct core_block, scratch) % L1_ALIGN == 0, "scratch words begin a line of L1");

struct cb_memory {
    struct td_cb cb;
    uint32_t address; /* 0: none */
    /* Of a buffer between tiles: what is written to its address. */
    uint32_t *remote;
    uint32_t remote_bytes;
};

struct td_kernel_tile {
    struct td_device *device;
    uint16_t chip, x, y;
    uint32_t end; /* of what is laid out */
    struct core_block cores[TD_MAX_CORES];
    uint32_t args[TD_MAX_CORES][2][TD_KERNEL_ARGS_MAX]; /* own, common */
    uint32_t sems[SEMS_MAX][TD_KERNEL_SEM_BYTES / 4];
    struct td_kernel_cb table[TD_KERNEL_CBS];
    struct cb_memory cbs[TD_KERNEL_CBS];
};

static uint32_t whole_lines(size_t bytes)
{
    return (uint32_t)((bytes + LINE - 1) / LINE * LINE);
}

static uint32_t core_at(const struct td_board *board, uint32_t core)
{
    return board->data_base + core * (uint32_t)sizeof(struct core_block);
}

static uint32_t args_at(const struct td_board *board, uint32_t core, uint32_t which)
{
    return core_at(board, board->core_count) + (2 * core + which) * ARGS_BYTES;
}

static uint32_t sems_at(const struct td_board *board)
{
    return args_at(board, board->core_count, 0);
}

static uint32_t table_at(const struct td_board *board)
{
    return sems_at(board) + SEMS_MAX * TD_KERNEL_SEM_BYTES;
}

static uint32_t banks_at(const struct td_board *board)
{
    return table_at(board) + whole_lines(TD_KERNEL_CBS * sizeof(struct td_kernel_cb));
}

static const struct td_kernel_mailbox mailboxes[TD_KERNEL_MAILBOX_CORES * TD_KERNEL_MAILBOX_CORES];

static uint32_t bank_words(const struct td_board *board)
{
    return board->dram_banks + board->grid_width * board->grid_height;
}

static uint32_t banks_bytes(const struct td_board *board)
{
    return (uint32_t)(sizeof(struct td_kernel_banks) + 4 * bank_words(board));
}

static uint32_t mailboxes_at(const struct td_board *board)
{
    return banks_at(board) + whole_lines(banks_bytes(board));
}

/* ---- laying out */

struct td_kernel_tile *td_kernel_tile_create(struct td_device *device, uint16_t chip, uint16_t x, uint16_t y,
                                             struct td_err *err)
{
    const struct td_board *board = &device->board;
    if (!td_device_get_tile(device, chip, x, y, err))
        return NULL;
    struct td_kernel_tile *tile = calloc(1, sizeof *tile);
    if (!tile) {
        td_fail_no_memory(err, "for the arguments of kernels");
        return NULL;
    }
    *tile = (struct td_kernel_tile){.device = device, .chip = chip, .x = x, .y = y};
    tile->end = mailboxes_at(board) + whole_lines(sizeof mailboxes);
    for (uint32_t core = 0; core < board->core_count; core++)
        tile->cores[core].env = (struct td_kernel_env){
            .magic = TD_KERNEL_ENV_MAGIC,
            .args = args_at(board, core, 0),
            .common = args_at(board, core, 1),
            .cbs = table_at(board),
            .sems = sems_at(board),
            .banks = banks_at(board),
            .scratch = core_at(board, core) + (uint32_t)offsetof(struct core_block, scratch),
            .logical_x = x,
            .logical_y = y,
            .core = core,
            .mailboxes = mailboxes_at(board),
        };
    return tile;
}

void td_kernel_tile_destroy(struct td_kernel_tile *tile)
{
    for (uint32_t i = 0; tile && i < TD_KERNEL_CBS; i++)
        free(tile->cbs[i].remote);
    free(tile);
}

int64_t td_kernel_tile_alloc(struct td_kernel_tile *tile, uint32_t bytes, struct td_err *err)
{
    const struct td_board *board = &tile->device->board;
    const uint32_t at = tile->end, l1_end = board->l1_base + board->l1_bytes;
    if (at > l1_end || bytes > l1_end - at)
        return td_fail(err, TD_E_LIMIT, "no room in L1 of tile %u,%u: %u bytes are wanted, %u are left",
                       tile->x, tile->y, bytes, at > l1_end ? 0 : l1_end - at);
    tile->end = at + whole_lines(bytes);
    return at;
}

int td_kernel_tile_cb(struct td_kernel_tile *tile, uint32_t index, uint32_t page_bytes, uint32_t pages,
                      uint32_t format, struct td_err *err)
{
    const uint64_t bytes = (uint64_t)page_bytes * pages;
    if (index >= TD_KERNEL_CBS)
        return td_fail(err, TD_E_USAGE, "there is no circular buffer %u: there are 0 to %u", index,
                       TD_KERNEL_CBS - 1);
    if (!bytes || page_bytes % 4 || tile->cbs[index].address)
        return td_fail(err, TD_E_USAGE, "circular buffer %u %s", index,
                       tile->cbs[index].address ? "is laid out already" : "needs pages of whole words");
    const int64_t at = td_kernel_tile_alloc(
        tile, bytes > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)bytes + TD_CB_COUNTER_BYTES, err);
    if (at < 0)
        return (int)at;
    tile->cbs[index] =
        (struct cb_memory){td_cb_layout((uint32_t)at, page_bytes, pages), (uint32_t)at, NULL, 0};
    tile->table[index] =
        (struct td_kernel_cb){.counters = (uint32_t)at, .tile_bytes = page_bytes, .format = format};
    return 0;
}

/* ---- buffers between tiles: words of each core, of the tile, x and y, counters, then the pages */

enum { TILE_WORDS = 7, CORE_WORDS = TD_KERNEL_REMOTE_BYTES / 4, PAIR_WORDS = 8 };

struct remote_layout {
    uint32_t at, cores, xy, counters, begin, bytes; /* addresses; bytes of the pages */
    uint32_t page_bytes, count;
};

static struct remote_layout remote_at(const struct td_board *board, uint32_t at, uint32_t count,
                                      uint32_t page_bytes, uint32_t pages)
{
    const uint32_t tile_words = at + board->core_count * TD_KERNEL_REMOTE_BYTES;
    const uint32_t xy = tile_words + 4 * TILE_WORDS;
    const uint32_t counters = whole_lines(xy + 8 * count);
    return (struct remote_layout){at,
                                  board->core_count,
                                  xy,
                                  counters,
                                  whole_lines(counters + 4 * PAIR_WORDS * count),
                                  page_bytes * pages,
                                  page_bytes,
                                  count};
}

/* The words of a tile of the buffer; `receiver` is `count` in the sender. */
static int lay_out_remote(struct td_kernel_tile *tile, const struct remote_layout *of,
                          const struct td_tile_at *places, uint32_t index, uint32_t receiver,
                          struct td_err *err)
{
    const int is_sender = receiver == of->count;
    const uint32_t counters = of->counters + (is_sender ? 0 : 4 * PAIR_WORDS * receiver);
    const uint32_t config = of->xy - 4 * TILE_WORDS;
    const struct td_tile_at sender = places[of->count];
    uint32_t *words = calloc(1, of->begin - of->at);
    if (!words)
        return td_fail_no_memory(err, "for a circular buffer between tiles");
    for (uint32_t core = 0; core < of->cores; core++) {
        const uint32_t own[CORE_WORDS] = {config,
                                          of->begin,
                                          of->begin + of->bytes,
                                          of->page_bytes,
                                          of->begin,
                                          is_sender ? of->xy : (uint32_t)sender.x,
                                          is_sender ? counters : (uint32_t)sender.y,
                                          is_sender ? of->count : counters + 4 * PAIR_WORDS / 2};
        memcpy(words + core * CORE_WORDS, own, sizeof own);
    }
    const uint32_t of_tile[TILE_WORDS] = {(uint32_t)is_sender, of->count, of->begin, of->bytes,
                                          of->begin,           of->xy,    counters};
    memcpy(words + (config - of->at) / 4, of_tile, sizeof of_tile);
    for (uint32_t i = 0; i < of->count; i++) {
        const struct td_tile_at *to = is_sender ? &places[i] : &sender;
        words[(of->xy - of->at) / 4 + 2 * i] = (uint32_t)to->x;
        words[(of->xy - of->at) / 4 + 2 * i + 1] = (uint32_t)to->y;
    }
    tile->end = of->begin + whole_lines(of->bytes);
    tile->cbs[index] =
        (struct cb_memory){.address = of->at, .remote = words, .remote_bytes = of->begin - of->at};
    tile->table[index] = (struct td_kernel_cb){.remote = of->at};
    return 0;
}

int td_kernel_remote_cb(struct td_kernel_tile *sender, struct td_kernel_tile *const *receivers,
                        uint32_t count, uint32_t index, uint32_t page_bytes, uint32_t pages,
                        struct td_err *err)
{
    enum { RECEIVERS_MAX = 64 };
    const struct td_board *board = &sender->device->board;
    const uint32_t l1_end = board->l1_base + board->l1_bytes;
    struct td_tile_at places[RECEIVERS_MAX + 1];
    uint32_t at = sender->end;
    if (!count || count > RECEIVERS_MAX || index >= TD_KERNEL_CBS || !page_bytes || page_bytes % 16 || !pages)
        return td_fail(
            err, TD_E_USAGE,
            "circular buffer %u from a tile to %u others needs pages of whole lines of 16 bytes, 1 "
            "to %u other tiles and a number below %u",
            index, count, RECEIVERS_MAX, TD_KERNEL_CBS);
    for (uint32_t i = 0; i <= count; i++) {
        const struct td_kernel_tile *tile = i < count ? receivers[i] : sender;
        if (tile->cbs[index].address || tile->chip != sender->chip || (i < count && tile == sender))
            return td_fail(err, TD_E_USAGE, "circular buffer %u %s", index,
                           tile->cbs[index].address ? "is laid out already"
                                                    : "is between different tiles of one chip");
        places[i] = td_board_tile(board, tile->chip, tile->x, tile->y);
        at = tile->end > at ? tile->end : at;
    }
    if (at > l1_end || pages > (l1_end - at) / page_bytes)
        return td_fail(err, TD_E_LIMIT, "no room in L1 for circular buffer %u between tiles", index);
    const struct remote_layout layout = remote_at(board, at, count, page_bytes, pages);
    if (layout.begin + layout.bytes > l1_end)
        return td_fail(err, TD_E_LIMIT, "no room in L1 for circular buffer %u between tiles", index);
    int bad = 0;
    for (uint32_t i = 0; i <= count && !bad; i++)
        bad = lay_out_remote(i < count ? receivers[i] : sender, &layout, places, index, i, err);
    return bad;
}

int64_t td_kernel_tile_semaphore(struct td_kernel_tile *tile, uint32_t value, struct td_err *err)
{
    const uint32_t number = tile->cores[0].env.sem_count;
    if (number >= SEMS_MAX)
        return td_fail(err, TD_E_LIMIT, "a tile has at most %u semaphores", SEMS_MAX);
    for (uint32_t core = 0; core < tile->device->board.core_count; core++)
        tile->cores[core].env.sem_count = number + 1;
    tile->sems[number][0] = value;
    return number;
}

static int set_args(struct td_kernel_tile *tile, uint32_t core, uint32_t which, const uint32_t *args,
                    size_t count, struct td_err *err)
{
    if (core >= tile->device->board.core_count || count > TD_KERNEL_ARGS_MAX)
        return td_fail(err, TD_E_USAGE,
                       "core %u with %zu arguments: cores are below %u, arguments at most %u", core, count,
                       tile->device->board.core_count, TD_KERNEL_ARGS_MAX);
    memcpy(tile->args[core][which], args, 4 * count);
    *(which ? &tile->cores[core].env.common_count : &tile->cores[core].env.arg_count) = (uint32_t)count;
    return 0;
}

int td_kernel_tile_args(struct td_kernel_tile *tile, uint32_t core, const uint32_t *args, size_t count,
                        struct td_err *err)
{
    return set_args(tile, core, 0, args, count, err);
}

int td_kernel_tile_common(struct td_kernel_tile *tile, uint32_t core, const uint32_t *args, size_t count,
                          struct td_err *err)
{
    return set_args(tile, core, 1, args, count, err);
}

uint32_t td_kernel_tile_env(const struct td_kernel_tile *tile, uint32_t core)
{
    return core_at(&tile->device->board, core);
}

/* ---- writing */

static int write_block(const struct td_kernel_tile *tile, uint32_t at, const void *from, size_t bytes,
                       struct td_err *err)
{
    return bytes ? td_device_write(tile->device, tile->chip, tile->x, tile->y, at, from, bytes, err) : 0;
}

static int write_args(const struct td_kernel_tile *tile, uint32_t core, struct td_err *err)
{
    const struct td_board *board = &tile->device->board;
    const struct td_kernel_env *env = &tile->cores[core].env;
    const int bad =
        write_block(tile, args_at(board, core, 0), tile->args[core][0], 4 * (size_t)env->arg_count, err);
    return bad ? bad
               : write_block(tile, args_at(board, core, 1), tile->args[core][1],
                             4 * (size_t)env->common_count, err);
}

/* NoC places of the chip's DRAM banks and of its Tensix tiles. */
static int write_banks(const struct td_kernel_tile *tile, struct td_err *err)
{
    const struct td_board *board = &tile->device->board;
    struct td_kernel_banks *banks = calloc(1, banks_bytes(board));
    if (!banks)
        return td_fail_no_memory(err, "for the arguments of kernels");
    *banks = (struct td_kernel_banks){.dram_count = board->dram_banks,
                                      .dram_align = DRAM_ALIGN,
                                      .l1_count = board->grid_width * board->grid_height,
                                      .l1_align = L1_ALIGN};
    uint32_t *xy = banks->xy;
    for (uint32_t i = 0; i < board->dram_banks; i++)
        *xy++ = TD_NOC_XY((uint32_t)board->dram_x[i], (uint32_t)board->dram_y[i]);
    for (uint32_t i = 0; i < banks->l1_count; i++) {
        const struct td_tile_at at =
            td_board_tile(board, tile->chip, i % board->grid_width, i / board->grid_width);
        *xy++ = TD_NOC_XY((uint32_t)at.x, (uint32_t)at.y);
    }
    const int bad = write_block(tile, banks_at(board), banks, banks_bytes(board), err);
    free(banks);
    return bad;
}

int td_kernel_tile_write(struct td_kernel_tile *tile, struct td_err *err)
{
    const struct td_board *board = &tile->device->board;
    int bad = write_banks(tile, err);
    for (uint32_t core = 0; core < board->core_count && !bad; core++)
        bad = write_args(tile, core, err);
    bad =
        bad ? bad
            : write_block(tile, core_at(board, 0), tile->cores, board->core_count * sizeof *tile->cores, err);
    bad = bad ? bad : write_block(tile, sems_at(board), tile->sems, sizeof tile->sems, err);
    bad = bad ? bad : write_block(tile, table_at(board), tile->table, sizeof tile->table, err);
    bad = bad ? bad : write_block(tile, mailboxes_at(board), mailboxes, sizeof mailboxes, err);
    for (uint32_t i = 0; i < TD_KERNEL_CBS && !bad; i++)
        if (tile->cbs[i].remote)
            bad =
                write_block(tile, tile->cbs[i].address, tile->cbs[i].remote, tile->cbs[i].remote_bytes, err);
        else if (tile->cbs[i].address)
            bad = write_block(tile, tile->cbs[i].address, &tile->cbs[i].cb, sizeof tile->cbs[i].cb, err);
    return bad;
}

struct td_kernel_page td_kernel_dram_page(const struct td_board *board, uint64_t base, uint32_t page_bytes,
                                          uint32_t page)
{
    const uint64_t stride = (page_bytes + DRAM_ALIGN - 1) / DRAM_ALIGN * (uint64_t)DRAM_ALIGN;
    return (struct td_kernel_page){page % board->dram_banks, base + page / board->dram_banks * stride};
}
