/* Drawings as SVG. */
#include "host/viewer/ui/drawing_internal.h"
#include "host/base/plain_text.h"
#include "host/file/out_stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

struct td_svg {
    struct td_drawing base;
    struct td_out_stream out;
    struct td_err why; /* of `out` */
    unsigned clips;    /* that were defined */
    int depth;         /* of those that are open */
    bool begun;
};

/* ---- attributes ---- */

/* A number of pixels with at most two decimals; never "nan" or "inf", which are not numbers of SVG. */
static void put_pixels(struct td_svg *svg, const char *before, float pixels)
{
    double value = isfinite(pixels) ? round((double)pixels * 100) / 100 : 0;
    fprintf(svg->out.to, "%s%.10g", before, value == 0 ? 0 : value);
}

static void put_color(struct td_svg *svg, const char *name, uint32_t color)
{
    const unsigned alpha = color >> 24;
    fprintf(svg->out.to, " %s=\"#%06x\"", name, (unsigned)(color & 0xffffffu));
    if (alpha < 255)
        fprintf(svg->out.to, " %s-opacity=\"%.3g\"", name, alpha / 255.);
}

static void put_stroke(struct td_svg *svg, uint32_t color, float thickness)
{
    fputs(" fill=\"none\"", svg->out.to);
    put_color(svg, "stroke", color);
    put_pixels(svg, " stroke-width=\"", thickness);
    fputs("\"/>\n", svg->out.to);
}

static void put_box(struct td_svg *svg, const char *element, float x0, float y0, float x1, float y1,
                    float rounding)
{
    fputs(element, svg->out.to);
    put_pixels(svg, " x=\"", x0);
    put_pixels(svg, "\" y=\"", y0);
    put_pixels(svg, "\" width=\"", fmaxf(x1 - x0, 0));
    put_pixels(svg, "\" height=\"", fmaxf(y1 - y0, 0));
    if (rounding > 0)
        put_pixels(svg, "\" rx=\"", rounding);
    putc('"', svg->out.to);
}

static void put_points(struct td_svg *svg, const float *xy, int points)
{
    for (int i = 0; i < points; i++) {
        put_pixels(svg, i ? " " : "", xy[2 * i]);
        put_pixels(svg, ",", xy[2 * i + 1]);
    }
}

/* Text of XML: markup is escaped, and what XML cannot hold is replaced. */
static void put_text(struct td_svg *svg, const char *text, size_t bytes)
{
    while (bytes) {
        size_t n = td_utf8_bytes(text, bytes);
        bool no_character = n == 3 && !memcmp(text, "\xef\xbf", 2) && ((unsigned char)text[2] & 0xfe) == 0xbe;
        if (!n || no_character)
            fputs(REPLACEMENT, svg->out.to);
        else if (td_utf8_steers(text, n))
            putc('?', svg->out.to);
        else if (*text == '&')
            fputs("&amp;", svg->out.to);
        else if (*text == '<')
            fputs("&lt;", svg->out.to);
        else if (*text == '>')
            fputs("&gt;", svg->out.to);
        else
            fwrite(text, 1, n, svg->out.to);
        text += n ? n : 1;
        bytes -= n ? n : 1;
    }
}

/* ---- elements ---- */

static void svg_rect(struct td_drawing *self, float x0, float y0, float x1, float y1, uint32_t color,
                     float rounding)
{
    struct td_svg *svg = (struct td_svg *)self;
    put_box(svg, "<rect", x0, y0, x1, y1, rounding);
    put_color(svg, "fill", color);
    fputs("/>\n", svg->out.to);
}

static void svg_begin(struct td_drawing *self, float x, float y, float w, float h, uint32_t fill)
{
    struct td_svg *svg = (struct td_svg *)self;
    if (svg->begun)
        return;
    svg->begun = true;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"",
          svg->out.to);
    put_pixels(svg, " width=\"", w);
    put_pixels(svg, "\" height=\"", h);
    put_pixels(svg, "\" viewBox=\"", x);
    put_pixels(svg, " ", y);
    put_pixels(svg, " ", w);
    put_pixels(svg, " ", h);
    fputs("\" font-family=\"'DejaVu Sans', Verdana, sans-serif\" xml:space=\"preserve\">\n", svg->out.to);
    svg_rect(self, x, y, x + w, y + h, fill, 0);
}

static void svg_frame(struct td_drawing *self, float x0, float y0, float x1, float y1, uint32_t color,
                      float rounding, float thickness)
{
    struct td_svg *svg = (struct td_svg *)self;
    put_box(svg, "<rect", x0 + .5f, y0 + .5f, x1 - .5f, y1 - .5f, rounding);
    put_stroke(svg, color, thickness);
}

static void svg_polyline(struct td_drawing *self, const float *xy, int points, uint32_t color,
                         float thickness)
{
    struct td_svg *svg = (struct td_svg *)self;
    fputs("<polyline points=\"", svg->out.to);
    put_points(svg, xy, points);
    putc('"', svg->out.to);
    put_stroke(svg, color, thickness);
}

static void svg_polygon(struct td_drawing *self, const float *xy, int points, uint32_t color)
{
    struct td_svg *svg = (struct td_svg *)self;
    fputs("<polygon points=\"", svg->out.to);
    put_points(svg, xy, points);
    putc('"', svg->out.to);
    put_color(svg, "fill", color);
    fputs("/>\n", svg->out.to);
}

static void svg_bezier(struct td_drawing *self, const float xy[8], uint32_t color, float thickness)
{
    struct td_svg *svg = (struct td_svg *)self;
    fputs("<path d=\"M", svg->out.to);
    put_points(svg, xy, 1);
    fputs(" C", svg->out.to);
    put_points(svg, xy + 2, 3);
    putc('"', svg->out.to);
    put_stroke(svg, color, thickness);
}

static void svg_area(struct td_drawing *self, const float *xy, int points, float base, uint32_t color)
{
    struct td_svg *svg = (struct td_svg *)self;
    if (points < 2)
        return;
    fputs("<polygon points=\"", svg->out.to);
    put_points(svg, (const float[]){xy[0], base}, 1);
    putc(' ', svg->out.to);
    put_points(svg, xy, points);
    putc(' ', svg->out.to);
    put_points(svg, (const float[]){xy[2 * points - 2], base}, 1);
    putc('"', svg->out.to);
    put_color(svg, "fill", color);
    fputs("/>\n", svg->out.to);
}

static void svg_text(struct td_drawing *self, float x, float y, float size, float width, bool bold,
                     uint32_t color, const char *text, size_t bytes, const char *whole)
{
    struct td_svg *svg = (struct td_svg *)self;
    if (!bytes)
        return;
    put_pixels(svg, "<text x=\"", x);
    put_pixels(svg, "\" y=\"", y);
    put_pixels(svg, "\" font-size=\"", size);
    /* Another font than the window's has to fit, too. */
    put_pixels(svg, "\" textLength=\"", width);
    fprintf(svg->out.to, "\" lengthAdjust=\"spacingAndGlyphs\"%s", bold ? " font-weight=\"bold\"" : "");
    put_color(svg, "fill", color);
    putc('>', svg->out.to);
    put_text(svg, text, bytes);
    if (whole) {
        fputs("<title>", svg->out.to);
        put_text(svg, whole, strlen(whole));
        fputs("</title>", svg->out.to);
    }
    fputs("</text>\n", svg->out.to);
}

static void svg_clip(struct td_drawing *self, float x0, float y0, float x1, float y1)
{
    struct td_svg *svg = (struct td_svg *)self;
    fprintf(svg->out.to, "<clipPath id=\"c%u\">", svg->clips);
    put_box(svg, "<rect", x0, y0, x1, y1, 0);
    fprintf(svg->out.to, "/></clipPath><g clip-path=\"url(#c%u)\">\n", svg->clips++);
    svg->depth++;
}

static void svg_unclip(struct td_drawing *self)
{
    struct td_svg *svg = (struct td_svg *)self;
    if (svg->depth <= 0)
        return;
    fputs("</g>\n", svg->out.to);
    svg->depth--;
}

/* ---- the file ---- */

static int svg_close(struct td_drawing *self, struct td_err *err)
{
    struct td_svg *svg = (struct td_svg *)self;
    while (svg->depth > 0)
        svg_unclip(self);
    if (svg->begun)
        fputs("</svg>\n", svg->out.to);
    int rc = td_out_stream_close(&svg->out, 0);
    if (rc < 0)
        td_fail(err, rc, "%s", svg->why.text);
    free(svg);
    return rc;
}

struct td_drawing *td_svg_open_(const char *path, struct td_err *err)
{
    static const struct td_drawing_calls calls = {svg_close,    svg_begin,   svg_rect,   svg_frame,
                                                  svg_polyline, svg_polygon, svg_bezier, svg_area,
                                                  svg_text,     svg_clip,    svg_unclip};
    struct td_svg *svg = calloc(1, sizeof *svg);
    if (!svg) {
        td_fail_no_memory(err, NULL);
        return NULL;
    }
    svg->base.calls = &calls;
    if (td_out_stream_open(&svg->out, path, TD_OUT_TEXT, &svg->why) == 0)
        return &svg->base;
    td_fail(err, svg->why.code, "%s", svg->why.text);
    free(svg);
    return NULL;
}
