#include "host/viewer/timeline/pictures.h"
#include "host/trace/tables.h"
#include "host/viewer/timeline/dxt1.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdlib.h>

static const struct td_series *images_of(const struct td_trace *trace, int64_t image)
{
    const struct td_series *table = td_trace_table(trace, TD_TABLE_IMAGE);
    return image >= 0 && (uint64_t)image < td_series_count(table) ? table : NULL;
}

static void decode_image(void *self, struct td_job *job)
{
    struct td_pictures *p = self;
    const struct td_series *table = images_of(p->trace, p->image);
    const uint64_t row = (uint64_t)p->image;
    (void)job;
    free(p->pixels);
    p->pixels =
        td_dxt1_decode(td_trace_blob(td_series_get(table, row, TD_IMAGE_DATA)),
                       (size_t)td_series_get(table, row, TD_IMAGE_BYTES),
                       td_series_get(table, row, TD_IMAGE_WIDTH), td_series_get(table, row, TD_IMAGE_HEIGHT));
}

static struct td_frame_picture *find_picture(struct td_pictures *p, int64_t image)
{
    for (int i = 0; i < TD_PICTURES; i++)
        if (p->kept[i].image == image + 1)
            return &p->kept[i];
    return NULL;
}

static struct td_frame_picture *least_used(struct td_pictures *p)
{
    struct td_frame_picture *least = &p->kept[0];
    for (int i = 1; i < TD_PICTURES; i++)
        if (p->kept[i].used < least->used)
            least = &p->kept[i];
    return least;
}

/* Takes what the thread has decoded. */
static void take_picture(struct td_view *view)
{
    struct td_pictures *p = &view->drawn.pictures;
    const struct td_series *table = images_of(p->trace, p->image);
    struct td_frame_picture *to = least_used(p);
    const uint64_t row = (uint64_t)p->image;
    to->image = p->image + 1;
    to->used = ++p->clock;
    to->width = (int)td_series_get(table, row, TD_IMAGE_WIDTH);
    to->height = (int)td_series_get(table, row, TD_IMAGE_HEIGHT);
    to->flip = td_series_get(table, row, TD_IMAGE_FLIP) != 0;
    to->broken = !p->pixels;
    if (p->pixels)
        to->picture = td_ui_make_picture(view->ui, to->picture, p->pixels, to->width, to->height);
    free(p->pixels);
    p->pixels = NULL;
}

/* Several images may be wanted in a frame: one that is being decoded is not cancelled for another one. */
bool td_pictures_pending(struct td_view *view)
{
    struct td_pictures *p = &view->drawn.pictures;
    bool fresh;
    const enum td_job_state state = td_job_want(&p->job, p->job.key, &fresh);
    if (fresh)
        take_picture(view);
    return state == TD_JOB_RUNNING;
}

const struct td_frame_picture *td_pictures_get(struct td_view *view, int64_t image)
{
    struct td_pictures *p = &view->drawn.pictures;
    if (!images_of(view->model.trace, image))
        return NULL;
    const bool pending = td_pictures_pending(view);
    struct td_frame_picture *found = find_picture(p, image);
    if (found) {
        found->used = ++p->clock;
    } else if (!pending) {
        p->trace = view->model.trace;
        p->image = image;
        td_job_start(&p->job, (uint64_t)image + 1, decode_image, p);
    }
    return found;
}

bool td_pictures_size(const struct td_view *view, int64_t image, float *width, float *height)
{
    const struct td_series *table = images_of(view->model.trace, image);
    if (!table)
        return false;
    *width = (float)td_series_get(table, (uint64_t)image, TD_IMAGE_WIDTH);
    *height = (float)td_series_get(table, (uint64_t)image, TD_IMAGE_HEIGHT);
    return *width > 0 && *height > 0;
}

void td_pictures_draw(struct td_view *view, int64_t image, float x, float y, float width, float height)
{
    float wide, high;
    if (!td_pictures_size(view, image, &wide, &high) || width < 1 || height < 1)
        return;
    const float part = fminf(width / wide, height / high);
    wide = fmaxf(floorf(wide * part), 1);
    high = fmaxf(floorf(high * part), 1);
    x = floorf(x + (width - wide) / 2);
    const struct td_frame_picture *p = td_pictures_get(view, image);
    if (p && !p->broken)
        td_ui_draw_picture(view->ui, p->picture, x, y, wide, high, p->flip);
    else
        td_ui_rect(view->ui, x, y, x + wide, y + high, TD_C(GROUP), 0);
    if (p && p->broken)
        td_ui_text_fit(view->ui, TD_FONT_SMALL, x + TD_U(view, 4), y + TD_U(view, 4), wide - TD_U(view, 8),
                       TD_C(TEXT_FAINT), "not an image");
}

void td_pictures_free(struct td_view *view)
{
    struct td_pictures *p = &view->drawn.pictures;
    td_job_stop(&p->job);
    free(p->pixels);
    for (int i = 0; i < TD_PICTURES; i++)
        if (p->kept[i].picture)
            td_ui_free_picture(view->ui, p->kept[i].picture);
    *p = (struct td_pictures){0};
}
