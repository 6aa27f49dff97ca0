#include "host/tools/query/questions.h"

#include <string.h>

const struct query_question *query_question_find(const char *name)
{
    for (size_t i = 0; i < query_question_count; i++)
        if (!strcmp(query_questions[i].name, name))
            return &query_questions[i];
    return NULL;
}
