/* Where images are on this machine: substitutions "REGEX;REPLACEMENT" of their paths. */
#ifndef TD_HOST_SYMBOLS_OFFLINE_SYMBOL_PATHS_H
#define TD_HOST_SYMBOLS_OFFLINE_SYMBOL_PATHS_H
#include "host/base/options.h"

struct td_regex;
struct td_symbol_paths { /* all zero: none */
    struct {
        struct td_regex *regex;
        const char *replacement; /* of the words */
    } at[TD_WORDS_MAX];
    size_t count;
};

/* 0, or TD_E_USAGE, TD_E_NOMEM. Finish it in any case; the words must live as long. */
int td_symbol_paths_init(struct td_symbol_paths *paths, const struct td_words *words, struct td_err *err);
void td_symbol_paths_finish(struct td_symbol_paths *paths);
/* The first that matches is applied: 1, *to is malloc'ed; 0: none does, *to is NULL. */
int td_symbol_path(const struct td_symbol_paths *paths, const char *path, char **to, struct td_err *err);
#endif
