#include "host/viewer/ui/theme.h"

static enum td_theme_kind chosen;

void td_theme_choose(enum td_theme_kind kind)
{
    chosen = kind;
}

td_rgba td_theme(enum td_theme_index index)
{
    static const td_rgba colors[][TD_THEME_KINDS] = {
#define TD_X(name, dark, contrast, light) {dark, contrast, light},
        TD_THEME(TD_X)
#undef TD_X
    };
    return colors[index][chosen];
}
