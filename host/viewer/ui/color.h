/* Colours of the viewer: 0xAARRGGBB. Pure functions but for td_theme_contrast(). */
#pragma once
#include "host/trace/trace.h"

typedef uint32_t td_rgba;

/* X(name, value): the viewer's theme. */
/* clang-format off */
#define TD_THEME(X)                    \
    X(BACK,        0xff101318u)        \
    X(BAR,         0xff1a1e26u)        \
    X(GUTTER,      0xff161a21u)        \
    X(GROUP,       0xff1d222bu)        \
    X(TRACK_EDGE,  0xff1c2129u)        \
    X(EDGE,        0xff2b323eu)        \
    X(GRID,        0xff1b2028u)        \
    X(HOVER,       0x14ffffffu)        \
    X(PANEL,       0xff1e232cu)        \
    X(TEXT,        0xffd9dee7u)        \
    X(TEXT_DIM,    0xff98a2b3u)        \
    X(TEXT_FAINT,  0xff6b7585u)        \
    X(ACCENT,      0xff6cb6d9u)        \
    X(DENSITY,     0xff5f9fc4u)        \
    X(WAIT,        0xffb0413eu)        \
    X(LOST,        0xffff2d78u)        \
    X(STALL,       0xfff0884du)        \
    X(MATCH,       0xffffd75eu)        \
    X(MESSAGE,     0xffe8c47bu)        \
    X(FLOW,        0xffe6edf5u)        \
    X(NOC0,        0xff4fd6a3u)        \
    X(NOC1,        0xfff0a45bu)        \
    X(SELECTED,    0xffffffffu)
/* clang-format on */
enum td_theme_index {
#define TD_X(name, value) TD_THEME_##name,
    TD_THEME(TD_X)
#undef TD_X
        TD_THEME_COLORS
};
td_rgba td_theme(enum td_theme_index index);
/* True: from now on, texts and edges are brighter and backgrounds darker. Not thread-safe. */
void td_theme_contrast(bool contrast);
#define TD_C(name) td_theme(TD_THEME_##name)

/* A palette colour; the same name has the same colour in every trace. */
td_rgba td_color_of_name(const char *name);
/* The zone's own colour, else its source location's, else the one of its name; opaque. */
td_rgba td_color_of_zone(const struct td_dict *dict, const struct td_zone *zone);
/* The colour that a user chose, opaque, and light enough to be seen on the background. */
td_rgba td_color_readable(td_rgba color);
/* a * (1 - part) + b * part, opaque. */
td_rgba td_color_mix(td_rgba a, td_rgba b, float part);
td_rgba td_color_alpha(td_rgba color, float alpha);
/* Near-black or near-white, whichever has more contrast on `fill`: at least 4.1:1. */
td_rgba td_color_text_on(td_rgba fill);
