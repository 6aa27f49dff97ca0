#include "tests/tt/tt_file.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[4096];

uint8_t *tt_file_read(const char *name, size_t *count)
{
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long bytes = ftell(file);
    assert_true(bytes >= 0);
    rewind(file);
    uint8_t *all = malloc((size_t)bytes + 1);
    assert_non_null(all);
    assert_int_equal(fread(all, 1, (size_t)bytes, file), bytes);
    fclose(file);
    *count = (size_t)bytes;
    return all;
}

const char *tt_file_data(const char *name)
{
    snprintf(path, sizeof path, "%s/tests/data/tt/%s", TD_SOURCE_DIR, name);
    return path;
}

const char *tt_file_corpus(const char *name)
{
    const char *corpus = getenv("TD_CORPUS");
    if (corpus)
        snprintf(path, sizeof path, "%s/tt/%s", corpus, name);
    else
        snprintf(path, sizeof path, "%s/../shared/corpus/tt/%s", TD_SOURCE_DIR, name);
    if (access(path, R_OK) == 0)
        return path;
    printf("skipped: no corpus has %s\n", name);
    return NULL;
}
