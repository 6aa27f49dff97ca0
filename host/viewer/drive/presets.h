/* Layouts to choose from: which panels are open. */
#pragma once
struct td_view;

#define TD_PRESETS 4

/* 1 to TD_PRESETS. Panels that this program lacks are left out. */
void td_preset_show(struct td_view *view, int number);
const char *td_preset_name(int number); /* NULL: there is none */
