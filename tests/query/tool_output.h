/* What a command of tendril prints, for tests that compare it with the viewer's panels. */
#ifndef TD_TESTS_QUERY_TOOL_OUTPUT_H
#define TD_TESTS_QUERY_TOOL_OUTPUT_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* The output of `tendril WHAT 'PATH' MORE`; free() it. */
static inline char *output_with(const char *path, const char *what, const char *more)
{
    char command[2000], *text = NULL;
    size_t bytes = 0, got;
    char part[65536];
    snprintf(command, sizeof command, TD_BINARY_DIR "/bin/tendril %s '%s' %s 2>/dev/null", what, path, more);
    FILE *from = popen(command, "r"), *to = open_memstream(&text, &bytes);
    assert_true(from && to);
    while ((got = fread(part, 1, sizeof part, from)) > 0)
        fwrite(part, 1, got, to);
    fclose(to);
    assert_int_equal(pclose(from), 0);
    return text;
}

static inline char *output_of(const char *path, const char *what)
{
    return output_with(path, what, "");
}

static inline double number_of(const cJSON *object, const char *field)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, field);
    if (!value)
        fail_msg("the tool's output has no field %s", field);
    return cJSON_IsNumber(value) ? value->valuedouble : 0;
}

static inline const char *text_of(const cJSON *object, const char *field)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, field));
    return text ? text : "";
}

/* The path of a trace of the tree or of the corpus, "0.11.1/sampling"; false: it is not there. */
static inline int find_trace(char *path, size_t bytes, const char *name)
{
    const char *corpus = getenv("TD_CORPUS");
    snprintf(path, bytes, TD_SOURCE_DIR "/tests/data/trace/%s.tracy", name);
    if (access(path, R_OK) != 0)
        snprintf(path, bytes, "%s/%s.tracy", corpus ? corpus : TD_SOURCE_DIR "/../shared/corpus", name);
    return access(path, R_OK) == 0;
}
#endif
