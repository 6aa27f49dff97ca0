/* Searches zones by name, in the background. The result is a list of names and a set of zones; both grow until
 * the search is done. The functions are for the viewer's thread. */
#pragma once
#include "host/query/sums/matches.h"

struct td_find_name {
    const char *name; /* owned by the dictionary */
    uint64_t count;
    int64_t total_ns;
    uint32_t srcloc; /* one of the source locations with that name */
};

struct td_search;

struct td_find { /* all zero: no search */
    char text[128];
    const char *only;           /* NULL, or the name of the list that the user chose */
    struct td_find_name *names; /* longest total time first */
    size_t name_count, name_capacity;
    uint64_t zones;             /* sum of the counts */
    struct td_matches *matches; /* NULL: none */
    unsigned generation;        /* changes when there are more matches, or others */
    bool active;
    struct td_search *search; /* that runs; NULL: none */
};

/* Starts to search for names that pass the filter `text` (text_filter.h), or, if `only` is set, for that exact
 * name. An empty text ends the search. Ends the search before, whose result is kept until the first
 * td_find_take(). */
int td_find_start(struct td_find *find, const struct td_trace *trace, struct td_err *err);
/* Takes what has been found since; true: something has. */
bool td_find_take(struct td_find *find);
/* True: the search has not ended, or its end was not taken. */
bool td_find_pending(const struct td_find *find);
/* Starts to search, and waits for the end. */
int td_find_run(struct td_find *find, const struct td_trace *trace, struct td_err *err);
/* Ends the search that runs; what it has found is kept. */
void td_find_stop(struct td_find *find);
void td_find_free(struct td_find *find);
