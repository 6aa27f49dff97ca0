/* The tables of samples: symbols, stacks and wait_stacks. A request may be with a struct td_samples_wanted on the heap. */
#pragma once
#include "host/query/code/symbol_sums.h"
#include "host/query/code/wait_stacks.h"
#include "host/query/table/tables.h"

enum td_symbols_by { TD_BY_FUNCTION, TD_BY_FILE, TD_BY_IMAGE };

struct td_samples_wanted { /* all zero: all samples of running threads */
    uint32_t *tracks;      /* owned; NULL: of all tracks */
    size_t track_count;
    /* stacks: */
    uint64_t key;            /* td_level_key() of the function that is sampled; 0: any */
    bool anywhere;           /* the function may also be one that called the sampled one */
    uint64_t address, bytes; /* the sample is in this code; bytes 0: anywhere */
    /* symbols: */
    bool joined;    /* inlined functions count as those that they are inlined into */
    bool no_kernel; /* functions of the kernel are left out */
    enum td_symbols_by by;
    char within[200];                   /* only samples in zones of this name; "": all */
    const struct td_symbol_sums *given; /* these, which must outlive the rows; NULL: those of the request */
};
/* The samples of the request. */
struct td_samples_choice td_samples_of(const struct td_query_request *of);
void td_samples_wanted_free(void *wanted);

/* The functions of a call stack, innermost first, as in a list, or for programs. */
struct td_query_value td_is_stack(const struct td_query_rows *rows, uint32_t stack, bool in_list,
                                  char room[TD_QUERY_ROOM]);

/* Of rows of `symbols`. The name of a row by file or image is that of the file or image. */
const struct td_symbol_sums *td_symbols_of(const struct td_query_rows *rows);
/* Of rows of `stacks`: the call stack; all samples in them. */
uint32_t td_stacks_at(const struct td_query_rows *rows, uint64_t row);
uint64_t td_stacks_samples(const struct td_query_rows *rows);
/* Of rows of `wait_stacks`. */
const struct td_wait_stacks *td_wait_stacks_of(const struct td_query_rows *rows);
