/* The shell of `tendril query`: reads statements and commands (.help) from the terminal, with history and completion, or
 * from standard input. */
#pragma once
#include "host/tools/query/print.h"

struct query_shell {
    struct td_sql *sql;
    struct query_print *print;
    struct td_sql_question limits;  /* of each question; `text` is not used */
    const volatile int *interrupts; /* how often the user has pressed Ctrl-C */
    bool grows;                     /* the trace: each question is about what it has then */
};

/* Until .quit or the end of the input. Mistakes in questions are printed; those of an input that is no terminal end it. */
int query_shell(const struct query_shell *shell, struct td_err *err);
