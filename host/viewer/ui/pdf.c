/* Drawings as PDF, by cairo: text is text, in a subset of the font that the file holds. */
#include "host/base/plain_text.h"
#include "host/file/out_stream.h"
#include "host/viewer/ui/drawing_internal.h"
#include "host/viewer/ui/visual_text.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS      .75 /* a pixel is 1/96 inch */
#define MOST_PIXELS 1e6
#define TEXT_BYTES  2000
#define FONT        "DejaVu Sans"
#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

struct td_pdf {
    struct td_drawing base;
    struct td_out_stream out;
    struct td_err why; /* of `out` */
    cairo_surface_t *surface;
    cairo_t *to; /* NULL: the drawing has not begun */
    int depth;   /* of the clips that are open */
};

/* Numbers that PDF can hold. */
static double pixels_of(float pixels)
{
    return isfinite(pixels) ? fmin(fmax((double)pixels, -MOST_PIXELS), MOST_PIXELS) : 0;
}

static void set_color(struct td_pdf *pdf, uint32_t color)
{
    cairo_set_source_rgba(pdf->to, (color >> 16 & 255) / 255., (color >> 8 & 255) / 255.,
                          (color & 255) / 255., (color >> 24) / 255.);
}

static void add_box(struct td_pdf *pdf, float x0, float y0, float x1, float y1, float rounding)
{
    const double x = pixels_of(x0), y = pixels_of(y0), wide = fmax(pixels_of(x1) - x, 0),
                 high = fmax(pixels_of(y1) - y, 0), r = fmin(pixels_of(rounding), fmin(wide, high) / 2);
    cairo_new_path(pdf->to);
    if (!(r > 0)) {
        cairo_rectangle(pdf->to, x, y, wide, high);
        return;
    }
    cairo_arc(pdf->to, x + wide - r, y + r, r, -M_PI / 2, 0);
    cairo_arc(pdf->to, x + wide - r, y + high - r, r, 0, M_PI / 2);
    cairo_arc(pdf->to, x + r, y + high - r, r, M_PI / 2, M_PI);
    cairo_arc(pdf->to, x + r, y + r, r, M_PI, M_PI * 3 / 2);
    cairo_close_path(pdf->to);
}

static void add_lines(struct td_pdf *pdf, const float *xy, int points)
{
    cairo_new_path(pdf->to);
    for (int i = 0; i < points; i++)
        cairo_line_to(pdf->to, pixels_of(xy[2 * i]), pixels_of(xy[2 * i + 1]));
}

static void fill_path(struct td_pdf *pdf, uint32_t color)
{
    set_color(pdf, color);
    cairo_fill(pdf->to);
}

static void stroke_path(struct td_pdf *pdf, uint32_t color, float thickness)
{
    set_color(pdf, color);
    cairo_set_line_width(pdf->to, fmax(pixels_of(thickness), 0));
    cairo_stroke(pdf->to);
}

/* ---- elements ---- */

static cairo_status_t write_bytes(void *self, const unsigned char *bytes, unsigned count)
{
    struct td_pdf *pdf = self;
    return fwrite(bytes, 1, count, pdf->out.to) == count ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static void pdf_begin(struct td_drawing *self, float x, float y, float w, float h, uint32_t fill)
{
    struct td_pdf *pdf = (struct td_pdf *)self;
    if (pdf->to)
        return;
    pdf->surface =
        cairo_pdf_surface_create_for_stream(write_bytes, pdf, pixels_of(w) * POINTS, pixels_of(h) * POINTS);
    pdf->to = cairo_create(pdf->surface);
    cairo_scale(pdf->to, POINTS, POINTS);
    cairo_translate(pdf->to, -pixels_of(x), -pixels_of(y));
    add_box(pdf, x, y, x + w, y + h, 0);
    fill_path(pdf, fill);
}

static void pdf_rect(struct td_drawing *self, float x0, float y0, float x1, float y1, uint32_t color,
                     float rounding)
{
    struct td_pdf *pdf = (struct td_pdf *)self;
    add_box(pdf, x0, y0, x1, y1, rounding);
    fill_path(pdf, color);
}

static void pdf_frame(struct td_drawing *self, float x0, float y0, float x1, float y1, uint32_t color,
                      float rounding, float thickness)
{
    struct td_pdf *pdf = (struct td_pdf *)self;
    add_box(pdf, x0 + .5f, y0 + .5f, x1 - .5f, y1 - .5f, rounding);
    stroke_path(pdf, color, thickness);
}

static void pdf_polyline(struct td_drawing *self, const float *xy, int points, uint32_t color,
                         float thickness)
{
    struct td_pdf *pdf = (struct td_pdf *)self;
    add_lines(pdf, xy, points);
    stroke_path(pdf, color, thickness);
}

static void pdf_polygon(struct td_drawing *self, const float *xy, int points, uint32_t color)
{
    struct td_pdf *pdf = (struct td_pdf *)self;
    add_lines(pdf, xy, points);
    fill_path(pdf, color);
}

static void pdf_bezier(struct td_drawing *self, const float xy[8], uint32_t color, float thickness)
{
    struct td_pdf *pdf = (struct td_pdf *)self;
    add_lines(pdf, xy, 1);
    cairo_curve_to(pdf->to, pixels_of(xy[2]), pixels_of(xy[3]), pixels_of(xy[4]), pixels_of(xy[5]),
                   pixels_of(xy[6]), pixels_of(xy[7]));
    stroke_path(pdf, color, thickness);
}

static void pdf_area(struct td_drawing *self, const float *xy, int points, float base, uint32_t color)
{
    struct td_pdf *pdf = (struct td_pdf *)self;
    if (points < 2)
        return;
    add_lines(pdf, xy, points);
    cairo_line_to(pdf->to, pixels_of(xy[2 * points - 2]), pixels_of(base));
    cairo_line_to(pdf->to, pixels_of(xy[0]), pixels_of(base));
    fill_path(pdf, color);
}

/* Code points that stand for no character: U+FDD0 to U+FDEF, and the last two of each plane. */
static bool is_no_character(const char *text, size_t bytes)
{
    uint32_t code = 0;
    for (size_t i = 0; i < bytes; i++)
        code = i ? code << 6 | ((uint8_t)text[i] & 0x3f)
                 : (uint8_t)text[0] & (bytes > 3   ? 7u
                                       : bytes > 2 ? 15u
                                       : bytes > 1 ? 31u
                                                   : 127u);
    return (code & 0xfffe) == 0xfffe || (code >= 0xfdd0 && code <= 0xfdef);
}

/* Without what is no text, for which cairo would fail as a whole. */
static void clean_text(char to[TEXT_BYTES], const char *text, size_t bytes)
{
    size_t used = 0;
    while (bytes && used < TEXT_BYTES - 8) {
        const size_t n = td_utf8_bytes(text, bytes);
        const char *put = !n || is_no_character(text, n) ? REPLACEMENT : td_utf8_steers(text, n) ? "?" : NULL;
        const size_t count = put ? strlen(put) : n;
        memcpy(to + used, put ? put : text, count);
        used += count;
        text += n ? n : 1;
        bytes -= n ? n : 1;
    }
    to[used] = 0;
}

static void pdf_text(struct td_drawing *self, float x, float y, float size, float width, bool bold,
                     uint32_t color, const char *text, size_t bytes, const char *whole)
{
    struct td_pdf *pdf = (struct td_pdf *)self;
    char clean[TEXT_BYTES], turned[TD_VISUAL_BYTES];
    cairo_text_extents_t extents;
    /* Cairo draws characters in the order in which it gets them. */
    if (td_text_turns(text, bytes)) {
        bytes = td_text_visual(text, bytes, turned);
        text = turned;
    }
    clean_text(clean, text, bytes);
    if (!clean[0] || !(size > 0) || !(width > 0))
        return;
    cairo_select_font_face(pdf->to, FONT, CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(pdf->to, pixels_of(size));
    cairo_text_extents(pdf->to, clean, &extents);
    cairo_save(pdf->to);
    cairo_translate(pdf->to, pixels_of(x), pixels_of(y));
    /* Another font than the window's has to fit, too. */
    if (extents.x_advance > 0)
        cairo_scale(pdf->to, pixels_of(width) / extents.x_advance, 1);
    cairo_move_to(pdf->to, 0, 0);
    set_color(pdf, color);
    cairo_show_text(pdf->to, clean);
    cairo_restore(pdf->to);
}

static void pdf_clip(struct td_drawing *self, float x0, float y0, float x1, float y1)
{
    struct td_pdf *pdf = (struct td_pdf *)self;
    cairo_save(pdf->to);
    add_box(pdf, x0, y0, x1, y1, 0);
    cairo_clip(pdf->to);
    pdf->depth++;
}

static void pdf_unclip(struct td_drawing *self)
{
    struct td_pdf *pdf = (struct td_pdf *)self;
    if (pdf->depth <= 0)
        return;
    cairo_restore(pdf->to);
    pdf->depth--;
}

/* ---- the file ---- */

static int pdf_close(struct td_drawing *self, struct td_err *err)
{
    struct td_pdf *pdf = (struct td_pdf *)self;
    bool failed = !pdf->to;
    while (pdf->depth > 0)
        pdf_unclip(self);
    if (pdf->to) {
        failed = cairo_status(pdf->to) != CAIRO_STATUS_SUCCESS;
        cairo_destroy(pdf->to);
        cairo_surface_finish(pdf->surface);
        failed |= cairo_surface_status(pdf->surface) != CAIRO_STATUS_SUCCESS;
        cairo_surface_destroy(pdf->surface);
    }
    if (failed)
        td_fail(&pdf->why, TD_E_IO, "cannot make the PDF file");
    const int rc = td_out_stream_close(&pdf->out, failed ? TD_E_IO : 0);
    if (rc < 0)
        td_fail(err, rc, "%s", pdf->why.text);
    free(pdf);
    return rc;
}

struct td_drawing *td_pdf_open_(const char *path, struct td_err *err)
{
    static const struct td_drawing_calls calls = {pdf_close,    pdf_begin,   pdf_rect,   pdf_frame,
                                                  pdf_polyline, pdf_polygon, pdf_bezier, pdf_area,
                                                  pdf_text,     pdf_clip,    pdf_unclip};
    struct td_pdf *pdf = calloc(1, sizeof *pdf);
    if (!pdf) {
        td_fail_no_memory(err, NULL);
        return NULL;
    }
    pdf->base.calls = &calls;
    if (td_out_stream_open(&pdf->out, path, TD_OUT_REPLACE, &pdf->why) == 0)
        return &pdf->base;
    td_fail(err, pdf->why.code, "%s", pdf->why.text);
    free(pdf);
    return NULL;
}
