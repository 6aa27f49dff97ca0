/* Looks up addresses of one image in its file on this machine. A child process reads the file, so that a
 * malicious or damaged file cannot harm this one.
 *
 *   symbol_lookup.c   the child process, and the messages it sends
 *   symbol_file.c     in the child: reads one file
 *   symbol_tool.c     in the child: asks another program (addr2line) */
#pragma once
#include "host/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_lookup_address {
    uint64_t address; /* in the program */
    uint64_t place;   /* in the file, as in its symbol table */
    int placed;       /* 1: `place` is known */
};
/* A known function of the image. From it follows where in memory the image was. */
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
    int places_only;              /* 1: look up the places only */
    const char *tool, *arguments; /* the program to ask instead, as addr2line; NULL: none */
};

struct td_lookup_line {
    const char *function, *file; /* NULL: not known */
    uint32_t line;
    uint64_t symbol, bytes;  /* the function's place in the file; 0: not known */
    const char *symbol_file; /* source file where the function begins; NULL: not known */
    uint32_t symbol_line;
};
/* Receives an answer, which is valid during the call. placed: 1 if `place` is known. lines: innermost first;
 * count 0: nothing is known. Returns 0 or TD_E_NOMEM. */
typedef int td_lookup_take(void *self, size_t index, int placed, uint64_t place,
                           const struct td_lookup_line *lines, unsigned count);

struct td_lookup_end {
    struct td_err
        notice;     /* one line: why there are no or fewer answers (no such file ...); "": all is well */
    int names_only; /* 1: the file has no debug information */
};
/* Calls take() once for each address, in their order. 0 or a negative enum td_e. A file that cannot be read
 * is not an error: see end->notice. */
int td_lookup_run(const struct td_lookup *lookup, td_lookup_take *take, void *self, struct td_lookup_end *end,
                  struct td_err *err);

/* ---- in the child process ---- */

struct td_symbol_file;
/* NULL: *err says why. names_only: do not read debug information. */
struct td_symbol_file *td_symbol_file_open(const struct td_lookup *lookup, int names_only,
                                           struct td_err *err);
void td_symbol_file_close(struct td_symbol_file *file);
bool td_symbol_file_has_lines(const struct td_symbol_file *file);
/* Sets the address's place in the file. False: not known. */
bool td_symbol_file_place(const struct td_symbol_file *file, const struct td_lookup_address *address,
                          uint64_t *place);
/* Fills the lines of a place and returns how many. Their texts are valid until the next call. */
unsigned td_symbol_file_find(struct td_symbol_file *file, uint64_t place, struct td_lookup_line *lines,
                             unsigned most);
/* Sets line->symbol and ->bytes to the function that contains the place, if it is known. */
void td_symbol_file_extent(const struct td_symbol_file *file, uint64_t place, struct td_lookup_line *line);

/* Source file and *line of the function that begins at the place: the innermost line of its first
 * instruction. NULL: not known. Valid until the next call. */
const char *td_symbol_file_begins(struct td_symbol_file *file, uint64_t place, uint32_t *line);

/* Asks the tool for the places and calls take() for each answer, in their order; `index` is the place's. 0,
 * TD_E_NOTFOUND (the tool cannot be run), TD_E_USAGE, TD_E_NOMEM. */
int td_symbol_tool_ask(const struct td_lookup *lookup, const uint64_t *places, size_t count,
                       void (*take)(void *self, size_t index, struct td_lookup_line *lines, unsigned count),
                       void *self, struct td_err *err);
