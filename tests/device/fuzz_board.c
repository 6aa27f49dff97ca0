/* Board descriptions: any text is an error with a message, or a board that holds together. */
#include "host/device/board.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    struct td_board board;
    struct td_err err = {0};
    int rc = td_board_parse(&board, text, "fuzz", size & 1 ? "2x1" : NULL, &err);
    if ((rc != 0) != (err.text[0] != 0))
        abort();
    if (rc == 0 &&
        (board.core_count == 0 || board.core_count > TD_MAX_CORES || board.grid_width == 0 ||
         td_board_ring(&board, board.core_count) > board.data_base ||
         td_board_tile(&board, 0, board.grid_width - 1, board.grid_height - 1).x >= board.noc_width))
        abort();
    free(text);
    return 0;
}
