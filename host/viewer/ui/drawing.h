/* Writes what is drawn as vectors: rectangles, lines, curves and text, to an SVG or PDF file. Coordinates are pixels
 * of the window; the drawing's upper left corner is at the place that td_drawing_begin() is given. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#include "host/base/err.h"

struct td_drawing;

enum td_drawing_kind { TD_DRAWING_SVG, TD_DRAWING_PDF };

/* PDF if the name ends so, else SVG. */
enum td_drawing_kind td_drawing_kind_of(const char *path);
/* A picture's suffix, if it has one, must be that of its format, "png" for example. 0, or TD_E_USAGE. */
int td_picture_check(const char *path, const char *format, struct td_err *err);
/* NULL: *err says why. */
struct td_drawing *td_drawing_open(const char *path, enum td_drawing_kind kind, struct td_err *err);
/* 0, or TD_E_IO: the file is not whole. Frees `drawing`. */
int td_drawing_close(struct td_drawing *drawing, struct td_err *err);

/* Begins the drawing: its place in the window, and its background. Called once. */
void td_drawing_begin(struct td_drawing *drawing, float x, float y, float w, float h, uint32_t fill);
void td_drawing_rect(struct td_drawing *drawing, float x0, float y0, float x1, float y1, uint32_t color,
                     float rounding);
void td_drawing_frame(struct td_drawing *drawing, float x0, float y0, float x1, float y1, uint32_t color,
                      float rounding, float thickness);
/* Points are pairs x, y. */
void td_drawing_polyline(struct td_drawing *drawing, const float *xy, int points, uint32_t color,
                         float thickness);
void td_drawing_polygon(struct td_drawing *drawing, const float *xy, int points, uint32_t color);
void td_drawing_bezier(struct td_drawing *drawing, const float xy[8], uint32_t color, float thickness);
/* Fills the area between a polyline and y = base. */
void td_drawing_area(struct td_drawing *drawing, const float *xy, int points, float base, uint32_t color);
/* `y` is that of the baseline; `whole`: of a shortened text, NULL: it is not shortened. */
void td_drawing_text(struct td_drawing *drawing, float x, float y, float size, float width, bool bold,
                     uint32_t color, const char *text, size_t bytes, const char *whole);
/* What is drawn until the matching td_drawing_unclip() is cut; clips nest. */
void td_drawing_clip(struct td_drawing *drawing, float x0, float y0, float x1, float y1);
void td_drawing_unclip(struct td_drawing *drawing);
#ifdef __cplusplus
}
#endif
