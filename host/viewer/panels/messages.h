/* The panel Messages: which threads' messages it lists. */
#pragma once
#include "host/base/err.h"

#include <stddef.h>
#include <stdint.h>

struct td_view;

const char *td_messages_word(size_t index); /* of the command messages; NULL: there are no more */
/* "all", "none" and "menu", which opens a menu of the threads; "only" lists those of the track. Any other word lists the
 * track's, too, or no longer. 0 or TD_E_NOMEM. */
int td_messages_choose(struct td_view *view, const char *word, uint32_t track, struct td_err *err);
