/* What can be clicked in a frame, for programs that drive the viewer: buttons, fields and areas. */
#pragma once
#include "host/viewer/ui/imgui_shim.h"
#ifdef __cplusplus
extern "C" {
#endif

struct td_ui_control {
    const char *region, *name;      /* the region's id; the label or id */
    float left, top, right, bottom; /* the visible part */
};

/* Those of the last finished frame, valid until the next one. They are noted from the first call on, which has none. */
size_t td_ui_controls(struct td_ui *ui, const struct td_ui_control **controls);
#ifdef __cplusplus
}
#endif
