#include "host/tools/files/rank_output.h"
#include "host/base/path.h"

#include <stdio.h>

int rank_output_begin(struct rank_output *output, const char **path, struct td_err *err)
{
    if (!output->dir)
        return 0;
    struct td_err why = {0};
    int rc = td_rank_find(&output->rank, &why);
    if (rc < 0)
        return td_fail(err, TD_E_USAGE, "--rank-output: %s", why.text);
    /* All ranks try to make it. */
    if (td_folder_make(output->dir, err) < 0)
        return err->code;
    int n = snprintf(output->path, sizeof output->path, "%s/rank-%04ld.tracy", output->dir, output->rank);
    if (n < 0 || (size_t)n >= sizeof output->path)
        return td_fail(err, TD_E_USAGE, "--rank-output: the path is too long");
    *path = output->path;
    return 0;
}

int rank_output_name(const struct rank_output *output, struct td_trace *trace, struct td_err *err)
{
    return output->dir ? rank_output_add(trace, output->rank, err) : 0;
}

int rank_output_add(struct td_trace *trace, long rank, struct td_err *err)
{
    struct td_trace_info *info = td_trace_edit_info(trace);
    char name[300];
    snprintf(name, sizeof name, "%.200s rank %ld", info->program ? info->program : "program", rank);
    return td_trace_set_string(&info->program, name) < 0 ? td_fail_no_memory(err, NULL) : 0;
}
