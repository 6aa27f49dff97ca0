/* Reads any text as the map of a chip. What is read is within its arrays, and its text gives it again. */
#include "proto/chip_map.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_map(const struct td_chip_map *m)
{
    struct td_chip_map again;
    char text[TD_CHIP_MAP_BYTES];
    if (!m->width || m->width > TD_CHIP_MAP_SIZE || !m->height || m->height > TD_CHIP_MAP_SIZE ||
        !m->columns || m->columns > m->width || !m->rows || m->rows > m->height)
        abort();
    for (uint32_t i = 0; i < m->columns; i++)
        if (m->column_x[i] >= m->width)
            abort();
    for (uint32_t i = 0; i < m->rows; i++)
        if (m->row_y[i] >= m->height)
            abort();
    td_chip_map_text(text, m);
    if (strlen(text) >= sizeof text || !td_chip_map_read(text, &again) ||
        memcmp(m, &again, sizeof again) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct td_chip_map map;
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0;
    if (td_chip_map_read(text, &map))
        check_map(&map);
    free(text);
    return 0;
}
