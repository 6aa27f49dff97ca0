#include "host/viewer/app/page.h"
#include "host/base/clock.h"
#include "host/viewer/timeline/trace_state.h"
#include "host/base/path.h"
#include "host/base/plain_text.h"
#include "host/viewer/timeline/facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct td_page *make_page(const char *name, struct td_err *err)
{
    struct td_page *page = calloc(1, sizeof *page);
    if (!page)
        td_fail_no_memory(err, NULL);
    else
        td_plain_copy(page->name, sizeof page->name, name);
    return page;
}

struct td_page *td_page_open_file(const char *path, const struct td_load_options *load,
                                  struct td_loadings *shared, struct td_err *err)
{
    struct td_page *page = make_page(path, err);
    if (page) {
        page->load = load;
        page->loading = td_loading_open(path, load, shared, err);
    }
    if (page && page->loading)
        return page;
    td_page_close(page);
    return NULL;
}

/* A session with that program which has not ended: a program takes one connection. NULL: there is none. */
static struct td_live *find_session(const struct td_loadings *shared, const char *host, int port)
{
    const struct td_page *page = shared ? shared->live : NULL;
    while (page && (strcmp(page->host, host) != 0 || page->port != port ||
                    td_live_get_state(page->live) >= TD_LIVE_ENDED))
        page = page->next_live;
    return page ? page->live : NULL;
}

static void leave_session(struct td_page *page, bool rested)
{
    struct td_page **at = page->shared ? &page->shared->live : NULL;
    while (at && *at && *at != page)
        at = &(*at)->next_live;
    if (at && *at)
        *at = page->next_live;
    if (page->live && td_live_leave(page->live, rested))
        td_live_close(page->live);
}

struct td_page *td_page_connect(const char *host, int port, struct td_loadings *shared, struct td_err *err)
{
    char name[300];
    snprintf(name, sizeof name, strchr(host, ':') ? "[%s]:%d" : "%s:%d", host, port);
    struct td_page *page = make_page(name, err);
    if (page) {
        snprintf(page->host, sizeof page->host, "%s", host);
        page->port = port;
        page->live = find_session(shared, host, port);
        if (page->live)
            td_live_join(page->live);
        else
            page->live = td_live_open(host, port, err);
    }
    if (page && page->live) {
        page->shared = shared;
        page->next_live = shared ? shared->live : NULL;
        if (shared)
            shared->live = page;
        return page;
    }
    td_page_close(page);
    return NULL;
}

/* Its trace may be gone. */
static void drop_view(struct td_page *page)
{
    if (page->has_view)
        td_view_free(&page->view);
    page->has_view = false;
}

void td_page_close(struct td_page *page)
{
    if (!page)
        return;
    if (page->has_view && page->arranged && page->ended)
        td_trace_state_write(&page->view, NULL);
    struct td_err err = {0};
    if (page->has_view && td_view_save_notes(&page->view, &err) < 0)
        fprintf(stderr, "tendril view: %s\n", TD_PLAIN(err.text));
    const bool rested = page->has_view && page->view.model.rests_ms;
    drop_view(page);
    td_loading_close(page->loading, page->ends);
    leave_session(page, rested);
    cJSON_Delete(page->state);
    free(page);
}

const char *td_page_title(const struct td_page *page)
{
    return page->live ? page->name : td_path_name(page->name);
}

bool td_page_is_unsaved(const struct td_page *page)
{
    if (page->options && page->options->recorded)
        return false;
    return page->live && td_live_get_state(page->live) != TD_LIVE_WAITING && !td_live_is_saved(page->live);
}

/* ---- steps ---- */

#define REST_MS 500 /* so long the last picture stays while the model is finished */

/* What the command line wants takes precedence over the state of the trace. */
static void begin_picture(struct td_page *page)
{
    const struct td_viewer_options *wanted = page->options;
    td_view_read_notes(&page->view);
    if (!page->live)
        page->state = td_trace_state_read(&page->view.model);
    if (page->state) {
        td_saved_views_read(&page->view, page->state);
        td_trace_state_show(&page->view, page->state);
    }
    if (wanted)
        td_view_apply_options(&page->view, wanted, &page->failed);
}

static bool show_view(struct td_page *page, struct td_ui *ui, struct td_trace *trace)
{
    const int rc = page->live ? td_view_init(&page->view, ui, trace, page->live, page->name, &page->failed)
                              : td_view_init_loading(&page->view, ui, trace, page->name, &page->failed);
    if (rc < 0)
        return false;
    page->has_view = true;
    page->view.model.load = page->load;
    td_source_paths_init(&page->view.model.source_paths, page->path_rules, NULL); /* they were checked */
    td_view_use_threads(&page->view, NULL); /* without memory for them it draws without */
    begin_picture(page);
    if (page->failed.code)
        drop_view(page);
    return page->has_view;
}

/* The file was read, and the model is finished. */
static void end_loading(struct td_page *page, struct td_ui *ui)
{
    page->ended = true;
    if (td_loading_finish(page->loading, &page->failed) < 0) {
        drop_view(page);
        return;
    }
    snprintf(page->salvaged, sizeof page->salvaged, "%s", td_loading_salvaged(page->loading));
    if (!page->has_view && !show_view(page, ui, td_loading_trace(page->loading)))
        return;
    page->view.model.file_version = td_loading_version(page->loading);
    td_view_take_loaded(&page->view);
    page->arranged = !page->state || td_trace_state_arrange(&page->view, page->state);
    if (page->options && td_view_run_script(&page->view, page->options, &page->failed) < 0)
        drop_view(page);
}

bool td_page_step(struct td_page *page, struct td_ui *ui)
{
    if (page->failed.code)
        return false;
    /* Not before the window is there: reading uses all processors. */
    if (page->loading && td_loading_start(page->loading, &page->failed) < 0)
        return true;
    if (page->loading) {
        const enum td_loading_state state = td_loading_get_state(page->loading);
        if (state == TD_LOADING_ENDED && !page->ends) {
            /* The model is finished while nothing reads it. */
            if (page->has_view)
                td_view_rest(&page->view);
            td_loading_begin_finish(page->loading);
            page->ends = true;
        }
        if (state >= TD_LOADING_DONE && !page->ended) {
            end_loading(page, ui);
            return true;
        }
        if (state == TD_LOADING_GROWS && !page->has_view)
            show_view(page, ui, td_loading_trace(page->loading));
        if (state != TD_LOADING_FINISHED) {
            if (page->has_view && !page->view.model.rests_ms)
                td_view_refresh(&page->view);
            return true;
        }
        if (page->has_view && !page->arranged) {
            page->arranged = td_trace_state_arrange(&page->view, page->state);
            td_view_refresh(&page->view);
            return true;
        }
    } else if (!page->has_view) {
        show_view(page, ui, td_live_trace(page->live));
    }
    return page->has_view && td_view_refresh(&page->view);
}

bool td_page_is_busy(const struct td_page *page)
{
    if (page->failed.code)
        return false;
    if (page->live)
        return td_live_get_state(page->live) != TD_LIVE_FINISHED ||
               (td_live_saving(page->live) &&
                td_saving_get_state(td_live_saving(page->live)) < TD_SAVING_DONE);
    return !page->ended || page->view.model.loading || (page->has_view && !page->arranged);
}

bool td_page_rests(const struct td_page *page)
{
    return page->has_view && page->view.model.rests_ms && td_mono_ms() - page->view.model.rests_ms < REST_MS;
}

int td_page_background(struct td_page *page)
{
    return page->has_view && !page->view.model.rests_ms ? td_view_background(&page->view) : 0;
}

/* ---- drawing ---- */

#define BAR_WIDTH  360
#define BAR_HEIGHT 6

static void draw_bar(struct td_ui *ui, float x, float y, float wide, float high, double part)
{
    if (part < 0)
        return;
    td_ui_rect(ui, x, y, x + wide, y + high, TD_C(EDGE), high / 2);
    td_ui_rect(ui, x, y, x + fmaxf(high, wide * (float)part), y + high, TD_C(ACCENT), high / 2);
}

static void draw_centred(struct td_ui *ui, enum td_font font, float y, td_rgba color, const char *text)
{
    const float all = td_ui_width(ui) - 40, wide = fminf(td_ui_text_width(ui, font, text), all);
    td_ui_text_fit(ui, font, (td_ui_width(ui) - wide) / 2, y, wide + 1, color, text);
}

/* A page without a view: how far reading is, or why there is nothing. */
static void draw_without_view(const struct td_page *page, struct td_ui *ui, float inset)
{
    const float scale = td_ui_scale(ui), wide = td_ui_width(ui), high = td_ui_height(ui) - inset;
    const float y = inset + floorf(high * .4f), line = td_ui_text_height(ui, TD_FONT_TEXT) + 8 * scale;
    td_ui_region_begin(ui, "page", 0, inset, wide, high, TD_C(BACK), TD_LAYER_BASE);
    draw_centred(ui, TD_FONT_BOLD, y - line, TD_C(TEXT), page->name);
    if (page->failed.code) {
        draw_centred(ui, TD_FONT_TEXT, y, TD_C(LOST), TD_PLAIN(page->failed.text));
        draw_centred(ui, TD_FONT_TEXT, y + 2 * line, TD_C(TEXT_DIM),
                     "Ctrl+O: open another one     Ctrl+W: close");
    } else if (page->has_view) {
        draw_centred(ui, TD_FONT_TEXT, y, TD_C(TEXT_DIM), "sorting the trace");
    } else if (page->loading) {
        const float bar = fminf(BAR_WIDTH * scale, wide - 40);
        draw_bar(ui, (wide - bar) / 2, y + line, bar, BAR_HEIGHT * scale, td_loading_part(page->loading));
        draw_centred(ui, TD_FONT_TEXT, y, TD_C(TEXT_DIM), "reading the trace");
    }
    td_ui_region_end(ui);
}

/* Over the lower right corner of the view. */
static void draw_progress(const struct td_page *page, struct td_ui *ui)
{
    const float scale = td_ui_scale(ui), wide = 220 * scale, high = 40 * scale;
    const float x = td_ui_width(ui) - wide - 20 * scale, y = td_ui_height(ui) - high - 16 * scale;
    const bool counts = td_loading_get_state(page->loading) == TD_LOADING_FINISHED;
    const double part = counts ? 1 : td_loading_part(page->loading);
    char text[60];
    snprintf(text, sizeof text, "reading the trace: %.0f %%", part * 100);
    td_ui_region_begin(ui, "progress", x, y, wide, high, TD_C(PANEL), TD_LAYER_TOP);
    td_ui_text(ui, TD_FONT_TEXT, x + 12 * scale, y + 7 * scale, TD_C(TEXT),
               counts     ? "computing statistics"
               : part < 0 ? "reading the trace"
                          : text);
    draw_bar(ui, x + 12 * scale, y + high - 11 * scale, wide - 24 * scale, 4 * scale, part);
    td_ui_region_end(ui);
}

bool td_page_draw(struct td_page *page, struct td_ui *ui, float inset)
{
    if (!page->has_view || page->view.model.rests_ms) {
        draw_without_view(page, ui, inset);
        return false;
    }
    page->view.panels.inset = inset;
    const bool moving = td_view_frame(&page->view);
    if (page->loading && page->view.model.loading)
        draw_progress(page, ui);
    return moving;
}
