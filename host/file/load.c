#include "host/file/load.h"
#include "host/base/memory.h"
#include "host/base/plain_text.h"
#include "host/base/progress_bar.h"
#include "host/file/shards.h"

#include <stdio.h>
#include <string.h>

int td_load_with(const char *path, struct td_load_options *load, struct td_file_read_options *options,
                 struct td_trace **trace, struct td_err *err)
{
    *trace = NULL;
    options->memory_bytes = load->memory_bytes;
    options->salvage = load->salvage;
    options->threads = (int)load->threads;
    if (load->memory && td_memory_size(load->memory, "--memory", &options->memory_bytes, err) < 0)
        return TD_E_USAGE;
    int rc = (td_shards_is_folder(path) ? td_shards_read : td_file_read_with)(path, options, trace, err);
    load->memory_bytes = options->memory_bytes;
    if (rc == 0)
        load->version = options->version;
    return rc;
}

int td_load(const char *path, struct td_load_options *load, const char *command, struct td_trace **trace,
            struct td_err *err)
{
    struct td_file_read_options options = {0};
    struct td_progress_bar bar;
    struct td_err why = {0};
    char name[300];
    snprintf(name, sizeof name, "reading %s", strcmp(path, "-") ? path : "standard input");
    options.progress = td_progress_bar_begin(&bar, name, 1);
    int rc = td_load_with(path, load, &options, trace, &why);
    td_progress_bar_end(&bar);
    if (rc) { /* of a file that ends in its header, nothing is intact */
        const bool partly = strstr(why.text, "is damaged: ") && !strstr(why.text, "(in header)");
        td_fail(err, rc, "%s%s", why.text,
                partly && !load->salvage ? "; --salvage reads what is intact" : "");
    }
    if (rc == 0 && options.salvaged[0])
        fprintf(stderr, "%s: %s\n", command, TD_PLAIN(options.salvaged));
    return rc;
}
