/* qemu_virt_config BOARD HEADER LINKER_SCRIPT: what the probe's firmware has to know of the board's
 * description, for its compiler and its linker. */
#include "host/device/board/board.h"

#include <stdio.h>

#define RAM_BASE 0x80000000u /* where every hart begins */

static void write_header(FILE *f, const struct td_board *b)
{
    const struct td_tile_at tile = td_board_tile(b, 0, 0, 0);
    fprintf(f, "/* Board %s: made from its description, do not edit. */\n", b->name);
    fprintf(f, "#define BOARD_NAME \"%s\"\n#define BOARD_GRID \"%ux%u\"\n", b->name, b->grid_width,
            b->grid_height);
    fprintf(f, "#define BOARD_TILE_X %u\n#define BOARD_TILE_Y %u\n", tile.x, tile.y);
    fprintf(f, "#define BOARD_CLOCK_HZ %.0f\n", b->frequency_hz);
    fprintf(f, "#define BOARD_CLOCK_LOW 0x%x\n#define BOARD_CLOCK_HIGH 0x%x\n", b->clock_low,
            b->clock_live_high);
    fprintf(f, "#define BOARD_RESET_WORD 0x%x\n", b->soft_reset);
    fprintf(f, "#define BOARD_L1_BASE 0x%x\n#define BOARD_L1_BYTES 0x%x\n", b->l1_base, b->l1_bytes);
    fprintf(f, "#define BOARD_HARTS %u\n", b->core_count);
    fprintf(f, "/* X(hart, start address, address of its lane control words) */\n#define BOARD_HART_ROWS(X)");
    for (uint32_t i = 0; i < b->core_count; i++)
        fprintf(f, " \\\n    X(%u, 0x%x, 0x%x)", b->cores[i].reset_bit, b->cores[i].start,
                td_board_lane_ctrl(b, i));
    fprintf(f, "\n");
}

/* The probe has the RAM up to the first region with another owner. */
static void write_linker_script(FILE *f, const struct td_board *b)
{
    uint32_t end = b->l1_base;
    for (uint32_t i = 0; i < b->core_count; i++)
        end = b->cores[i].local_base < end ? b->cores[i].local_base : end;
    fprintf(f, "/* Board %s: made from its description, do not edit. */\n", b->name);
    fprintf(f, "MEMORY\n{\n    ram (rwx) : ORIGIN = 0x%x, LENGTH = 0x%x\n}\n", RAM_BASE, end - RAM_BASE);
    fprintf(f, "td_clock_low = 0x%x;\ntd_clock_live_high = 0x%x;\n", b->clock_low, b->clock_live_high);
    fprintf(f, "td_fence_word = 0x%x;\n", td_board_fence_word(b));
    fprintf(f, "INCLUDE probe.ld\n");
}

static int write_file(const char *path, const struct td_board *b,
                      void (*write)(FILE *, const struct td_board *))
{
    FILE *f = fopen(path, "we");
    if (!f) {
        perror(path);
        return 1;
    }
    write(f, b);
    int bad = ferror(f);
    if (fclose(f) || bad) {
        fprintf(stderr, "qemu_virt_config: cannot write %s\n", path);
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct td_board board;
    struct td_err err = {0};
    if (argc != 4) {
        fprintf(stderr, "usage: qemu_virt_config BOARD HEADER LINKER_SCRIPT\n");
        return 2;
    }
    if (td_board_load(&board, argv[1], NULL, NULL, &err)) {
        fprintf(stderr, "qemu_virt_config: %s\n", err.text);
        return 1;
    }
    for (uint32_t i = 0; i < board.core_count; i++)
        if (board.cores[i].reset_bit == 0) {
            fprintf(
                stderr,
                "qemu_virt_config: hart 0, bit 0 of the reset word, is the probe's and cannot be core %s\n",
                board.cores[i].name);
            return 1;
        }
    return write_file(argv[2], &board, write_header) || write_file(argv[3], &board, write_linker_script);
}
