/* Whether the user sits at the desktop of this machine. */
#pragma once
#include <stdbool.h>
#ifdef __cplusplus
extern "C" {
#endif
struct td_ui;

/* False: there is no window, or it is drawn for a screen elsewhere. */
bool td_ui_has_desktop(const struct td_ui *ui);
#ifdef __cplusplus
}
#endif
