/* Values that get numbers in the order in which they come. */
#pragma once
#include "host/base/grow.h"

#include <stdbool.h>

struct td_known { /* all zero: none */
    int32_t (*values)[4];
    uint32_t *slots; /* number + 1 of a value; 0: none */
    size_t count, room, slot_count;
};

/* The number of the value, which is new if it is the count before the call; UINT32_MAX: no memory. */
uint32_t td_known_number(struct td_known *known, const int32_t value[4]);
void td_known_clear(struct td_known *known);
void td_known_free(struct td_known *known);
