/* tendril.conf with any bytes: each entry that is passed on has texts that end, and a line in the file. */
#include "host/base/config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static int check_entry(void *self, const struct td_config_entry *entry, struct td_err *err)
{
    (void)err;
    if (!*entry->section || strlen(entry->name) > 200 || strlen(entry->value) > 200 || entry->line < 1 ||
        (size_t)entry->line > *(const size_t *)self + 1)
        abort();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    const struct td_config_entry origin = {.file = "tendril.conf"};
    struct td_err err = {0};
    int rc = td_config_parse((const char *)data, bytes, &origin, check_entry, &bytes, &err);
    if ((rc < 0) != (err.code != 0))
        abort();
    return 0;
}
