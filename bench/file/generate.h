/* A made trace: threads of zones that nest three to five deep, of some two hundred names, some with texts,
 * with durations of all orders of magnitude. The same for the same number. */
#pragma once
#include "host/trace/trace.h"

/* A finished trace of exactly that many zones; NULL: no memory. */
struct td_trace *generate(uint64_t zones);
