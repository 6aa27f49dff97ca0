/* The table of panels. */
#include "host/viewer/model/panel.h"

const struct td_panel *const td_panels[TD_PANEL_COUNT] = {
#define TD_X(id, name) &td_panel_##name,
    TD_PANELS(TD_X)
#undef TD_X
};
