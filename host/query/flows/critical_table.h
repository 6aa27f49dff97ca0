/* The tables `wakeups`, which thread woke which one, and `critical_path`. */
#pragma once
#include "host/query/flows/critical.h"
#include "host/query/table/tables.h"

/* The request's `with` of `critical_path`, on the heap: of that thread, in the request's range. NULL: of the program's
 * main thread. */
struct td_critical_wanted {
    uint64_t thread;
};
