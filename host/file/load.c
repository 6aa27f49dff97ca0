#include "host/file/load.h"
#include "host/base/memory.h"
#include "host/base/plain_text.h"
#include "host/base/progress_bar.h"
#include "host/file/shards.h"

#include <stdio.h>
#include <string.h>

int td_load(const char *path, struct td_load_options *load, const char *command, struct td_trace **trace,
            struct td_err *err)
{
    struct td_file_read_options options = {
        .memory_bytes = load->memory_bytes, .salvage = load->salvage, .threads = (int)load->threads};
    struct td_progress_bar bar;
    char name[300];
    *trace = NULL;
    if (load->memory && td_memory_size(load->memory, "--memory", &options.memory_bytes, err) < 0)
        return TD_E_USAGE;
    snprintf(name, sizeof name, "reading %s", strcmp(path, "-") ? path : "standard input");
    options.progress = td_progress_bar_begin(&bar, name, 1);
    int rc = (td_shards_is_folder(path) ? td_shards_read : td_file_read_with)(path, &options, trace, err);
    td_progress_bar_end(&bar);
    load->memory_bytes = options.memory_bytes;
    if (rc < 0)
        return rc;
    load->version = options.version;
    if (options.salvaged[0])
        fprintf(stderr, "%s: %s\n", command, TD_PLAIN(options.salvaged));
    return 0;
}
