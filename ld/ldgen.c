/* The program td_ldgen, which writes a board's linker scripts. */
#include "host/base/err.h"
#include "host/base/options.h"
#include "host/device/board/board.h"
#include "host/device/image/core_load.h"
#include "proto/device/lane.h"
#include "proto/device/noc.h"
#include "proto/device/packet.h"
#include "proto/device/site.h"
#include "proto/device/stamp.h"
#include "riscv/rt_words.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define NAME_BYTES 28 /* words td_kernel_name_0..6 of ld/kernel.ld */

/* The kernel zone's name: BRISC-KERNEL, and TRISC-KERNEL for each of TRISC0, TRISC1 ... */
static void zone_name(const char *core, char name[NAME_BYTES])
{
    int length = (int)strlen(core);
    while (length > 1 && isdigit((unsigned char)core[length - 1]))
        length--;
    memset(name, 0, NAME_BYTES);
    snprintf(name, NAME_BYTES, "%.*s-KERNEL", length, core);
}

/* Offsets that are the same in both chips, or not. */
enum {
#define TD_X(name, wormhole, blackhole, what) WORMHOLE_##name = (wormhole), BLACKHOLE_##name = (blackhole),
    TD_NIU_REGS(TD_X)
#undef TD_X
        NO_COLUMNS = WORMHOLE_ROUTER_CFG_1,
    NO_ROWS = WORMHOLE_ROUTER_CFG_3
};

static uint32_t own_place_register(const struct td_board *b)
{
    if (b->niu == TD_NIU_WORMHOLE)
        return b->translated_addresses ? WORMHOLE_ID_LOGICAL : WORMHOLE_NODE_ID;
    return b->translated_addresses ? BLACKHOLE_ID_LOGICAL : BLACKHOLE_NODE_ID;
}

/* Tensix columns as kernels call them, where that does not depend on which ones a chip lacks. */
static uint32_t columns_without_tiles(const struct td_board *b)
{
    uint32_t with = 0;
    for (uint32_t i = 0; i < b->translated_columns; i++)
        with |= UINT32_C(1) << (b->translated_x[i] & 31);
    return b->translated_addresses ? ~with : 0;
}

/* Which registers of the NoC interfaces are this core's (target/include/tendril/noc.h). On boards whose tiles
 * have two NIUs, the first two cores have an initiator of each, the next two one of NoC 0, the others one of
 * NoC 1. */
static void write_niu(FILE *f, const struct td_board *b, uint32_t core)
{
    enum { BOTH = 2, NOC_1 = 4 };
    const bool is_shared = b->niu != TD_NIU_CORE, is_noc1 = is_shared && core >= NOC_1;
    const bool is_wormhole = b->niu == TD_NIU_WORMHOLE;
    const uint32_t number = !is_shared ? 0 : is_noc1 ? core - NOC_1 + BOTH : core;
    const uint32_t niu = b->noc_regs + (is_noc1 ? TD_NIU_BYTES : 0);
    const uint32_t own = niu + number * TD_NIU_STRIDE(b->niu);
    const struct {
        const char *symbol;
        uint32_t value;
    } symbols[] = {
#define TD_X(name, wormhole, blackhole, what) {#name, own + (is_wormhole ? (wormhole) : (blackhole))},
        TD_NIU_INITIATOR_REGS(TD_X)
#undef TD_X
#define TD_X(name, wormhole, blackhole, what) {#name, niu + (is_wormhole ? (wormhole) : (blackhole))},
            TD_NIU_REGS(TD_X)
#undef TD_X
                {"is_noc1", is_noc1},
        {"other", is_shared && core >= BOTH ? 0 : TD_NIU_BYTES / 4},
        {"mirrored", td_board_first_translated(b)},
        {"last_place", (b->noc_width - 1) | (b->noc_height - 1) << 6},
        {"place_shift", TD_NIU_PLACE_SHIFT(b->niu)},
        {"packet", TD_NIU_PACKET(b->niu)},
        {"first_id", 1 + 3 * number},
        {"holes", columns_without_tiles(b)},
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        fprintf(f, "td_niu_%s = 0x%x;\n", symbols[i].symbol, symbols[i].value);
    fprintf(f, "td_niu_own_place = 0x%x + 0x%x;\n", b->noc_regs, own_place_register(b));
    fprintf(f, "td_niu_no_columns = 0x%x;\ntd_niu_no_rows = 0x%x;\n", b->noc_regs + NO_COLUMNS,
            b->noc_regs + NO_ROWS);
}

static void write_script(FILE *f, const struct td_board *b, uint32_t core)
{
    const struct td_core_desc *c = &b->cores[core];
    char name[NAME_BYTES];
    zone_name(c->name, name);
    fprintf(f, "/* %s of board %s: made by td_ldgen, do not edit. */\n", c->name, b->name);
    fprintf(f, "MEMORY\n{\n    l1 (rwx) : ORIGIN = 0x%x, LENGTH = 0x%x\n", c->code_base, c->code_bytes);
    fprintf(f, "    local (rw) : ORIGIN = 0x%x, LENGTH = 0x%x\n}\n", c->local_base, c->local_bytes);
    const struct {
        const char *symbol;
        uint32_t value;
    } symbols[] = {
        {"td_core", core},
        {"td_lane_base", b->lane_base},
        {"td_lane", td_board_lane_ctrl(b, core)},
        {"td_ring", td_board_ring(b, core)},
        {"td_ring_end", td_board_ring(b, core) + b->ring_slots * TD_SLOT_BYTES},
        {"td_ring_slots", b->ring_slots},
        {"td_data_base", b->data_base},
        {"td_clock_low", b->clock_low},
        {"td_clock_live_high", b->clock_live_high},
        {"td_fence_word", td_board_fence_word(b)},
        {"td_stamp_register", b->stamp_register},
        {"td_stamp_core", core << TD_STAMP_CORE_SHIFT},
        {"td_open_base", td_board_open(b, core)},
        {"td_open_bytes", td_board_open_bytes(b)},
        {"td_rt_bytes", TD_RT_BYTES},
        {"td_rt_gp_offset", TD_RT_GP_OFFSET},
        {"td_id_base", TD_ID_BASE},
        {"td_string_base", TD_STRING_BASE},
        {"td_id_limit", (uint32_t)TD_SHORT_ID_COUNT * TD_ID_STRIDE},
        {"td_image_magic", TD_IMAGE_MAGIC},
        {"td_image_version", TD_DEVICE_PROTO_VERSION},
        {"td_image_chip", td_core_load_chip(b) << TD_IMAGE_CHIP_BIT},
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        fprintf(f, "%s = 0x%x;\n", symbols[i].symbol, symbols[i].value);
    if (b->noc_regs)
        write_niu(f, b, core);
    for (int i = 0; i < NAME_BYTES / 4; i++) {
        uint32_t word;
        memcpy(&word, name + 4 * i, 4);
        fprintf(f, "td_kernel_name_%d = 0x%x;\n", i, word);
    }
    fprintf(f, "INCLUDE kernel.ld\n");
}

static bool parse(int argc, char **argv, struct td_command_args *args, struct td_err *err)
{
    static const struct td_option options[] = {{0}};
    const struct td_command_line line = {
        .name = "td_ldgen",
        .usage = "BOARD FOLDER",
        .summary = "Writes the linker script of each core of a board, FOLDER/CORE.ld, from its description.",
        .options = options,
        .min_args = 2,
        .max_args = 2,
        .details = "BOARD is a name, or the path of a description. FOLDER has to exist.\n"
                   "\n"
                   "  td_ldgen pair.board .",
    };
    return td_command_parse(&line, argc, argv, args, err);
}

int main(int argc, char **argv)
{
    struct td_board board;
    struct td_err err = {0};
    struct td_command_args args;
    if (!parse(argc, argv, &args, &err)) {
        if (args.rc)
            fprintf(stderr, "td_ldgen: %s\n", err.text);
        return args.rc ? 2 : 0;
    }
    if (td_board_load(&board, argv[1], NULL, NULL, &err)) {
        fprintf(stderr, "td_ldgen: %s\n", err.text);
        return 1;
    }
    for (uint32_t i = 0; i < board.core_count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.ld", argv[2], board.cores[i].name);
        FILE *f = fopen(path, "we");
        if (!f) {
            perror(path);
            return 1;
        }
        write_script(f, &board, i);
        int bad = ferror(f);
        if (fclose(f) || bad) {
            fprintf(stderr, "td_ldgen: cannot write %s\n", path);
            return 1;
        }
    }
    return 0;
}
