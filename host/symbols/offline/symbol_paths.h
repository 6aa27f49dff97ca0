/* Substitutions "REGEX;REPLACEMENT" of image paths: where images are on this machine. */
#ifndef TD_HOST_SYMBOLS_OFFLINE_SYMBOL_PATHS_H
#define TD_HOST_SYMBOLS_OFFLINE_SYMBOL_PATHS_H
#include "host/base/options.h"

struct td_regex;
struct td_symbol_paths { /* all zero: none */
    struct {
        struct td_regex *regex;
        const char *replacement; /* part of the words */
    } at[TD_WORDS_MAX];
    size_t count;
};

/* 0, TD_E_USAGE or TD_E_NOMEM. The caller frees *paths in any case. The words must outlive it. */
int td_symbol_paths_init(struct td_symbol_paths *paths, const struct td_words *words, struct td_err *err);
void td_symbol_paths_free(struct td_symbol_paths *paths);
/* Applies the first substitution that matches. 1: *to is the new path, malloc'ed; 0: none matches, *to is
 * NULL; negative: enum td_e. */
int td_symbol_path(const struct td_symbol_paths *paths, const char *path, char **to, struct td_err *err);
#endif
