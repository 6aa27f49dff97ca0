/* Labels of threads, cores and their groups are dragged into another order; a press that does not move opens and closes.
 */
#pragma once
#include <stdbool.h>

struct td_view;

/* The button was pressed on the label under the mouse. */
void td_label_drag_begin(struct td_view *view);
/* The mouse has moved: finds where the row would come. Returns how far the rows are to scroll. */
float td_label_drag_move(struct td_view *view);
/* The button was released. True: the label was clicked. */
bool td_label_drag_end(struct td_view *view);
/* A line where the row would come. */
void td_draw_label_drag(struct td_view *view);
