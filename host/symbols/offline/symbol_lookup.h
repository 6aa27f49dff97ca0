/* What addresses of one image mean, from its file on this machine. The file is read by another process, so
 * that whatever stands in it cannot do harm.
 *
 *   symbol_lookup.c   that process, and what it sends
 *   symbol_file.c     in it: one file
 *   symbol_tool.c     in it: another program that is asked */
#ifndef TD_HOST_SYMBOLS_OFFLINE_SYMBOL_LOOKUP_H
#define TD_HOST_SYMBOLS_OFFLINE_SYMBOL_LOOKUP_H
#include "host/base/err.h"

#include <stddef.h>
#include <stdint.h>

struct td_lookup_address {
    uint64_t address; /* in the program */
    uint64_t place;   /* in the file, as its symbols have it */
    int placed;       /* `place` is known */
};
/* A function of the image that is known already: tells where in memory the image was. */
struct td_lookup_hint {
    uint64_t address, bytes; /* 0: not known */
    const char *name;
};
struct td_lookup {
    const char *path;
    const struct td_lookup_address *addresses;
    size_t count;
    const struct td_lookup_hint *hints;
    size_t hint_count;
    int places_only;              /* nothing but the places is asked for */
    const char *tool, *arguments; /* a program to ask; NULL: none */
};

struct td_lookup_line {
    const char *function, *file; /* NULL: not known */
    uint32_t line;
    uint64_t symbol, bytes;  /* the function's place in the file; 0: not known */
    const char *symbol_file; /* where it begins; NULL: not known */
    uint32_t symbol_line;
};
/* Takes an answer; all in it is gone afterwards. `placed` tells whether `place` is known; lines: innermost
 * first, 0: nothing is known. 0 or TD_E_NOMEM. */
typedef int td_lookup_take(void *self, size_t index, int placed, uint64_t place,
                           const struct td_lookup_line *lines, unsigned count);

/* How it went. */
struct td_lookup_end {
    struct td_err
        notice;     /* what kept it from more, one line: no such file, no ELF file ...; "": nothing did */
    int names_only; /* there is no debug information */
};
/* Answers for all addresses, in their order, each once. */
int td_lookup_run(const struct td_lookup *lookup, td_lookup_take *take, void *self, struct td_lookup_end *end,
                  struct td_err *err);

/* ---- inside of the other process ---- */

struct td_symbol_file;
/* NULL: *err says why. With names_only debug information is not read. */
struct td_symbol_file *td_symbol_file_open(const struct td_lookup *lookup, int names_only,
                                           struct td_err *err);
void td_symbol_file_close(struct td_symbol_file *file);
int td_symbol_file_has_lines(const struct td_symbol_file *file);
/* 1: *place is known. */
int td_symbol_file_place(const struct td_symbol_file *file, const struct td_lookup_address *address,
                         uint64_t *place);
/* How many lines; their texts live until the next call. */
unsigned td_symbol_file_find(struct td_symbol_file *file, uint64_t place, struct td_lookup_line *lines,
                             unsigned most);
/* The function that the place is in, into line->symbol and ->bytes. */
void td_symbol_file_extent(const struct td_symbol_file *file, uint64_t place, struct td_lookup_line *line);

/* Where the function that begins at the place begins in the source: the innermost line at its first
 * instruction. NULL: not known; lives until the next call. */
const char *td_symbol_file_begins(struct td_symbol_file *file, uint64_t place, uint32_t *line);

/* Asks the tool for the places; take() gets the answers in their order, index among them, as far as there are
 * any. 0, or TD_E_NOTFOUND (it cannot be run), TD_E_USAGE, TD_E_NOMEM. */
int td_symbol_tool_ask(const struct td_lookup *lookup, const uint64_t *places, size_t count,
                       void (*take)(void *self, size_t index, struct td_lookup_line *lines, unsigned count),
                       void *self, struct td_err *err);
#endif
