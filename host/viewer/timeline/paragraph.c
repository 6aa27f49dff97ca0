#include "host/viewer/timeline/paragraph.h"
#include "host/viewer/timeline/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LINE_BYTES 400

/* The bytes of the words that fit, at least one. */
static size_t fit_words(struct td_view *view, enum td_font font, float width, const char *text)
{
    char line[LINE_BYTES];
    size_t fits = 0;
    for (size_t end = 0; end < LINE_BYTES - 1 && text[end];) {
        end += strspn(text + end, " ");
        end += strcspn(text + end, " ");
        snprintf(line, sizeof line, "%.*s", (int)end, text);
        if (fits && td_ui_text_width(view->ui, font, line) > width)
            break;
        fits = end;
    }
    return fits < LINE_BYTES ? fits : LINE_BYTES - 1;
}

float td_paragraph(struct td_view *view, enum td_font font, float x, float y, float width, td_rgba color,
                   const char *text, bool draw)
{
    const float high = roundf(td_ui_text_height(view->ui, font) * 1.3f);
    float used = 0;
    while (*text) {
        char line[LINE_BYTES];
        const size_t bytes = fit_words(view, font, width, text);
        snprintf(line, sizeof line, "%.*s", (int)bytes, text);
        if (draw)
            td_ui_text_fit(view->ui, font, x, y + used, width, color, line);
        used += high;
        text += bytes;
        text += strspn(text, " ");
    }
    return used;
}
