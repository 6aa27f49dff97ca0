/* Filters of lists: terms between commas. A text passes if it contains one of the terms, in any case, and none of
 * those that begin with a minus: `draw, load, -shadow`. Without a term to contain, all pass that contain none of the
 * others. */
#ifndef TD_HOST_VIEWER_ANALYSIS_TEXT_FILTER_H
#define TD_HOST_VIEWER_ANALYSIS_TEXT_FILTER_H
#include <stdbool.h>

/* `more` is a second text, such as the file of a zone, in which terms may be, too; NULL: none. */
bool td_text_passes(const char *filter, const char *text, const char *more);
#endif
