/* Colours of the viewer: 0xAARRGGBB. Pure functions but for the theme that they use. */
#pragma once
#include "host/trace/trace.h"
#include "host/viewer/ui/theme.h"

/* A palette colour; the same name has the same colour in every trace. */
td_rgba td_color_of_name(const char *name);
/* The zone's own colour, else its source location's, else the one of its name; opaque. */
td_rgba td_color_of_zone(const struct td_dict *dict, const struct td_zone *zone);
/* The colour that a user chose, opaque, and light enough to be seen on the background. */
td_rgba td_color_readable(td_rgba color);
/* The same for a text or a line: its contrast with the panels of the theme is at least 4.5:1. */
td_rgba td_color_legible(td_rgba color);
/* From 1 to 21, as WCAG 2 counts it. */
float td_color_contrast(td_rgba a, td_rgba b);
/* a * (1 - part) + b * part, opaque. */
td_rgba td_color_mix(td_rgba a, td_rgba b, float part);
td_rgba td_color_alpha(td_rgba color, float alpha);
/* Near-black or near-white, whichever has more contrast on `fill`: at least 4.1:1. */
td_rgba td_color_text_on(td_rgba fill);
