/* The themes of the viewer: the colours of its parts. */
#pragma once
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef uint32_t td_rgba; /* 0xAARRGGBB */

/* X(name, dark, contrast, light): the themes. Of the texts, TEXT to KERNEL, each has a contrast of at least 4.5:1 on all
 * backgrounds, BACK to CHOSEN; a test counts it. ACCENT marks what is chosen or can be clicked, MATCH what was searched
 * for. Colours of data are in data_colors.h. */
/* clang-format off */
#define TD_THEME(X)                                          \
    X(BACK,       0xff101318u, 0xff000000u, 0xfff7f8fau) \
    X(BAR,        0xff1a1e26u, 0xff10141au, 0xffe9ecf1u) \
    X(GUTTER,     0xff161a21u, 0xff000000u, 0xffeef0f4u) \
    X(GROUP,      0xff1d222bu, 0xff10141au, 0xffe3e7eeu) \
    X(CLOSED,     0xff14181fu, 0xff050709u, 0xfff1f3f7u) \
    X(TRACK_EDGE, 0xff1c2129u, 0xff5a6675u, 0xffdfe4ebu) \
    X(EDGE,       0xff2b323eu, 0xff5a6675u, 0xffc3cad6u) \
    X(GRID,       0xff1b2028u, 0xff1b2028u, 0xffe7eaf0u) \
    X(PANEL,      0xff1e232cu, 0xff10141au, 0xfffbfcfdu) \
    X(STRIPE,     0xff20252eu, 0xff161b22u, 0xfff1f3f7u) \
    X(RAISED,     0xff252b35u, 0xff1a2028u, 0xffffffffu) \
    X(LIT,        0xff2d3541u, 0xff2a333eu, 0xffd3deeau) \
    X(CHOSEN,     0xff25384au, 0xff17384du, 0xffc6dbebu) \
    X(FIELD,      0xff15181eu, 0xff000000u, 0xffffffffu) \
    X(BUTTON,     0xff2a303bu, 0xff232a34u, 0xffe4e8eeu) \
    X(TEXT,       0xffd9dee7u, 0xffffffffu, 0xff1b2230u) \
    X(TEXT_DIM,   0xffb3bccbu, 0xffdde3ecu, 0xff3f4a5au) \
    X(TEXT_FAINT, 0xff98a2b2u, 0xffc4cddau, 0xff4f5a6bu) \
    X(ACCENT,     0xff7cc0e0u, 0xff8fd0eeu, 0xff0f5c84u) \
    X(SHARE,      0xff3c7396u, 0xff4a8bb3u, 0xff5e9cc2u) \
    X(DENSITY,    0xff5f9fc4u, 0xff5f9fc4u, 0xff4d90b8u) \
    X(HOST,       0xff8cc3a2u, 0xff8cc3a2u, 0xff4f9a70u) \
    X(WAIT,       0xffb0413eu, 0xffc04f4bu, 0xffd85a4cu) \
    X(LOST,       0xffff79a6u, 0xffff79a6u, 0xffa80a86u) \
    X(STALL,      0xfff7b955u, 0xfff7b955u, 0xff573a06u) \
    X(MATCH,      0xffffd75eu, 0xffffd75eu, 0xff6b4e00u) \
    X(MESSAGE,    0xffe8c47bu, 0xffe8c47bu, 0xff6b4c00u) \
    X(READ,       0xff7fd6a0u, 0xff8fe6b0u, 0xff0a5f38u) \
    X(WRITTEN,    0xffff9f97u, 0xffffaaa2u, 0xff96231au) \
    X(LIBRARY,    0xffb9acf5u, 0xffcabfffu, 0xff55389bu) \
    X(KERNEL,     0xffff9f97u, 0xffff9f97u, 0xff96231au) \
    X(FLOW,       0xffe6edf5u, 0xffe6edf5u, 0xff2b3a4du) \
    X(NOC0,       0xff5fe0d0u, 0xff5fe0d0u, 0xff005f6bu) \
    X(NOC1,       0xffe8904au, 0xffe8904au, 0xff8a4400u) \
    X(SELECTED,   0xffffffffu, 0xffffffffu, 0xff101318u) \
    X(HOVER,      0x14ffffffu, 0x20ffffffu, 0x14000000u)
/* clang-format on */
enum td_theme_index {
#define TD_X(name, dark, contrast, light) TD_THEME_##name,
    TD_THEME(TD_X)
#undef TD_X
        TD_THEME_COLORS
};
enum td_theme_kind { TD_THEME_DARK, TD_THEME_CONTRAST, TD_THEME_LIGHT, TD_THEME_KINDS };
td_rgba td_theme(enum td_theme_index index);
/* From now on. Not thread-safe. */
void td_theme_choose(enum td_theme_kind kind);
#define TD_C(name) td_theme(TD_THEME_##name)
#ifdef __cplusplus
}
#endif
