/* Parses any text as a board description. The result is an error with a message, or a consistent board whose
 * flat text describes the same board. base= finds only the two texts below, never a file. */
#include "host/device/board/board.h"
#include "host/device/board/coordinates.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char low[] = "[board]\nname=low\ntransports=shm\nchips=2\n[clock]\nfrequency_mhz=1\nlow="
                          "0xFFB121F0\nlive_high=0xFFB121F4\n"
                          "[reset]\nsoft_reset=0xFFB121B0\n[noc]\nwidth=9\nheight=9\n[grid]\ncolumns=1-"
                          "4\nrows=1-4\nharvest_axis=rows\n"
                          "harvest_order=4,1,3,2\ndefault=1x1\ntranslated_columns=11-14\ntranslated_rows=11-"
                          "14\n[tensix]\nl1_base=0\n"
                          "l1_bytes=65536\nlane_base=0\nring_slots=64\ndata_base=32768\n[core "
                          "A]\nreset_bit=0\nstart=4096\ncode_base=4096\n"
                          "code_bytes=4096\nlocal_base=0xFFB00000\nlocal_bytes=4096\n[dram]\nbanks=1\nbank_"
                          "bytes=4096\npositions=0,0\n";

/* The text "self" has itself as base: a circle. */
static char *read_base(void *self, const char *name, const char *from, char *origin, size_t bytes,
                       struct td_err *err)
{
    snprintf(origin, bytes, "%s", name);
    if (strcmp(name, "low") == 0)
        return strdup(low);
    if (strcmp(name, "self") == 0)
        return strdup("[board]\nname=self\nbase=self\n");
    td_fail(err, TD_E_NOTFOUND, "there is none");
    return NULL;
}

static void check_tiles(const struct td_board *b)
{
    for (uint32_t chip = 0; chip < b->chips; chip++)
        for (uint32_t y = 0; y < b->chip[chip].rows; y++)
            for (uint32_t x = 0; x < b->chip[chip].columns; x++) {
                uint32_t nx, ny;
                struct td_tile_at at = td_board_tile(b, chip, x, y);
                char name[40];
                const enum td_coordinate_kind kind =
                    b->translated_addresses ? TD_COORDINATE_TRANSLATED : TD_COORDINATE_NOC0;
                if (td_coordinate(b, chip, TD_COORDINATE_LOGICAL, x, y, kind, &nx, &ny, NULL) || nx != at.x ||
                    ny != at.y ||
                    td_coordinate(b, chip, TD_COORDINATE_LOGICAL, x, y, TD_COORDINATE_NOC0, &nx, &ny, NULL) ||
                    nx >= b->noc_width || ny >= b->noc_height ||
                    strncmp(td_tile_name(b, chip, nx, ny, name, sizeof name), "Tensix ", 7) != 0)
                    abort();
            }
}

static void check_board(const struct td_board *b, const char *flat)
{
    if (b->core_count == 0 || b->core_count > TD_MAX_CORES || b->grid_width == 0 || b->chips == 0 ||
        td_board_ring(b, b->core_count) > b->data_base || b->window_count > TD_MAX_WINDOWS)
        abort();
    check_tiles(b);
    struct td_board *again = malloc(sizeof *again);
    struct td_err err = {0};
    if (!again)
        return;
    if (td_board_parse(again, flat, "flat", NULL, &err) || strcmp(again->name, b->name) != 0 ||
        again->core_count != b->core_count || memcmp(again->chip, b->chip, sizeof b->chip) != 0)
        abort();
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct td_board_bases bases = {read_base, NULL};
    char *text = malloc(size + 1), *flat = NULL;
    struct td_board *board = malloc(sizeof *board);
    struct td_err err = {0};
    if (text && board) {
        memcpy(text, data, size);
        text[size] = 0;
        int rc = td_board_parse_based(board, text, "fuzz", size & 1 ? "2x1" : NULL, &bases, &flat, &err);
        if ((rc != 0) != (err.text[0] != 0) || (rc == 0) != (flat != NULL))
            abort();
        /* The grid given to the parser is not in the flat text. */
        if (rc == 0)
            check_board(board, flat);
    }
    free(flat);
    free(board);
    free(text);
    return 0;
}
