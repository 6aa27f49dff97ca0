/* A trace that grows: a thread collects the events of a program, or of a served trace, as a recorder does. */
#pragma once
#include "host/base/err.h"
#include "host/trace/trace.h"

#include <stdbool.h>

struct query_live;

/* Waits until the program at HOST:PORT is connected. NULL: see err; TD_E_STOPPED when *interrupts changes. */
struct query_live *query_live_open(const char *address, const volatile int *interrupts, struct td_err *err);
/* The model, valid until query_live_close(); it may be read while it grows. */
struct td_trace *query_live_trace(struct query_live *live);
/* False: the session has ended, and the model will not grow. */
bool query_live_runs(const struct query_live *live);
/* Collects what the program has marked so far, ends the session, and finishes the model. 0 or a negative enum td_e. */
int query_live_finish(struct query_live *live, struct td_err *err);
void query_live_close(struct query_live *live); /* NULL is allowed */
