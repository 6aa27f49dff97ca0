/* Writes what is drawn as SVG: rectangles, lines, curves and text. Coordinates are pixels of the window; the
 * picture's upper left corner is at the place that td_svg_open() was given. */
#ifndef TD_HOST_VIEWER_UI_SVG_H
#define TD_HOST_VIEWER_UI_SVG_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#include "host/base/err.h"

struct td_svg;

/* NULL: *err says why. */
struct td_svg *td_svg_open(const char *path, struct td_err *err);
/* 0, or TD_E_IO: the file is not whole. Frees `svg`. */
int td_svg_close(struct td_svg *svg, struct td_err *err);

/* Begins the picture: its place in the window, and its background. Called once. */
void td_svg_begin(struct td_svg *svg, float x, float y, float w, float h, uint32_t fill);
void td_svg_rect(struct td_svg *svg, float x0, float y0, float x1, float y1, uint32_t color, float rounding);
void td_svg_frame(struct td_svg *svg, float x0, float y0, float x1, float y1, uint32_t color, float rounding,
                  float thickness);
/* Points are pairs x, y. */
void td_svg_polyline(struct td_svg *svg, const float *xy, int points, uint32_t color, float thickness);
void td_svg_polygon(struct td_svg *svg, const float *xy, int points, uint32_t color);
void td_svg_bezier(struct td_svg *svg, const float xy[8], uint32_t color, float thickness);
/* Fills the area between a polyline and y = base. */
void td_svg_area(struct td_svg *svg, const float *xy, int points, float base, uint32_t color);
/* `y` is that of the baseline; `whole`: of a shortened text, NULL: it is not shortened. */
void td_svg_text(struct td_svg *svg, float x, float y, float size, float width, bool bold, uint32_t color,
                 const char *text, size_t bytes, const char *whole);
/* What is drawn until the matching td_svg_unclip() is cut; clips nest. */
void td_svg_clip(struct td_svg *svg, float x0, float y0, float x1, float y1);
void td_svg_unclip(struct td_svg *svg);
#ifdef __cplusplus
}
#endif
#endif
