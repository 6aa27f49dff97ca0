#include "host/viewer/model/source_paths.h"
#include "host/query/task/job.h"

#include <stdlib.h>
#include <string.h>

static struct td_words all_rules(const struct td_source_paths *paths)
{
    struct td_words words = {0};
    if (paths->given)
        words = *paths->given;
    for (size_t i = 0; i < paths->count && words.count < TD_WORDS_MAX; i++)
        words.words[words.count++] = paths->rule[i];
    return words;
}

static int compile_rules(struct td_source_paths *paths, struct td_err *err)
{
    const struct td_words words = all_rules(paths);
    td_path_substitutions_free(&paths->all);
    paths->turn++;
    return td_path_substitutions_init(&paths->all, &words, err);
}

int td_source_paths_init(struct td_source_paths *paths, const struct td_words *given, struct td_err *err)
{
    paths->given = given;
    return compile_rules(paths, err);
}

void td_source_paths_free(struct td_source_paths *paths)
{
    td_path_substitutions_free(&paths->all);
    while (paths->count)
        free(paths->rule[--paths->count]);
}

int td_source_paths_add(struct td_source_paths *paths, const char *rule, struct td_err *err)
{
    if (paths->count == TD_SOURCE_RULES)
        return td_fail(err, TD_E_LIMIT, "a trace has at most %d places of source files", TD_SOURCE_RULES);
    char *copy = strdup(rule);
    if (!copy)
        return td_fail_no_memory(err, NULL);
    td_jobs_stop();
    paths->rule[paths->count++] = copy;
    const int rc = compile_rules(paths, err);
    if (rc < 0)
        td_source_paths_remove(paths, paths->count - 1);
    return rc;
}

void td_source_paths_remove(struct td_source_paths *paths, size_t index)
{
    if (index >= paths->count)
        return;
    td_jobs_stop();
    free(paths->rule[index]);
    paths->count--;
    memmove(&paths->rule[index], &paths->rule[index + 1], (paths->count - index) * sizeof *paths->rule);
    compile_rules(paths, NULL); /* they were compiled before */
}

int td_source_paths_try(const struct td_source_paths *paths, const char *rule, const char *path, char **to,
                        struct td_err *err)
{
    struct td_path_substitutions all = {0};
    struct td_words words = all_rules(paths);
    *to = NULL;
    if (rule && words.count < TD_WORDS_MAX)
        words.words[words.count++] = rule;
    int rc = td_path_substitutions_init(&all, &words, err);
    if (rc == 0)
        rc = td_path_substitute(&all, path, to, err);
    td_path_substitutions_free(&all);
    return rc < 0 ? rc : 0;
}

cJSON *td_source_paths_to_json(const struct td_source_paths *paths)
{
    cJSON *list = paths->count ? cJSON_CreateArray() : NULL;
    for (size_t i = 0; list && i < paths->count; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(paths->rule[i]));
    return list;
}

void td_source_paths_read(struct td_source_paths *paths, const cJSON *list)
{
    const cJSON *rule;
    cJSON_ArrayForEach(rule, list)
    {
        if (cJSON_IsString(rule))
            td_source_paths_add(paths, rule->valuestring, NULL);
    }
}
