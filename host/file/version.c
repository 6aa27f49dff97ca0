/* Versions by name, for --format. */
#include "host/file/file.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Parses a version such as "0.11.1" or "0.10" (0.10.0); false: it is none that can be written. */
static bool parse_version(const char *text, uint32_t *version)
{
    unsigned part[3] = {0, 0, 0};
    int used = 0;
    if (sscanf(text, "%u.%u%n.%u%n", &part[0], &part[1], &used, &part[2], &used) < 2 || text[used] ||
        part[0] > 255 || part[1] > 255 || part[2] > 255)
        return false;
    *version = TD_FILE_VERSION(part[0], part[1], part[2]);
    return *version >= TD_FILE_VERSION_OLDEST && *version <= TD_FILE_VERSION_NEWEST;
}

int td_file_format(const char *name, struct td_file_options *options, struct td_err *err)
{
    options->tenstorrent = !strcmp(name, "tt");
    options->version = options->tenstorrent ? TD_FILE_VERSION(0, 10, 0) : 0;
    if (options->tenstorrent || !strcmp(name, "any"))
        return 0;
    if (!parse_version(name, &options->version))
        return td_fail(err, TD_E_USAGE, "--format: '%s' is not any, tt or a version from 0.9.0 to 0.14.0",
                       name);
    return 0;
}
