/* Writes a trace of demo_trace.h: write_demo demo|noc FILE. */
#include "host/file/file.h"
#include "tests/query/demo_trace.h"

#include <stdio.h>
#include <string.h>

static struct td_trace *make(const char *name)
{
    static const struct noc_line lines[] = {
        {100, 1, 2, 0, "NoC READ noc=NOC_0 vc=-1 num_bytes=4096 dx=2 dy=2"},
        {300, 1, 2, 0, "NoC READ noc=NOC_0 vc=-1 num_bytes=2048 dx=2 dy=2"},
        {500, 1, 2, 1, "NoC WRITE_ noc=NOC_1 vc=-1 num_bytes=1024 dx=1 dy=3"}};
    return !strcmp(name, "noc") ? noc_trace(lines, sizeof lines / sizeof *lines) : demo_trace(2);
}

int main(int argc, char **argv)
{
    struct td_err err = {0};
    struct td_file_options options = {0};
    if (argc != 3 || td_file_format("0.11.1", &options, &err) < 0)
        return 2;
    struct td_trace *trace = make(argv[1]);
    const int rc = td_file_write(trace, argv[2], &options, &err);
    if (rc < 0)
        fprintf(stderr, "%s\n", err.text);
    td_trace_destroy(trace);
    return rc < 0;
}
