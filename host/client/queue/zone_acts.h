/* What markers do to zones that were begun in another thread's queue: ends, texts and so on. They wait in one list,
 * so that the consumer knows of them before it takes what the zone's thread has marked later. Any thread and
 * signal handler may add. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_zone_act {
    struct td_zone_act *next;
    int64_t time;
    uint64_t value;   /* or the colour */
    uint64_t fiber;   /* that the marker's thread was in; 0: none */
    uint32_t kind;    /* TD_REC_ZONE_END, _VALUE, _COLOR, _TEXT, _NAME */
    uint32_t zone;    /* its number; 0: the innermost open zone */
    uint32_t thread;  /* of the marker */
    uint32_t session; /* of the consumer */
    bool checked;     /* its misuse is reported to stock recorders */
    bool twin;        /* as in records.h */
    bool reported;
    uint32_t bytes;
    const char *text; /* of `bytes`; in an act of a list it is the act's own */
};

/* A copy in memory from the pool; NULL: no memory. */
struct td_zone_act *td_zone_act_copy(const struct td_zone_act *act);
/* Adds a copy to the list. False: no memory. */
bool td_zone_act_add(const struct td_zone_act *act);
/* Takes the list, in the order of adding. The caller frees each act with td_pool_free(). */
struct td_zone_act *td_zone_acts_take(void);
void td_zone_acts_forked(void); /* in the child of fork(), which has no acts */
