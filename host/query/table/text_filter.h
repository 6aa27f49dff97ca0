/* Filters of lists: terms between commas. A text passes if it contains one of the terms, in any case, and none of
 * those that begin with a minus: `draw, load, -shadow`. Without a term to contain, all pass that contain none of the
 * others. A term in quotes may have commas: `"f(int, int)", -shadow`. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* `more` is a second text, such as the file of a zone, in which terms may be, too; NULL: none. */
bool td_text_passes(const char *filter, const char *text, const char *more);
/* A term may be in each of the texts, of which some may be NULL. */
bool td_texts_pass(const char *filter, const char *const *texts, size_t count);
/* Whether the filter is this name and nothing else. */
bool td_text_is_name(const char *filter, const char *name);
/* The filter that is this name; a name that has no room for its quotes has none. */
void td_text_of_name(const char *name, char *filter, size_t bytes);
