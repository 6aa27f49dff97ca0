#include "host/base/path_substitutions.h"
#include "host/base/regex.h"

#include <stdlib.h>
#include <string.h>

int td_path_substitutions_init(struct td_path_substitutions *paths, const struct td_words *words,
                               struct td_err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < words->count; i++) {
        const char *end = strchr(words->words[i], ';');
        if (!end)
            return td_fail(err, TD_E_USAGE, "'%s' is not REGEX;REPLACEMENT", words->words[i]);
        char *pattern = strndup(words->words[i], (size_t)(end - words->words[i]));
        rc = pattern ? td_regex_compile(pattern, &paths->at[i].regex, err)
                     : td_fail_no_memory(err, "for paths");
        free(pattern);
        paths->at[i].replacement = end + 1;
        paths->count = i + 1;
    }
    return rc;
}

void td_path_substitutions_free(struct td_path_substitutions *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        td_regex_free(paths->at[i].regex);
    paths->count = 0;
}

int td_path_substitute(const struct td_path_substitutions *paths, const char *path, char **to,
                       struct td_err *err)
{
    *to = NULL;
    for (size_t i = 0; i < paths->count; i++) {
        int rc = td_regex_replace(paths->at[i].regex, path, paths->at[i].replacement, to);
        if (rc < 0)
            return td_fail(err, rc, "--path: substitution %d of '%.200s' %s", (int)i + 1, path,
                           rc == TD_E_LIMIT ? "takes too long" : "needs more memory");
        if (rc > 0)
            return 1;
    }
    return 0;
}
