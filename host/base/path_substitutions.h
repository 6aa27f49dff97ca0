/* Substitutions "REGEX;REPLACEMENT" of paths: where images and source files are on this machine. */
#pragma once
#include "host/base/options.h"

struct td_regex;
struct td_path_substitutions { /* all zero: none */
    struct {
        struct td_regex *regex;
        const char *replacement; /* part of the words */
    } at[TD_WORDS_MAX];
    size_t count;
};

/* 0, TD_E_USAGE or TD_E_NOMEM. The caller frees *paths in any case. The words must outlive it. */
int td_path_substitutions_init(struct td_path_substitutions *paths, const struct td_words *words,
                               struct td_err *err);
void td_path_substitutions_free(struct td_path_substitutions *paths);
/* Applies the first substitution that matches. 1: *to is the new path, malloc'ed; 0: none matches, *to is
 * NULL; negative: enum td_e. Thread-safe. */
int td_path_substitute(const struct td_path_substitutions *paths, const char *path, char **to,
                       struct td_err *err);
