#include "host/viewer/ui/drawing_internal.h"
#include "host/base/path.h"

#include <string.h>
#include <strings.h>

enum td_drawing_kind td_drawing_kind_of(const char *path)
{
    const size_t bytes = strlen(path);
    return bytes >= 4 && !strcasecmp(path + bytes - 4, ".pdf") ? TD_DRAWING_PDF : TD_DRAWING_SVG;
}

int td_picture_check(const char *path, const char *format, struct td_err *err)
{
    const char *suffix = strrchr(td_path_name(path), '.');
    return !suffix || !strcasecmp(suffix + 1, format)
               ? 0
               : td_fail(
                     err, TD_E_USAGE,
                     "'%.200s' ends in %.20s, and is to be a picture of format %s: --screenshot writes PNG, "
                     "--svg SVG, --pdf PDF",
                     path, suffix, format);
}

struct td_drawing *td_drawing_open(const char *path, enum td_drawing_kind kind, struct td_err *err)
{
    return kind == TD_DRAWING_PDF ? td_pdf_open_(path, err) : td_svg_open_(path, err);
}

int td_drawing_close(struct td_drawing *drawing, struct td_err *err)
{
    return drawing->calls->close(drawing, err);
}

void td_drawing_begin(struct td_drawing *drawing, float x, float y, float w, float h, uint32_t fill)
{
    drawing->calls->begin(drawing, x, y, w, h, fill);
}

void td_drawing_rect(struct td_drawing *drawing, float x0, float y0, float x1, float y1, uint32_t color,
                     float rounding)
{
    drawing->calls->rect(drawing, x0, y0, x1, y1, color, rounding);
}

void td_drawing_frame(struct td_drawing *drawing, float x0, float y0, float x1, float y1, uint32_t color,
                      float rounding, float thickness)
{
    drawing->calls->frame(drawing, x0, y0, x1, y1, color, rounding, thickness);
}

void td_drawing_polyline(struct td_drawing *drawing, const float *xy, int points, uint32_t color,
                         float thickness)
{
    drawing->calls->polyline(drawing, xy, points, color, thickness);
}

void td_drawing_polygon(struct td_drawing *drawing, const float *xy, int points, uint32_t color)
{
    drawing->calls->polygon(drawing, xy, points, color);
}

void td_drawing_bezier(struct td_drawing *drawing, const float xy[8], uint32_t color, float thickness)
{
    drawing->calls->bezier(drawing, xy, color, thickness);
}

void td_drawing_area(struct td_drawing *drawing, const float *xy, int points, float base, uint32_t color)
{
    drawing->calls->area(drawing, xy, points, base, color);
}

void td_drawing_text(struct td_drawing *drawing, float x, float y, float size, float width, bool bold,
                     uint32_t color, const char *text, size_t bytes, const char *whole)
{
    drawing->calls->text(drawing, x, y, size, width, bold, color, text, bytes, whole);
}

void td_drawing_clip(struct td_drawing *drawing, float x0, float y0, float x1, float y1)
{
    drawing->calls->clip(drawing, x0, y0, x1, y1);
}

void td_drawing_unclip(struct td_drawing *drawing)
{
    drawing->calls->unclip(drawing);
}
