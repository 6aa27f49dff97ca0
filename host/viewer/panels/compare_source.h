/* The panel Compare: a source file as both traces have it, line beside line, with the samples of each. */
#pragma once
#include "host/query/code/line_sums.h"
#include "host/query/diff/comparison.h"
#include "host/query/diff/line_pairs.h"
#include "host/viewer/panels/lexer.h"
#include "host/viewer/panels/list.h"

struct td_beside { /* all zero: nothing */
    struct td_source_text text[2];
    struct td_line_sums sums[2];
    td_lex_state *states[2];
    enum td_language language;
    struct td_line_pairs pairs;
    bool found[2]; /* the trace names the file */
};

struct compare_source { /* all zero: not shown */
    bool on;            /* in the place of the list */
    char file[1000];    /* that is shown, or the end of its name */
    uint32_t line;      /* of this trace, to be shown first; 0: the first that differs */
    struct td_job job;
    const struct td_comparison *comparison; /* the request of the job */
    const struct td_path_substitutions *paths;
    char of_file[1000];
    struct td_beside made, shown;
    bool any;
    struct td_list list;
};

/* Makes what is to be shown, and takes what was made. `loads` changes with the comparison. */
void td_compare_source_update(struct td_view *view, struct compare_source *source,
                              const struct td_comparison *comparison, uint64_t loads);
/* Ends the work before the comparison is freed; the file is kept. */
void td_compare_source_free(struct compare_source *source);
void td_compare_source_draw(struct td_view *view, struct compare_source *source, const struct td_rect *place);
/* Steps to the next part that differs, or the one before. */
void td_compare_source_step(struct compare_source *source, bool forward);
bool td_compare_source_key(struct compare_source *source, const struct td_key_press *press);
/* What is said of it. */
void td_compare_source_describe(const struct compare_source *source, char *text, size_t bytes);
/* Lines that begin with a space, -, or +, and their numbers; the caller frees it. NULL: none. */
char *td_compare_source_copy(const struct compare_source *source);
