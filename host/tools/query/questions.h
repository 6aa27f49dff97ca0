/* The questions of docs/queries, which are part of the program. */
#pragma once
#include <stddef.h>

struct query_question {
    const char *name;  /* of the file */
    const char *about; /* its first line */
    const char *text;
};
extern const struct query_question query_questions[];
extern const size_t query_question_count;
/* NULL: there is none of this name. */
const struct query_question *query_question_find(const char *name);
