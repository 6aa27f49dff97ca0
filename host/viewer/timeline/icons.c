#include "host/viewer/timeline/icons.h"
#include "host/viewer/timeline/view.h"

#include <math.h>

#define MOST_LINES 7
#define GRID       16 /* units of a picture's square */

/* Lines from x0, y0 to x1, y1; all zero: no more. */
static const signed char lines[TD_GROUP_COUNT][MOST_LINES][4] = {
    [TD_GROUP_ZONES] = {{1, 4, 15, 4}, {1, 8, 10, 8}, {3, 12, 8, 12}},
    [TD_GROUP_CORES] = {{4, 4, 12, 4},
                        {12, 4, 12, 12},
                        {12, 12, 4, 12},
                        {4, 12, 4, 4},
                        {8, 1, 8, 4},
                        {8, 12, 8, 15},
                        {1, 8, 15, 8}},
    [TD_GROUP_THREADS] = {{1, 4, 9, 4}, {9, 4, 9, 8}, {9, 8, 15, 8}, {1, 12, 5, 12}, {5, 12, 5, 8}},
    [TD_GROUP_MEMORY] = {{1, 4, 15, 4},
                         {15, 4, 15, 11},
                         {15, 11, 1, 11},
                         {1, 11, 1, 4},
                         {5, 11, 5, 14},
                         {8, 11, 8, 14},
                         {11, 11, 11, 14}},
    [TD_GROUP_SAMPLES] = {{2, 14, 2, 9}, {6, 14, 6, 4}, {10, 14, 10, 7}, {14, 14, 14, 2}},
    [TD_GROUP_SOURCE] = {{5, 4, 1, 8}, {1, 8, 5, 12}, {11, 4, 15, 8}, {15, 8, 11, 12}, {9, 2, 7, 14}},
    [TD_GROUP_SESSION] =
        {{2, 2, 14, 2}, {14, 2, 14, 14}, {14, 14, 2, 14}, {2, 14, 2, 2}, {5, 6, 11, 6}, {5, 10, 9, 10}},
};

void td_draw_icon(struct td_view *view, enum td_panel_group group, float x, float y, float size,
                  td_rgba color)
{
    const float unit = size / GRID, thick = fmaxf(roundf(unit * 1.4f), 1);
    for (int i = 0; i < MOST_LINES; i++) {
        const signed char *l = lines[group][i];
        const float x0 = x + unit * (float)l[0], y0 = y + unit * (float)l[1], x1 = x + unit * (float)l[2],
                    y1 = y + unit * (float)l[3];
        if (l[0] == l[2] && l[1] == l[3])
            break;
        if (l[0] == l[2] || l[1] == l[3]) /* sharp */
            td_ui_rect(view->ui, roundf(fminf(x0, x1)), roundf(fminf(y0, y1)),
                       roundf(fmaxf(x0, x1)) + (l[0] == l[2] ? thick : 0),
                       roundf(fmaxf(y0, y1)) + (l[1] == l[3] ? thick : 0), color, 0);
        else
            td_ui_line(view->ui, x0, y0, x1, y1, color, thick);
    }
}
