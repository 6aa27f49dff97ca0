#include "host/viewer/panels/manual.h"
#include "host/viewer/timeline/paragraph.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WIDTH      760
#define MARGIN     24
#define HEAD       40
#define CELL       220 /* width of the first column of a table */
#define TEXT_BYTES 4000

extern const unsigned char td_manual_text[]; /* made of docs/viewer.md when the program is built */
#define MANUAL ((const char *)td_manual_text)

struct manual_state {
    const char *section; /* in td_manual_text */
    float high;          /* as it was drawn last */
    float wanted;        /* pixels to scroll to, + 1; 0: none */
};

TD_PANEL_STATE(manual_state, MANUAL)

void td_manual_show(struct td_view *view, const char *title)
{
    struct manual_state *s = state_of(view);
    char head[200];
    s->section = MANUAL;
    s->wanted = 1;
    if (title) {
        snprintf(head, sizeof head, "\n## %s\n", title);
        const char *at = strstr(MANUAL, head);
        s->section = at ? at + 1 : s->section;
    }
    td_panel_set_open(view, TD_PANEL_MANUAL, true);
}

/* ---- the text ---- */

/* A part of a line as plain text, without the marks of Markdown; of a link, its text. */
static void put_plain(char *to, size_t bytes, const char *from, size_t length)
{
    size_t used = strlen(to);
    for (size_t i = 0; i < length && used + 1 < bytes; i++) {
        if (from[i] == '`' || (from[i] == '*' && i + 1 < length && from[i + 1] == '*') ||
            (i && from[i] == '*' && from[i - 1] == '*'))
            continue;
        if (from[i] == '\\' || from[i] == '[')
            continue;
        if (from[i] == ']' && i + 1 < length && from[i + 1] == '(') {
            while (i < length && from[i] != ')')
                i++;
            continue;
        }
        to[used++] = from[i];
    }
    to[used] = 0;
}

static const char *next_line(const char *line)
{
    line += strcspn(line, "\n");
    return *line ? line + 1 : line;
}

static bool begins_block(const char *line)
{
    return *line == '\n' || *line == '|' || *line == '#' || *line == '!' || !strncmp(line, "* ", 2) ||
           !strncmp(line, "```", 3);
}

struct manual_page {
    struct td_view *view;
    float x, y, wide;
};

static void put_text(struct manual_page *p, enum td_font font, float indent, td_rgba color, const char *text,
                     float gap)
{
    p->y += td_paragraph(p->view, font, p->x + indent, p->y, p->wide - indent, color, text, true) +
            TD_U(p->view, gap);
}

/* The cells of a row; the first in its own column. */
static void draw_table_row(struct manual_page *p, const char *line)
{
    char cells[2][TEXT_BYTES] = {"", ""};
    const char *end = line + strcspn(line, "\n"), *middle = line + 1;
    while (middle < end && !(*middle == '|' && middle[-1] != '\\'))
        middle++;
    if (line[1] == '-' || line[2] == '-')
        return;
    put_plain(cells[0], sizeof cells[0], line + 2, middle > line + 2 ? (size_t)(middle - line) - 2 : 0);
    if (middle < end)
        put_plain(cells[1], sizeof cells[1], middle + 1, (size_t)(end - middle) - 2);
    const float first = fminf(TD_U(p->view, CELL), p->wide * .4f), gap = TD_U(p->view, 12);
    const float left = td_paragraph(p->view, TD_FONT_TEXT, p->x, p->y, first - gap, TD_C(ACCENT), cells[0],
                                    true),
                right = td_paragraph(p->view, TD_FONT_TEXT, p->x + first, p->y, p->wide - first,
                                     TD_C(TEXT_DIM), cells[1] + strspn(cells[1], " "), true);
    p->y += fmaxf(left, right) + TD_U(p->view, 4);
}

/* Draws the block at the line; returns the line after it. */
static const char *draw_block(struct manual_page *p, const char *line)
{
    char text[TEXT_BYTES] = "";
    const size_t length = strcspn(line, "\n");
    if (*line == '\n' || *line == '!')
        return next_line(line);
    if (*line == '#') {
        const size_t marks = strspn(line, "# ");
        put_plain(text, sizeof text, line + marks, length - marks);
        p->y += TD_U(p->view, 8);
        put_text(p, TD_FONT_BOLD, 0, TD_C(TEXT), text, 8);
        return next_line(line);
    }
    if (*line == '|') {
        draw_table_row(p, line);
        return next_line(line);
    }
    if (!strncmp(line, "```", 3)) {
        for (line = next_line(line); *line && strncmp(line, "```", 3) != 0; line = next_line(line)) {
            snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
            put_text(p, TD_FONT_MONO, TD_U(p->view, 12), TD_C(TEXT_DIM), text, 0);
        }
        p->y += TD_U(p->view, 8);
        return next_line(line);
    }
    const bool item = !strncmp(line, "* ", 2);
    const char *at = item ? line + 2 : line;
    do {
        if (*text)
            strcat(text, " ");
        at += strspn(at, " ");
        put_plain(text, sizeof text - 2, at, strcspn(at, "\n"));
        at = next_line(at);
    } while (*at && !begins_block(at));
    if (item)
        td_ui_rect(p->view->ui, p->x + TD_U(p->view, 4), p->y + TD_U(p->view, 6), p->x + TD_U(p->view, 8),
                   p->y + TD_U(p->view, 10), TD_C(ACCENT), TD_U(p->view, 2));
    put_text(p, TD_FONT_TEXT, item ? TD_U(p->view, 16) : 0, TD_C(TEXT), text, 8);
    return at;
}

/* ---- the window ---- */

static void draw_manual(struct td_view *view, const struct td_rect *place)
{
    struct manual_state *s = state_of(view);
    struct td_ui *ui = view->ui;
    const float margin = TD_U(view, MARGIN), head = TD_U(view, HEAD), all = td_ui_width(ui),
                bottom = td_ui_height(ui);
    const float wide = fminf(TD_U(view, WIDTH), all - TD_U(view, 16)), x = floorf((all - wide) / 2),
                y = place->top + TD_U(view, 8), high = fmaxf(bottom - y - TD_U(view, 8), 1);
    int first, last;
    float top;
    if (!s->section)
        s->section = MANUAL;
    td_ui_region_begin(ui, td_panel_manual.name, x, y, wide, high, TD_C(RAISED), TD_LAYER_TOP);
    td_ui_text_fit(ui, TD_FONT_SMALL, x + margin, y + (head - td_ui_text_height(ui, TD_FONT_SMALL)) / 2,
                   wide - 2 * margin, TD_C(TEXT_FAINT),
                   "Manual of the viewer     Esc: close     Home: all of it");
    td_ui_list_begin(ui, "manual", x, y + head, wide, fmaxf(high - head, 1), (int)s->high, 1, &first, &last,
                     &top);
    if (s->wanted > 0)
        td_ui_list_show(ui, s->wanted - 1, high);
    s->wanted = 0;
    const float begin = top - (float)first;
    struct manual_page p = {view, x + margin, begin, wide - 2 * margin};
    const char *line = s->section;
    do
        line = draw_block(&p, line);
    while (*line && (s->section == MANUAL || strncmp(line, "## ", 3) != 0));
    s->high = p.y - begin + margin;
    td_ui_list_end(ui);
    const bool outside = !td_ui_region_hovered(ui) && td_ui_mouse_pressed(ui, TD_MOUSE_LEFT);
    td_ui_region_end(ui);
    if (outside)
        td_panel_set_open(view, TD_PANEL_MANUAL, false);
}

static void open_manual(struct td_view *view)
{
    td_manual_show(view, view->panels.table[view->panels.focus]->page);
}

static bool take_manual_key(struct td_view *view, const struct td_key_press *press)
{
    if (!td_panel_is_open(view, TD_PANEL_MANUAL) || press->key != TD_KEY_HOME)
        return false;
    td_manual_show(view, NULL);
    return true;
}

static const struct td_help_line manual_help[] = {
    {"F1", "what the manual says of the panel with the keyboard"},
    {0},
};

const struct td_panel td_panel_manual = {
    .name = "manual",
    .dock = TD_DOCK_OVERLAY,
    .keys = {{.key = TD_KEY_F1}},
    .help = manual_help,
    .state_bytes = sizeof(struct manual_state),
    .draw = draw_manual,
    .open = open_manual,
    .take_key = take_manual_key,
};
