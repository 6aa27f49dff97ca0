/* Fuzz target for containers: any bytes give a payload or one error. The first byte says how they are read.
 * If its bit 7 is set, the bytes are a payload instead, which is written and must be read back unchanged. */
#include "host/file/in.h"
#include "host/file/out.h"
#include "tests/file/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int memory_file(const void *data, size_t count, char *path, size_t room)
{
    int fd = memfd_create("container", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, count) != (ssize_t)count)
        abort();
    snprintf(path, room, "/proc/self/fd/%d", fd);
    return fd;
}

static void read_all(const char *path, uint8_t how)
{
    struct td_in in;
    struct td_err err = {0};
    struct td_in_options options = {.threads = how & 1 ? 3 : 1};
    int rc = td_in_open(&in, path, &options, &err);
    uint64_t before = 0, steps = 0;
    uint8_t room[5000];
    while (rc == 0 && !in.failed) {
        switch (how >> 1 & 3) {
        case 0:
            td_in_next_block_(&in);
            in.at = in.bytes;
            break;
        case 1:
            td_in_skip(&in, 100000);
            break;
        case 2:
            td_in_item(&in, 1 + ++steps % sizeof room, room);
            break;
        default:
            td_in_bytes(&in, room, sizeof room);
        }
        if (td_in_offset(&in) < before)
            abort();
        before = td_in_offset(&in);
    }
    int failed = rc < 0 ? rc : in.failed;
    if (failed >= 0 || err.code != failed || !err.text[0] || td_in_u64(&in) != 0)
        abort();
    td_in_close(&in);
}

/* The first three bytes are options; the payload repeats the rest. */
static void there_and_back(const uint8_t *data, size_t size)
{
    struct td_out_options options = {.parallel = data[0] & 1,
                                     .threads = data[0] & 2 ? 3 : 1,
                                     .packing = (enum td_file_packing)(data[1] % 3),
                                     .streams = 1 + data[2] % 9};
    unsigned times = data[1] / 3;
    char path[40];
    int fd = memory_file("", 0, path, sizeof path);
    struct td_out out;
    struct td_in in;
    if (options.packing == TD_PACK_LZ4_HC)
        options.packing = TD_PACK_ZSTD;
    if (td_out_open(&out, path, &options, NULL) < 0)
        abort();
    for (unsigned i = 0; i <= times; i++)
        td_out_bytes(&out, data, size);
    if (td_out_close(&out, 0, NULL) < 0 || lseek(fd, 0, SEEK_SET) != 0 ||
        td_in_open(&in, path, NULL, NULL) < 0)
        abort();
    uint8_t *back = malloc(size);
    for (unsigned i = 0; i <= times; i++) {
        td_in_bytes(&in, back, size);
        if (in.failed || memcmp(back, data, size))
            abort();
    }
    free(back);
    td_in_close(&in);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4)
        return 0;
    if (data[0] & 128) {
        there_and_back(data + 1, size - 1);
        return 0;
    }
    char path[40];
    int fd = memory_file(data + 1, size - 1, path, sizeof path);
    read_all(path, data[0]);
    close(fd);
    return 0;
}
