#include "host/viewer/panels/compare_frames.h"
#include "host/viewer/panels/compare_charts.h"
#include "host/viewer/timeline/frames.h"
#include "host/viewer/timeline/view.h"

#include <stdio.h>

static void count_compared_frames(void *self, struct td_job *job)
{
    struct compare_frames *f = self;
    td_compared_frames_free(&f->made);
    /* Without memory there are no frames. */
    td_comparison_frames(f->comparison, f->set, &f->made, job);
}

void td_compare_frames_update(struct td_view *view, struct compare_frames *f,
                              const struct td_comparison *comparison)
{
    bool fresh;
    const uint64_t key = (uint64_t)view->selection.frame_set + 1;
    enum td_job_state state = td_job_want(&f->job, key, &fresh);
    if (fresh) {
        TD_JOB_TAKE(&f->shown, &f->made, td_compared_frames_free);
        f->any = true;
    }
    if (state != TD_JOB_WANTED)
        return;
    f->comparison = comparison;
    f->set = view->selection.frame_set;
    td_job_start(&f->job, key, count_compared_frames, f);
}

void td_compare_frames_free(struct compare_frames *f)
{
    td_job_stop(&f->job);
    td_compared_frames_free(&f->made);
    td_compared_frames_free(&f->shown);
    f->any = false;
}

/* ---- drawing ---- */

static void format_frames_per_second(char text[TD_FORMAT_BYTES], double mean_ns)
{
    snprintf(text, TD_FORMAT_BYTES, "%.1f", mean_ns > 0 ? 1e9 / mean_ns : 0.);
}

/* One line for each number: its name, before, now. */
static float draw_frame_numbers(struct td_view *view, const struct td_frame_times times[2],
                                const struct td_rect *r, float y)
{
    enum { COUNT, MEAN, FPS, MEDIAN, LONGEST, NUMBERS };
    static const char *const names[NUMBERS] = {"frames", "mean", "frames a second", "median", "longest"};
    char text[2][NUMBERS][TD_FORMAT_BYTES];
    const float high = td_ui_text_height(view->ui, TD_FONT_SMALL) + TD_U(view, 2);
    for (int s = 0; s < 2; s++) {
        td_format_count(text[s][COUNT], times[s].count);
        td_format_ns(text[s][MEAN], times[s].mean_ns);
        format_frames_per_second(text[s][FPS], times[s].mean_ns);
        td_format_ns(text[s][MEDIAN], (double)times[s].median_ns);
        td_format_ns(text[s][LONGEST], (double)times[s].max_ns);
    }
    for (int n = 0; n < NUMBERS && y + high <= r->bottom; n++, y += high) {
        const float wide = (r->right - r->left) / 3;
        td_ui_text_fit(view->ui, TD_FONT_SMALL, r->left, y, wide, TD_C(TEXT_FAINT), names[n]);
        for (int s = 0; s < 2; s++)
            td_ui_text_fit(view->ui, TD_FONT_SMALL, r->left + wide * (float)(s + 1), y, wide,
                           s ? TD_C(TEXT) : TD_C(TEXT_DIM), text[s][n]);
    }
    return y;
}

void td_draw_compare_frames(struct td_view *view, const struct compare_frames *f, const struct td_rect *r)
{
    char label[80];
    const float high = TD_U(view, 21), gap = TD_U(view, 5);
    float y = r->top;
    if (!td_view_has_frames(view, view->selection.frame_set))
        return;
    snprintf(label, sizeof label, "Set: %.40s", td_view_frame_set_name(view));
    const float legend = td_draw_sides_legend(view->ui, r->right, y + TD_U(view, 3)),
                wide = td_ui_text_width(view->ui, TD_FONT_TEXT, label) + TD_U(view, 18);
    if (r->left + wide + gap <= legend && y + high <= r->bottom &&
        td_ui_button(view->ui, label, r->left, y, wide, high))
        td_view_next_frame_set(view);
    y += high + gap;
    if (!f->any || f->shown.set != view->selection.frame_set)
        return;
    y = draw_frame_numbers(view, f->shown.times, r, y);
    if (!f->shown.times[0].count && y + high <= r->bottom) {
        td_ui_text_fit(view->ui, TD_FONT_SMALL, r->left, y, r->right - r->left, TD_C(ACCENT),
                       "The other trace has no frames of this set.");
        y += high;
    }
    td_draw_length_bins(view->ui, &f->shown.bins, &(struct td_rect){r->left, y + gap, r->right, r->bottom});
}
