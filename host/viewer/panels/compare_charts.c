#include "host/viewer/panels/compare_charts.h"
#include "host/query/table/format.h"
#include "host/viewer/ui/imgui_shim.h"

#include <math.h>

#define TRACK_BARS   100
#define COLOR_BEFORE 0xff8a94a6u
#define COLOR_NOW    0xff6cb6d9u
#define COLOR_SLOWER 0xffe0705fu
#define COLOR_FASTER 0xff5fb37cu

td_rgba td_change_color(double change)
{
    return change > 0 ? COLOR_SLOWER : change < 0 ? COLOR_FASTER : TD_C(TEXT_DIM);
}

static float in_pixels(const struct td_ui *ui, float at_96_dpi)
{
    return at_96_dpi * td_ui_scale(ui);
}

float td_draw_sides_legend(struct td_ui *ui, float right, float y)
{
    static const struct {
        const char *text;
        td_rgba color;
    } sides[] = {{"now", COLOR_NOW}, {"before", COLOR_BEFORE}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        right -= td_ui_text_width(ui, TD_FONT_SMALL, sides[i].text);
        td_ui_text(ui, TD_FONT_SMALL, right, y, sides[i].color, sides[i].text);
        right -= in_pixels(ui, 10);
    }
    return right;
}

/* Both sides as parts of their own zones, one over the other. */
void td_draw_length_bins(struct td_ui *ui, const struct td_length_bins *bins, const struct td_rect *r)
{
    float bin = (r->right - r->left) / TD_LENGTH_BINS,
          label = td_ui_text_height(ui, TD_FONT_SMALL) + in_pixels(ui, 3);
    float base = r->bottom - label, high = base - r->top;
    double most = 0;
    char text[TD_FORMAT_BYTES];
    if (high < in_pixels(ui, 12))
        return;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < TD_LENGTH_BINS && bins->all[side]; i++)
            most = fmax(most, (double)bins->count[side][i] / (double)bins->all[side]);
    for (int side = 0; side < 2 && most > 0; side++)
        for (int i = 0; i < TD_LENGTH_BINS && bins->all[side]; i++) {
            double part = (double)bins->count[side][i] / (double)bins->all[side] / most;
            float x = r->left + bin * (float)i, y = base - fmaxf(high * (float)part, part > 0 ? 1 : 0);
            if (part > 0)
                td_ui_rect(ui, x, y, x + fmaxf(bin - 1, 1), base,
                           td_color_alpha(side ? COLOR_NOW : COLOR_BEFORE, .55f), 0);
        }
    td_ui_rect(ui, r->left, base, r->right, base + 1, TD_C(EDGE), 0);
    td_ui_text(ui, TD_FONT_SMALL, r->left, base + in_pixels(ui, 3), TD_C(TEXT_FAINT),
               td_format_ns(text, bins->low_ns));
    td_format_ns(text, bins->high_ns);
    td_ui_text(ui, TD_FONT_SMALL, r->right - td_ui_text_width(ui, TD_FONT_SMALL, text),
               base + in_pixels(ui, 3), TD_C(TEXT_FAINT), text);
}

/* A bar for each track, by the change of its total time: up is slower. Many tracks share bars. */
void td_draw_track_changes(struct td_ui *ui, const struct td_track_change *tracks, size_t count,
                           const struct td_rect *r)
{
    size_t bars = count < TRACK_BARS ? count : TRACK_BARS;
    double most = 0;
    float middle = (r->top + r->bottom) / 2, half = (r->bottom - r->top) / 2, wide;
    if (!bars || half < in_pixels(ui, 6))
        return;
    wide = fminf((r->right - r->left) / (float)bars, in_pixels(ui, 24));
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs((double)tracks[i].total_ns[1] - (double)tracks[i].total_ns[0]));
    for (size_t b = 0; b < bars; b++) {
        size_t first = b * count / bars, end = (b + 1) * count / bars;
        double change = 0;
        for (size_t i = first; i < end; i++) {
            double c = (double)tracks[i].total_ns[1] - (double)tracks[i].total_ns[0];
            change = fabs(c) > fabs(change) ? c : change;
        }
        float x = r->left + wide * (float)b, y = most > 0 ? middle - half * (float)(change / most) : middle;
        td_ui_rect(ui, x, fminf(y, middle), x + fmaxf(wide - 1, 1), fmaxf(y, middle + 1),
                   td_change_color(change), 0);
    }
    td_ui_rect(ui, r->left, middle, r->right, middle + 1, TD_C(EDGE), 0);
}
