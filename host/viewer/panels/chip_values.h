/* What the map of the chips shows of each core: a measure of the chosen range, and its colour. */
#pragma once
#include "host/query/ops/grid.h"
#include "host/viewer/ui/color.h"

struct td_view;

/* X(ID, name, colour, a share of the range, word of commands) */
/* clang-format off */
#define TD_CHIP_MEASURES(X)                           \
    X(BUSY,    "Busy",    0xff5fb2e0u, true, busy)  \
    X(WAIT,    "Wait",    0xffe0605cu, true, wait)  \
    X(LOST,    "Lost",    0xffff2d78u, true, lost)  \
    X(ZONES,   "Zones",   0xff8fd18au, false, zones) \
    X(LONGEST, "Longest", 0xffe8c47bu, false, longest) \
    X(END,     "End",     0xffc59be8u, false, end) \
    X(NAMED,   "Found",   0xffffd75eu, true, found)  \
    X(NOC,     "NoC",     0xff8d9bf0u, false, noc)
/* clang-format on */
enum td_chip_measure {
#define TD_X(id, name, color, share, word) TD_MEASURE_##id,
    TD_CHIP_MEASURES(TD_X)
#undef TD_X
        TD_MEASURE_COUNT
};

struct td_chip_values {       /* all zero: busy shares, not made yet */
    struct td_chip_maps maps; /* of the trace */
    struct td_grid grid;
    uint64_t grid_key, key; /* of what the grid and the values are made of */
    enum td_chip_measure measure;
    double *value; /* of each track; NAN: no zones */
    uint32_t tracks;
    double low, high; /* of the lanes that pass the filter */
    char named[128];  /* the text that TD_MEASURE_NAMED counts */
};

const char *td_chip_measure_name(enum td_chip_measure measure);
/* What the measure says, in a few words. */
const char *td_chip_measure_note(const struct td_chip_values *values);
/* Brings grid and values up to date with the range, the filter and the search. */
void td_chip_values_update(struct td_view *view, struct td_chip_values *values);
void td_chip_values_free(struct td_chip_values *values);
/* The value as text, in `text` of TD_FORMAT_BYTES. */
const char *td_chip_value_text(const struct td_view *view, enum td_chip_measure measure, double value,
                               char *text);
/* The value of a tile as a whole: shares are means over its cores that pass, else the greatest counts. */
double td_chip_tile_value(const struct td_view *view, const struct td_chip_values *values,
                          const struct td_grid_tile *tile, bool *passes);
/* The colour of a value, and of a part (0 to 1) of the scale. */
td_rgba td_chip_color(const struct td_chip_values *values, double value, bool passes);
td_rgba td_chip_scale_color(enum td_chip_measure measure, double part);
