/* What a kind of drawing implements. */
#pragma once
#include "host/viewer/ui/drawing.h"

struct td_drawing_calls { /* see drawing.h; in the order of its functions */
    int (*close)(struct td_drawing *self, struct td_err *err);
    void (*begin)(struct td_drawing *self, float x, float y, float w, float h, uint32_t fill);
    void (*rect)(struct td_drawing *self, float x0, float y0, float x1, float y1, uint32_t color,
                 float rounding);
    void (*frame)(struct td_drawing *self, float x0, float y0, float x1, float y1, uint32_t color,
                  float rounding, float thickness);
    void (*polyline)(struct td_drawing *self, const float *xy, int points, uint32_t color, float thickness);
    void (*polygon)(struct td_drawing *self, const float *xy, int points, uint32_t color);
    void (*bezier)(struct td_drawing *self, const float xy[8], uint32_t color, float thickness);
    void (*area)(struct td_drawing *self, const float *xy, int points, float base, uint32_t color);
    void (*text)(struct td_drawing *self, float x, float y, float size, float width, bool bold,
                 uint32_t color, const char *text, size_t bytes, const char *whole);
    void (*clip)(struct td_drawing *self, float x0, float y0, float x1, float y1);
    void (*unclip)(struct td_drawing *self);
};

/* The first member of each kind. */
struct td_drawing {
    const struct td_drawing_calls *calls;
};

struct td_drawing *td_svg_open_(const char *path, struct td_err *err);
struct td_drawing *td_pdf_open_(const char *path, struct td_err *err);
