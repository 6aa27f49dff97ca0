/* What a trace notes about the NoC of a chip (TD_NOTE_CHIP_MAP), as one line: its size, where the logical
 * columns and rows are, and what is at each place, row by row from above, each from left.
 *
 *   chip 0 map 4x3 columns 1,3 rows 1-2 tiles D.EE/DTxT/ATxT
 *
 * Tracks of cores have logical coordinates. Logical tile x,y is at place column_x[x], row_y[y]. A map that was
 * read is whole: exactly these places are TD_PLACE_TENSIX, and no column or row is in its list twice. */
#pragma once
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define TD_CHIP_MAP_SIZE  64   /* most columns or rows */
#define TD_CHIP_MAP_BYTES 5000 /* room for any map as text */

/* X(ID, letter, name). A relay is a Tensix tile that no program uses: its core gathers the lanes of others. */
/* clang-format off */
#define TD_CHIP_PLACES(X)                        \
    X(ROUTER,    '.', "router")           \
    X(TENSIX,    'T', "Tensix")           \
    X(HARVESTED, 'x', "harvested Tensix") \
    X(RELAY,     'R', "relay")            \
    X(DRAM,      'D', "DRAM")             \
    X(ETHERNET,  'E', "Ethernet")         \
    X(PCIE,      'P', "PCIe")             \
    X(ARC,       'A', "ARC")
/* clang-format on */
enum td_chip_place {
#define TD_X(id, letter, name) TD_PLACE_##id,
    TD_CHIP_PLACES(TD_X)
#undef TD_X
        TD_PLACE_COUNT
};

struct td_chip_map {
    uint32_t chip;
    uint32_t width, height; /* 1 to TD_CHIP_MAP_SIZE */
    uint32_t columns, rows; /* logical ones: 1 to width, 1 to height */
    uint8_t column_x[TD_CHIP_MAP_SIZE], row_y[TD_CHIP_MAP_SIZE];
    uint8_t place[TD_CHIP_MAP_SIZE][TD_CHIP_MAP_SIZE]; /* enum td_chip_place of [y][x] */
};

static inline char td_chip_place_letter(enum td_chip_place place)
{
    static const char letters[] = {
#define TD_X(id, letter, name) letter,
        TD_CHIP_PLACES(TD_X)
#undef TD_X
    };
    return letters[place];
}

static inline const char *td_chip_place_name(enum td_chip_place place)
{
    static const char *const names[] = {
#define TD_X(id, letter, name) name,
        TD_CHIP_PLACES(TD_X)
#undef TD_X
    };
    return names[place];
}

/* "1-4,6-9": each run of numbers that rise by one. Returns the bytes written. */
static inline size_t td_chip_list_text(char *text, size_t room, const uint8_t *list, uint32_t count)
{
    size_t used = 0;
    for (uint32_t i = 0, last; i < count && used + 8 < room; i = last + 1) {
        for (last = i; last + 1 < count && list[last + 1] == list[last] + 1;)
            last++;
        used += (size_t)snprintf(text + used, room - used, "%s%d", i ? "," : "", list[i]);
        if (last > i)
            used += (size_t)snprintf(text + used, room - used, "-%d", list[last]);
    }
    return used;
}

/* A NUL-terminated line; the map is whole. */
static inline void td_chip_map_text(char text[TD_CHIP_MAP_BYTES], const struct td_chip_map *m)
{
    const size_t room = TD_CHIP_MAP_BYTES;
    size_t used = (size_t)snprintf(text, room, "chip %" PRIu32 " map %" PRIu32 "x%" PRIu32, m->chip, m->width,
                                   m->height);
    used += (size_t)snprintf(text + used, room - used, " columns ");
    used += td_chip_list_text(text + used, room - used, m->column_x, m->columns);
    used += (size_t)snprintf(text + used, room - used, " rows ");
    used += td_chip_list_text(text + used, room - used, m->row_y, m->rows);
    used += (size_t)snprintf(text + used, room - used, " tiles ");
    for (uint32_t y = 0; y < m->height; y++) {
        if (y)
            text[used++] = '/';
        for (uint32_t x = 0; x < m->width; x++)
            text[used++] = td_chip_place_letter((enum td_chip_place)m->place[y][x]);
    }
    text[used] = 0;
}

/* ---- reading; each moves *at after what it read ---- */

static inline bool td_chip_map_skip(const char **at, const char *word)
{
    const size_t bytes = strlen(word);
    if (strncmp(*at, word, bytes) != 0)
        return false;
    *at += bytes;
    return true;
}

/* A number up to `most`, of at most 9 digits. */
static inline bool td_chip_map_number(const char **at, uint32_t most, uint32_t *number)
{
    const char *from = *at;
    for (*number = 0; **at >= '0' && **at <= '9' && *at - from < 9; ++*at)
        *number = *number * 10 + (uint32_t)(**at - '0');
    return *at > from && *number <= most;
}

/* Numbers below `size`, each at most once. */
static inline bool td_chip_map_list(const char **at, uint32_t size, uint8_t *list, uint32_t *count)
{
    uint64_t had = 0;
    *count = 0;
    do {
        uint32_t first, last;
        if (!td_chip_map_number(at, size - 1, &first))
            return false;
        last = first;
        if (td_chip_map_skip(at, "-") && (!td_chip_map_number(at, size - 1, &last) || last <= first))
            return false;
        for (; first <= last; first++) {
            if (had >> first & 1)
                return false;
            had |= UINT64_C(1) << first;
            list[(*count)++] = (uint8_t)first;
        }
    } while (td_chip_map_skip(at, ","));
    return true;
}

static inline bool td_chip_map_tiles(const char **at, struct td_chip_map *m)
{
    for (uint32_t y = 0; y < m->height; y++) {
        if (y && !td_chip_map_skip(at, "/"))
            return false;
        for (uint32_t x = 0; x < m->width; x++, ++*at) {
            uint8_t place = 0;
            while (place < TD_PLACE_COUNT && td_chip_place_letter((enum td_chip_place)place) != **at)
                place++;
            if (place == TD_PLACE_COUNT)
                return false;
            m->place[y][x] = place;
        }
    }
    return !**at;
}

/* All places of the lists are Tensix tiles, and no others are. */
static inline bool td_chip_map_is_whole(const struct td_chip_map *m)
{
    uint32_t tensix = 0;
    for (uint32_t y = 0; y < m->height; y++)
        for (uint32_t x = 0; x < m->width; x++)
            tensix += m->place[y][x] == TD_PLACE_TENSIX;
    for (uint32_t y = 0; y < m->rows; y++)
        for (uint32_t x = 0; x < m->columns; x++)
            if (m->place[m->row_y[y]][m->column_x[x]] != TD_PLACE_TENSIX)
                return false;
    return tensix == m->columns * m->rows;
}

/* False: the text has another form, or is no whole map. */
static inline bool td_chip_map_read(const char *text, struct td_chip_map *m)
{
    const uint32_t size = TD_CHIP_MAP_SIZE;
    memset(m, 0, sizeof *m);
    return td_chip_map_skip(&text, "chip ") && td_chip_map_number(&text, UINT32_MAX, &m->chip) &&
           td_chip_map_skip(&text, " map ") && td_chip_map_number(&text, size, &m->width) &&
           td_chip_map_skip(&text, "x") && td_chip_map_number(&text, size, &m->height) && m->width &&
           m->height && td_chip_map_skip(&text, " columns ") &&
           td_chip_map_list(&text, m->width, m->column_x, &m->columns) && td_chip_map_skip(&text, " rows ") &&
           td_chip_map_list(&text, m->height, m->row_y, &m->rows) && td_chip_map_skip(&text, " tiles ") &&
           td_chip_map_tiles(&text, m) && td_chip_map_is_whole(m);
}
