/* Shared by the tests of stock programs' traces: finding the traces, and short functions to read a model. */
#pragma once
#include "host/file/file.h"
#include "host/trace/fill.h"
#include "host/trace/tables.h"

#define CORPUS_VERSIONS 7
extern const char *const corpus_versions[CORPUS_VERSIONS]; /* folders, the oldest first */
int corpus_before(size_t version, const char *folder);     /* 1: older than that; the fork is as 0.10 */

/* The path of the copy in tests/data, else of that in the corpus; NULL: in neither. Valid until the next
 * call. */
const char *corpus_path(const char *folder, const char *name);
/* Reads corpus_path() of each version and calls `check` with it. Fails the test if no version has the
 * file. */
void corpus_each(const char *name, void (*check)(const struct td_trace *trace, size_t version));
/* Visits every .tracy file of tests/data and of the corpus; returns how many are in tests/data. */
unsigned corpus_all(void (*visit)(const char *path));
struct td_trace *corpus_read(const char *path); /* fails the test when it cannot */

const char *text_of(const struct td_trace *trace, uint32_t string);
/* A value in a row of a table or a list, as a number and as a text. */
int64_t at(const struct td_trace *trace, enum td_table table, uint64_t row, unsigned column);
int64_t in(const struct td_trace *trace, enum td_table table, uint64_t parent, uint64_t row, unsigned column);
const char *text_at(const struct td_trace *trace, enum td_table table, uint64_t row, unsigned column);
uint64_t rows(const struct td_trace *trace, enum td_table table);
uint64_t rows_in(const struct td_trace *trace, enum td_table table, uint64_t parent);

/* Zones of that name (NULL: all) in tracks of that GPU context (0: in threads). */
uint64_t zones_of(const struct td_trace *trace, uint32_t context, const char *name);
uint64_t open_zones(const struct td_trace *trace);
/* Calls `check` for each such zone. */
typedef void zone_check(const struct td_trace *trace, uint32_t track, struct td_zone zone);
void each_zone(const struct td_trace *trace, uint32_t context, const char *name, zone_check *check);
/* The track, plot, frame set, GPU context (counted from 1) of that name, or -1. */
int64_t track_named(const struct td_trace *trace, const char *name);
int64_t plot_named(const struct td_trace *trace, const char *name);
int64_t frames_named(const struct td_trace *trace, const char *name);
int64_t context_named(const struct td_trace *trace, const char *name);
uint64_t messages_with(const struct td_trace *trace, const char *begin);
