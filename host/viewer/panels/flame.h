/* The panel Flame, as commands and other panels drive it. */
#pragma once
#include "host/base/err.h"

#include <stddef.h>

struct td_view;

/* Opens the panel and does what a word says, with a value for some. 0, or TD_E_USAGE. */
int td_flame_do(struct td_view *view, const char *word, const char *value, struct td_err *err);
/* The index-th word; NULL: there are no more. */
const char *td_flame_word(size_t index);
