/* Writes the trace of made_up.h to a file, for tests of commands. */
#include "host/file/file.h"
#include "tests/query/made_up.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    struct td_err err = {0};
    struct td_file_options options = {0};
    if (argc != 2 || td_file_format("0.11.1", &options, &err) < 0)
        return 2;
    struct td_trace *trace = make_up_trace();
    int rc = td_file_write(trace, argv[1], &options, &err);
    if (rc < 0)
        fprintf(stderr, "%s\n", err.text);
    td_trace_destroy(trace);
    return rc < 0;
}
