/* Two versions of a text, line beside line: as few lines as possible are in one version only. */
#pragma once
#include "host/query/code/source_text.h"

struct td_line_pair {
    uint32_t line[2]; /* from 1 on; 0: that version has none */
    bool differs;
};
struct td_line_pairs { /* all zero: none */
    struct td_line_pair *at;
    size_t count;
    size_t parts; /* runs of lines that differ */
};

/* Lines that differ are side by side as long as both versions have some; where there are too many to find the least,
 * all of them differ. 0 or TD_E_NOMEM. Free in any case. */
int td_line_pairs_make(struct td_line_pairs *pairs, const struct td_source_text *before,
                       const struct td_source_text *now);
void td_line_pairs_free(struct td_line_pairs *pairs);
/* The first pair of the next part after a pair, or of the one before it; SIZE_MAX: there is none. */
size_t td_line_pairs_step(const struct td_line_pairs *pairs, size_t from, bool forward);
