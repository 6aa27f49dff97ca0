/* Writes a random trace: write_random NUMBER FILE. Those of odd numbers have zones with names of their own. */
#include "host/file/file.h"
#include "tests/query/random_trace.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    struct td_err err = {0};
    struct td_file_options options = {0};
    if (argc != 3 || td_file_format("0.11.1", &options, &err) < 0)
        return 2;
    const uint32_t number = (uint32_t)strtoul(argv[1], NULL, 10);
    draw_from(number);
    struct td_trace *trace = random_trace(number % 2);
    const int rc = td_file_write(trace, argv[2], &options, &err);
    if (rc < 0)
        fprintf(stderr, "%s\n", err.text);
    td_trace_destroy(trace);
    return rc < 0;
}
