/* td_ldgen BOARD FOLDER: writes the linker script of each core of a board, FOLDER/CORE.ld, from its
 * description. */
#include "host/base/err.h"
#include "host/device/board/board.h"
#include "proto/device/lane.h"
#include "proto/device/packet.h"
#include "proto/device/site.h"
#include "proto/device/stamp.h"
#include "riscv/rt_words.h"

#include <ctype.h>
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
        {"td_noc_regs", b->noc_regs},
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
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        fprintf(f, "%s = 0x%x;\n", symbols[i].symbol, symbols[i].value);
    for (int i = 0; i < NAME_BYTES / 4; i++) {
        uint32_t word;
        memcpy(&word, name + 4 * i, 4);
        fprintf(f, "td_kernel_name_%d = 0x%x;\n", i, word);
    }
    fprintf(f, "INCLUDE kernel.ld\n");
}

int main(int argc, char **argv)
{
    struct td_board board;
    struct td_err err = {0};
    if (argc != 3) {
        fprintf(stderr, "usage: td_ldgen BOARD FOLDER\n");
        return 2;
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
