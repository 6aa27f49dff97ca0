/* Where the source files of a trace are on this machine: substitutions "REGEX;REPLACEMENT" of the command line, then
 * those that the user has set for the trace, which are kept with it. */
#pragma once
#include "host/base/path_substitutions.h"

#include <cjson/cJSON.h>
#include <stdint.h>

#define TD_SOURCE_RULES 16 /* of a trace */

struct td_source_paths {          /* all zero: files are where the trace says */
    const struct td_words *given; /* of the command line; NULL: none */
    char *rule[TD_SOURCE_RULES];  /* of the trace */
    size_t count;
    struct td_path_substitutions all;
    uint64_t turn; /* counts changes */
};

/* Uses the rules of the command line, which must outlive *paths. 0, TD_E_USAGE or TD_E_NOMEM. */
int td_source_paths_init(struct td_source_paths *paths, const struct td_words *given, struct td_err *err);
void td_source_paths_free(struct td_source_paths *paths);
/* The following stop the jobs of all panels, which may be reading `all`. A rule that is wrong is not added: *err says
 * why, TD_E_USAGE. Others: 0, TD_E_LIMIT, TD_E_NOMEM. */
int td_source_paths_add(struct td_source_paths *paths, const char *rule, struct td_err *err);
void td_source_paths_remove(struct td_source_paths *paths, size_t index);

/* What becomes of a path, also with one more rule (NULL: without): *to is malloc'ed, NULL if no rule matches. 0, TD_E_USAGE
 * (the rule is wrong), TD_E_LIMIT or TD_E_NOMEM. */
int td_source_paths_try(const struct td_source_paths *paths, const char *rule, const char *path, char **to,
                        struct td_err *err);

/* The trace's rules as a list; NULL: there are none. */
cJSON *td_source_paths_to_json(const struct td_source_paths *paths);
/* Adds the rules of a list; those that are wrong are left out. */
void td_source_paths_read(struct td_source_paths *paths, const cJSON *list);
