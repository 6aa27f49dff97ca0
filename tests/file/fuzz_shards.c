/* Fuzz target for the index of shards: any bytes give names that stay in the folder, or one error. */
#include "host/file/shards.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int check_name(void *self, const char *name, struct td_err *err)
{
    unsigned *count = self;
    if (!*name || *name == '.' || strchr(name, '/') || ++*count > TD_SHARDS_MAX)
        abort();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned count = 0;
    struct td_err err = {0};
    char *text = malloc(size ? size : 1); /* no longer, so that a sanitizer sees what is beyond */
    memcpy(text, data, size);
    int rc = td_shards_parse(text, size, check_name, &count, &err);
    free(text);
    if (rc == 0 ? !count : !err.text[0] || strchr(err.text, '\n'))
        abort();
    return 0;
}
