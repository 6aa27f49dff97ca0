#include "host/viewer/panels/compare_source.h"
#include "host/base/path.h"
#include "host/base/plain_text.h"
#include "host/base/stream.h"
#include "host/viewer/panels/source_panel.h"
#include "host/viewer/timeline/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

/* The file of that name, or the first whose name ends so; 0: the trace names none. */
static uint32_t find_file(const struct td_dict *dict, const char *name)
{
    const size_t bytes = strlen(name);
    uint32_t found = 0;
    for (uint32_t i = 1; bytes && i < td_dict_string_count(dict); i++) {
        const char *file = td_dict_text(dict, i);
        const size_t length = strlen(file);
        if (length == bytes && !strcmp(file, name))
            return i;
        if (!found && length > bytes && file[length - bytes - 1] == '/' &&
            !strcmp(file + length - bytes, name))
            found = i;
    }
    return found;
}

static void add_samples(struct td_beside *b, const struct compare_source *s, int side, uint32_t file,
                        const struct td_progress *progress)
{
    const struct td_compare_range *range = &s->comparison->range[side];
    const struct td_trace *trace = s->comparison->trace[side];
    struct td_samples_choice choice = {0};
    struct td_stack_counts counts = {0};
    if (range->from_ns != INT64_MIN || range->to_ns != INT64_MAX) {
        choice.from_ns = range->from_ns;
        choice.to_ns = range->to_ns == INT64_MAX ? INT64_MAX : range->to_ns + 1;
    }
    if (td_stack_counts_make(trace, &choice, progress, &counts, NULL) == 0)
        td_line_sums_make(trace, &counts, file, 0, progress, &b->sums[side], NULL);
    td_stack_counts_free(&counts);
}

static void free_beside(struct td_beside *b)
{
    for (int i = 0; i < 2; i++) {
        td_source_text_free(&b->text[i]);
        td_line_sums_free(&b->sums[i]);
        free(b->states[i]);
    }
    td_line_pairs_free(&b->pairs);
    *b = (struct td_beside){0};
}

/* Without memory, parts are missing. */
static void run_beside(void *self, struct td_job *job)
{
    struct compare_source *s = self;
    struct td_beside *b = &s->made;
    const struct td_progress progress = td_job_progress_of(job);
    free_beside(b);
    b->language = td_language_of(s->of_file);
    for (int i = 0; i < 2; i++) {
        const struct td_trace *trace = s->comparison->trace[i];
        const uint32_t file = find_file(td_trace_dict(trace), s->of_file);
        b->found[i] = file != 0;
        if (!file || td_source_text_open(&b->text[i], trace, file, s->paths, NULL, NULL) < 0)
            continue;
        b->states[i] = td_source_states(&b->text[i], b->language);
        add_samples(b, s, i, file, &progress);
    }
    if (b->text[0].line_count || b->text[1].line_count)
        td_line_pairs_make(&b->pairs, &b->text[0], &b->text[1]);
}

/* With some lines before it. */
static void reveal_selected(struct compare_source *s)
{
    s->list.reveal = s->list.selected > 4 ? s->list.selected - 3 : s->list.selected > 0;
}

static void show_first(struct compare_source *s)
{
    s->list.selected = 0;
    for (size_t i = 0; i < s->shown.pairs.count && !s->list.selected; i++)
        if (s->line ? s->shown.pairs.at[i].line[1] == s->line : s->shown.pairs.at[i].differs)
            s->list.selected = (int)i + 1;
    reveal_selected(s);
}

void td_compare_source_update(struct td_view *view, struct compare_source *s,
                              const struct td_comparison *comparison, uint64_t loads)
{
    uint64_t key = td_mix64(loads) ^ td_mix64(view->model.source_paths.turn + 7);
    bool fresh;
    for (const char *c = s->file; *c; c++)
        key = td_mix64(key + (uint8_t)*c);
    if (!s->on)
        return;
    const enum td_job_state state = td_job_want(&s->job, key, &fresh);
    if (fresh) {
        TD_JOB_TAKE(&s->shown, &s->made, free_beside);
        s->any = true;
        show_first(s);
    }
    if (state != TD_JOB_WANTED)
        return;
    s->comparison = comparison;
    s->paths = &view->model.source_paths.all;
    memcpy(s->of_file, s->file, sizeof s->of_file);
    td_job_start(&s->job, key, run_beside, s);
}

void td_compare_source_free(struct compare_source *s)
{
    td_job_stop(&s->job);
    free_beside(&s->made);
    free_beside(&s->shown);
    s->any = false;
}

/* ---- the list ---- */

enum { OLD_SAMPLES, OLD_LINE, OLD_TEXT, NEW_SAMPLES, NEW_LINE, NEW_TEXT, COLUMNS };

static void draw_side(struct td_list_drawing *d, const struct td_beside *b, const struct td_line_pair *pair,
                      int side)
{
    const int column = side ? NEW_SAMPLES : OLD_SAMPLES;
    const uint32_t line = pair->line[side];
    const struct td_line_sum *sum = td_line_sums_find(&b->sums[side], line);
    char number[TD_FORMAT_BYTES];
    size_t bytes;
    if (pair->differs)
        td_ui_rect(d->view->ui, d->x[column], d->y, d->x[column + 3], d->y + d->height,
                   line ? td_color_alpha(side ? TD_C(READ) : TD_C(WRITTEN), .2f) : TD_C(CLOSED), 0);
    if (!line)
        return;
    if (sum && sum->self)
        td_list_text(d, column, TD_C(TEXT_DIM), td_format_count(number, sum->self));
    snprintf(number, sizeof number, "%" PRIu32, line);
    td_list_text(d, column + 1, TD_C(TEXT_FAINT), number);
    const char *text = td_source_text_line(&b->text[side], line, &bytes);
    if (text)
        td_source_draw_code(d, column + 2, b->language, b->states[side] ? b->states[side][line - 1] : 0, text,
                            bytes);
}

void td_compare_source_draw(struct td_view *view, struct compare_source *s, const struct td_rect *place)
{
    const float half = (place->right - place->left) / (2 * TD_U(view, 1)) - 70 - 52 - 6;
    const struct td_column columns[COLUMNS] = {
        [OLD_SAMPLES] = {.title = "Samples", .width = 70, .right = true, .fixed = true},
        [OLD_LINE] = {.title = "Line", .width = 52, .right = true, .fixed = true},
        [OLD_TEXT] = {.title = "Before", .width = half > 100 ? half : 100, .fixed = true},
        [NEW_SAMPLES] = {.title = "Samples", .width = 70, .right = true, .fixed = true},
        [NEW_LINE] = {.title = "Line", .width = 52, .right = true, .fixed = true},
        [NEW_TEXT] = {.title = "Now", .fixed = true}};
    struct td_list_drawing d;
    if (s->any && !s->shown.pairs.count) {
        td_ui_text_fit(view->ui, TD_FONT_TEXT, place->left + TD_U(view, 12), place->top + TD_U(view, 12),
                       place->right - place->left - TD_U(view, 24), TD_C(TEXT_DIM),
                       "Neither trace has the text of this file, and it is not on this machine.");
        return;
    }
    for (int i = td_list_begin(view, &s->list, columns, COLUMNS, (int)s->shown.pairs.count, place, &d);
         i < d.last; i++) {
        td_list_row(&d, i);
        for (int side = 0; side < 2; side++)
            draw_side(&d, &s->shown, &s->shown.pairs.at[i], side);
    }
    td_list_end(&d);
}

void td_compare_source_step(struct compare_source *s, bool forward)
{
    const size_t to = td_line_pairs_step(&s->shown.pairs, (size_t)s->list.selected - 1, forward);
    if (to == SIZE_MAX)
        return;
    s->list.selected = (int)to + 1;
    reveal_selected(s);
}

bool td_compare_source_key(struct compare_source *s, const struct td_key_press *press)
{
    bool enter;
    if (press->ctrl || press->alt || press->shift)
        return false;
    if (press->key == '.' || press->key == ',') {
        td_compare_source_step(s, press->key == '.');
        return true;
    }
    return td_list_key(&s->list, press, (int)s->shown.pairs.count, &enter);
}

/* Where the text of a side is from. Two texts that are read from one file are the same, which says nothing. */
static const char *origin_of(const struct td_beside *b, int side)
{
    const struct td_source_text *t = &b->text[side];
    if (!b->found[side])
        return "not in the trace";
    if (t->origin != TD_SOURCE_IN_TRACE && t->path && b->text[!side].path &&
        !strcmp(t->path, b->text[!side].path))
        return "the same file on this machine";
    return td_source_origin_name(t->origin);
}

void td_compare_source_describe(const struct compare_source *s, char *text, size_t bytes)
{
    const struct td_beside *b = &s->shown;
    if (!s->any)
        snprintf(text, bytes, "reading");
    else
        snprintf(text, bytes, "%.80s: %zu part%s differ%s; before: %s, now: %s",
                 TD_PLAIN(td_path_name(s->file)), b->pairs.parts, b->pairs.parts == 1 ? "" : "s",
                 b->pairs.parts == 1 ? "s" : "", origin_of(b, 0), origin_of(b, 1));
}

char *td_compare_source_copy(const struct compare_source *s)
{
    const struct td_beside *b = &s->shown;
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = s->any ? open_memstream(&text, &bytes) : NULL;
    if (!f)
        return NULL;
    for (size_t i = 0; i < b->pairs.count; i++)
        for (int side = b->pairs.at[i].differs ? 0 : 1; side < 2; side++) {
            const uint32_t line = b->pairs.at[i].line[side];
            size_t length;
            const char *code = line ? td_source_text_line(&b->text[side], line, &length) : NULL;
            if (code)
                fprintf(f, "%c%6" PRIu32 " %.*s\n",
                        !b->pairs.at[i].differs ? ' '
                        : side                  ? '+'
                                                : '-',
                        line, (int)length, code);
        }
    if (td_text_close(f, &text))
        return text;
    free(text);
    return NULL;
}
