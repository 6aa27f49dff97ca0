/* Bytes as a trace file: the first one says whether the others are the file itself or a payload that is put
 * into a sound container. Whatever they are: an error or a model that keeps its promises. */
#include "tests/file/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    struct bytes wrapped = {0};
    const uint8_t *file = data + 1;
    size_t count = size - 1;
    if (data[0] & 1) {
        wrapped = wrap_payload(file, count);
        file = wrapped.data;
        count = wrapped.count;
    }
    int fd = memfd_create("trace", MFD_CLOEXEC);
    if (fd < 0 || write(fd, file, count) != (ssize_t)count)
        abort();
    free(wrapped.data);
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);

    struct td_trace *trace;
    struct td_err err = {0};
    int rc = td_file_read(path, &trace, &err);
    close(fd);
    if (rc < 0) {
        if (trace || err.code != rc || !err.text[0])
            abort();
        return 0;
    }
    const struct td_stat *stats;
    td_trace_stats(trace, &stats);
    if (broken_rule(trace))
        abort();
    td_trace_destroy(trace);
    return 0;
}
