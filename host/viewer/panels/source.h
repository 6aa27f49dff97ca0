/* The panel with source text and machine code. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct td_err;
struct td_view;

struct td_source_place {
    uint32_t file; /* string of the trace; 0: not known */
    uint32_t line;
    uint64_t symbol, address; /* of a function, and in it; 0: not known */
    uint32_t zone;            /* location of zones whose code is looked for; 0: none */
};

/* Opens the panel at that place. */
void td_view_show_source(struct td_view *view, struct td_source_place place);
/* The function of that name, or of an address such as 0x401000. 0; TD_E_NOTFOUND, TD_E_NOMEM. */
int td_view_show_symbol(struct td_view *view, const char *name, struct td_err *err);
/* A file of the trace, or one whose name ends so; "FILE:LINE". */
int td_view_show_file(struct td_view *view, const char *text, struct td_err *err);
/* The processor of LLVM's whose costs of instructions are shown; "": none. 0; TD_E_USAGE: too long. */
int td_view_set_processor(struct td_view *view, const char *name, struct td_err *err);
/* Does what a word says in the panel, with a value for some. 0, or TD_E_USAGE or TD_E_NOTFOUND. */
int td_source_do(struct td_view *view, const char *word, const char *value, struct td_err *err);
/* The index-th word; NULL: there are no more. */
const char *td_source_word(size_t index);
/* Writes the function's listing, or what of it is picked, to a file, as it is shown. */
int td_view_save_listing(struct td_view *view, const char *path, struct td_err *err);
