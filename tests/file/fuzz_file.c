/* Fuzz target for trace files: any bytes give an error, or a model that keeps its rules and can be written.
 * The first byte says whether the others are a file or a payload for a sound container, whether the file is
 * salvaged, and in which version the model is written. */
#include "tests/file/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint32_t versions[] = {0,
                                    TD_FILE_VERSION(0, 9, 0),
                                    TD_FILE_VERSION(0, 10, 0),
                                    TD_FILE_VERSION(0, 11, 1),
                                    TD_FILE_VERSION(0, 12, 4),
                                    TD_FILE_VERSION(0, 13, 1),
                                    TD_FILE_VERSION(0, 13, 4),
                                    TD_FILE_VERSION(0, 14, 0)};

static int open_bytes(const uint8_t *data, size_t size)
{
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
    return fd;
}

static void write_again(const struct td_trace *trace, uint8_t how)
{
    struct td_file_notice notice;
    struct td_err err = {0};
    struct td_file_options options = {.version = versions[how >> 2 & 7],
                                      .packing = TD_PACK_LZ4,
                                      .contexts = how >> 5 & 1,
                                      .strip = how >> 6 & 1 ? ~0u : 0,
                                      .streams = 1,
                                      .threads = 1,
                                      .notice = &notice};
    int rc = td_file_write(trace, "/dev/null", &options, &err);
    if (rc < 0 && (rc != TD_E_LIMIT || err.code != rc || !err.text[0]))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    char path[40];
    int fd = open_bytes(data, size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct td_trace *trace;
    struct td_err err = {0};
    struct td_file_read_options options = {.salvage = data[0] >> 1 & 1, .threads = 1};
    int rc = td_file_read_with(path, &options, &trace, &err);
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
    write_again(trace, data[0]);
    td_trace_destroy(trace);
    return 0;
}
