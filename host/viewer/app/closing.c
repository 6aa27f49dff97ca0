#include "host/viewer/app/closing.h"
#include "host/base/plain_text.h"

#include <math.h>
#include <stdio.h>

void td_closing_ask(struct td_closing *closing, bool leaves)
{
    *closing = (struct td_closing){.stage = TD_CLOSING_ASKS, .leaves = leaves};
}

static void choose_save(struct td_closing *closing, const struct td_page *page)
{
    struct td_live_facts facts;
    td_live_get_facts(page->live, &facts);
    td_live_offer_name(&facts, closing->path, sizeof closing->path);
    closing->stage = TD_CLOSING_NAMES;
    closing->focus = true;
}

static void start_saving(struct td_closing *closing, const struct td_page *page)
{
    struct td_save_options options = {0};
    struct td_err why = {0};
    snprintf(options.path, sizeof options.path, "%s", closing->path);
    closing->trouble[0] = 0;
    if (!closing->path[0])
        snprintf(closing->trouble, sizeof closing->trouble, "the file needs a name");
    else if (td_live_save(page->live, &options, &why) < 0)
        td_plain_copy(closing->trouble, sizeof closing->trouble, why.text);
    else
        closing->stage = TD_CLOSING_SAVES;
}

void td_closing_key(struct td_closing *closing, const struct td_page *page, const struct td_key_press *press)
{
    if (press->key == TD_KEY_ESCAPE)
        closing->stage = TD_CLOSING_NONE;
    if (closing->stage != TD_CLOSING_ASKS)
        return;
    if (press->key == 's')
        choose_save(closing, page);
    else if (press->key == 'y')
        closing->agreed = true;
    else if (press->key == 'n')
        closing->stage = TD_CLOSING_NONE;
}

struct dialog {
    struct td_ui *ui;
    float scale, x, y, wide, high, pad;
};

static bool draw_button(const struct dialog *d, const char *label, int from_right)
{
    const float wide = fminf(130 * d->scale, (d->wide - 4 * d->pad) / 3), line = 28 * d->scale;
    return td_ui_button(d->ui, label, d->x + d->wide - (wide + d->pad) * (float)(from_right + 1),
                        d->y + d->high - d->pad - line, wide, line);
}

static void draw_line(const struct dialog *d, enum td_font font, float y, td_rgba color, const char *text)
{
    td_ui_text_fit(d->ui, font, d->x + d->pad, d->y + y * d->scale, d->wide - 2 * d->pad, color, text);
}

static void draw_choice(struct td_closing *closing, const struct td_page *page, const struct dialog *d)
{
    draw_line(d, TD_FONT_BOLD, 18, TD_C(TEXT), "Save this session? Its newest events are in no file.");
    draw_line(d, TD_FONT_TEXT, 42, TD_C(TEXT_DIM), TD_PLAIN(td_page_title(page)));
    if (draw_button(d, "Save (S)", 2))
        choose_save(closing, page);
    if (draw_button(d, "Discard (Y)", 1))
        closing->agreed = true;
    if (draw_button(d, "Cancel (Esc)", 0))
        closing->stage = TD_CLOSING_NONE;
}

static void draw_name(struct td_closing *closing, const struct td_page *page, const struct dialog *d)
{
    draw_line(d, TD_FONT_BOLD, 18, TD_C(TEXT), "Save as a new file");
    const int input =
        td_ui_input(d->ui, "##close-save", "File", d->x + d->pad, d->y + 42 * d->scale, d->wide - 2 * d->pad,
                    28 * d->scale, closing->path, sizeof closing->path, closing->focus);
    closing->focus = false;
    draw_line(d, TD_FONT_TEXT, 78, TD_C(LOST), closing->trouble);
    if (draw_button(d, "Save (Enter)", 1) || (input & TD_INPUT_ENTER))
        start_saving(closing, page);
    if (draw_button(d, "Cancel (Esc)", 0))
        closing->stage = TD_CLOSING_NONE;
}

static void draw_progress(struct td_closing *closing, const struct td_page *page, const struct dialog *d)
{
    const struct td_saving *saving = td_live_saving(page->live);
    char text[60];
    snprintf(text, sizeof text, "saving: %.0f %%", td_saving_part(saving) * 100);
    draw_line(d, TD_FONT_BOLD, 18, TD_C(TEXT), text);
    if (draw_button(d, "Cancel (Esc)", 0))
        closing->stage = TD_CLOSING_NONE;
    if (td_saving_get_state(saving) == TD_SAVING_DONE)
        closing->agreed = true;
    if (td_saving_get_state(saving) != TD_SAVING_FAILED)
        return;
    td_plain_copy(closing->trouble, sizeof closing->trouble, td_saving_text(saving));
    closing->stage = TD_CLOSING_NAMES;
    closing->focus = true;
}

enum td_closing_answer td_closing_draw(struct td_closing *closing, const struct td_page *page,
                                       struct td_ui *ui)
{
    static void (*const draw[])(struct td_closing *, const struct td_page *, const struct dialog *) = {
        [TD_CLOSING_ASKS] = draw_choice, [TD_CLOSING_NAMES] = draw_name, [TD_CLOSING_SAVES] = draw_progress};
    const float scale = td_ui_scale(ui);
    struct dialog d = {.ui = ui, .scale = scale, .pad = 18 * scale, .high = 148 * scale};
    d.wide = fminf(480 * scale, td_ui_width(ui));
    d.x = (td_ui_width(ui) - d.wide) / 2;
    d.y = fmaxf((td_ui_height(ui) - d.high) / 3, 0);
    if (closing->stage != TD_CLOSING_NONE) {
        td_ui_region_begin(ui, "question", d.x, d.y, d.wide, d.high, TD_C(PANEL), TD_LAYER_TOP);
        draw[closing->stage](closing, page, &d);
        td_ui_region_end(ui);
    }
    const enum td_closing_answer answer = closing->agreed                     ? TD_CLOSING_CLOSE
                                          : closing->stage == TD_CLOSING_NONE ? TD_CLOSING_STAYS
                                                                              : TD_CLOSING_WAITS;
    if (answer != TD_CLOSING_WAITS) {
        td_ui_blur(ui);
        *closing = (struct td_closing){.leaves = closing->leaves};
    }
    return answer;
}
