/* `tendril query --session`: a program asks one question after the other, as the Python package does. It writes a line of
 * JSON for each:
 *
 *   {"sql": "SELECT ...", "parameters": {"n": "3"}, "whole": true, "finish": false}
 *
 * and reads blocks of rows, each a line of JSON and then the columns as they are in memory:
 *
 *   {"columns": ["id", "name"], "kinds": "qt", "rows": 2, "bytes": [16, 27]}
 *
 * A column of the kind q has 64-bit integers, d doubles, t the lengths of its texts (64-bit integers) and then these, j an
 * array of JSON. "whole": each statement is one block. After the last block comes {"more": false, "live": false} or
 * {"error": "..."}. "live": the program that is asked still runs; with "finish", its session is ended before the question. */
#pragma once
#include "host/query/sql/sql.h"
#include "host/tools/query/live.h"

#include <stdio.h>

struct query_session {
    struct td_sql *sql;
    struct td_sql_question limits; /* of each question; text and parameters are not used */
    struct query_live *live;       /* NULL: files are asked */
    FILE *from, *to;
};

/* Until the end of the input. Mistakes in questions are answered. */
int query_session(const struct query_session *session, struct td_err *err);
