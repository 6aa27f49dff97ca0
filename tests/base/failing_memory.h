/* Allocations that fail. The linker sends the allocations of our code here (--wrap=malloc ...); those of other
 * libraries are left alone. One thread at a time. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Allocation number `after` fails (0: the next one); -1: none does. */
void memory_fails(long after);
void memory_fails_for_good(bool for_good); /* all that follow the one that fails do, too; false at first */
long memory_left(void);                    /* allocations until one fails, -1: none does */
long memory_failures(void);                /* allocations that have failed so far */
bool memory_fails_now(void);               /* counts an allocation of another kind; true: it has to fail */
