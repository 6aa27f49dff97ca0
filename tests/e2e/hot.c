/* Runs the kernel hot.c on all cores of the board:
 *
 *   hot FOLDER ROUNDS [LAUNCHES]
 *
 * FOLDER has hot.CORE.elf for each core. Before that it runs one round, in which the simulator translates the
 * kernels. Prints a JSON object: the sums of the ticks that the cores counted. */
#include "host/device/device.h"
#include "tests/e2e/hot_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t words_at(const struct td_board *b, uint32_t core)
{
    return b->data_base + 64 * core;
}

static int load_all(struct td_device *device, const char *folder, struct td_err *err)
{
    const struct td_board *b = td_device_board(device);
    const uint32_t cores = b->chips * b->grid_width * b->grid_height * b->core_count;
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < cores; i++) {
        const uint32_t core = i % b->core_count, tile = i / b->core_count;
        const struct td_core_at at = {.chip = (uint16_t)(tile / (b->grid_width * b->grid_height)),
                                      .x = (uint16_t)(tile % b->grid_width),
                                      .y = (uint16_t)(tile / b->grid_width % b->grid_height),
                                      .core = (uint16_t)core};
        char path[4096];
        snprintf(path, sizeof path, "%s/hot.%s.elf", folder, b->cores[core].name);
        rc = td_device_load(device, at, path, err);
    }
    return rc;
}

/* Sets the words and prepares the launch; rounds 0: reads the words and adds them to *sum. */
static int each_core(struct td_device *device, uint32_t rounds, uint64_t sum[4], struct td_err *err)
{
    const struct td_board *b = td_device_board(device);
    int rc = 0;
    for (uint16_t chip = 0; chip < b->chips; chip++)
        for (uint16_t y = 0; y < b->grid_height; y++)
            for (uint16_t x = 0; x < b->grid_width; x++)
                for (uint16_t core = 0; rc == 0 && core < b->core_count; core++) {
                    struct hot_words words = {.rounds = rounds};
                    const uint32_t at = words_at(b, core);
                    if (rounds) {
                        rc = td_device_write(device, chip, x, y, at, &words, sizeof words, err);
                        if (rc == 0)
                            rc = td_device_prepare(device, (struct td_core_at){chip, x, y, core}, 1, at, err);
                        continue;
                    }
                    rc = td_device_read(device, chip, x, y, at, &words, sizeof words, err);
                    sum[0] += words.first;
                    sum[1] += words.second;
                    sum[2] += words.third;
                    sum[3] += words.all;
                }
    return rc;
}

int main(int argc, char **argv)
{
    struct td_err err = {0};
    uint64_t sum[4] = {0};
    int code = 0;
    if (argc < 3)
        return 2;
    const uint32_t rounds = (uint32_t)strtoul(argv[2], NULL, 0);
    struct td_device *device = td_device_open(NULL, &err);
    int rc = device ? load_all(device, argv[1], &err) : err.code;
    for (int i = argc > 3 ? atoi(argv[3]) : 1, first = 1; rc == 0 && i > 0; i -= !first, first = 0) {
        rc = each_core(device, first ? 1 : rounds, NULL, &err);
        if (rc == 0)
            rc = td_device_launch(device, &err);
        if (rc == 0)
            rc = td_device_wait(device, -1, &code, &err);
        if (rc == 0 && !first)
            rc = each_core(device, 0, sum, &err);
    }
    td_device_close(device);
    if (rc)
        fprintf(stderr, "hot: %s\n", err.text);
    printf("{\"first\": %" PRIu64 ", \"second\": %" PRIu64 ", \"third\": %" PRIu64 ", \"all\": %" PRIu64
           "}\n",
           sum[0], sum[1], sum[2], sum[3]);
    return rc || code;
}
