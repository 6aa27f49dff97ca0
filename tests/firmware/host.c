/* host FOLDER FIRMWARE VARIANT COUNT KERNEL ...: starts the firmware FOLDER/FIRMWARE.CORE.elf on all cores
 * of the first tile, and has it run each KERNEL on all of them, FOLDER/VARIANT/KERNEL.CORE.elf with argument
 * COUNT. A KERNEL `pause=MS` waits. `again` resets the cores, and starts the firmware again. */
#include "host/device/device.h"
#include "host/device/image/core_load.h"
#include "tests/firmware/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TIMEOUT_S 200

struct host {
    struct td_device *device;
    const struct td_board *board;
    struct td_tile_at tile;
    const char *folder, *firmware, *variant;
    uint32_t count, run;
};

static struct td_image *open_elf(const struct host *h, const char *folder, const char *name, uint32_t core,
                                 struct td_err *err)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s/%s.%s.elf", h->folder, folder, name, h->board->cores[core].name);
    return td_image_open(path, err);
}

static int start_firmware(struct host *h, struct td_err *err)
{
    struct td_transport *t = td_device_transport(h->device);
    const uint32_t all = (1u << h->board->core_count) - 1;
    const struct mailbox empty = {0};
    int rc = td_core_load_reset(t, h->board, h->tile, all, 1, err);
    h->run = 0;
    if (rc == 0)
        rc = t->ops->write(t, h->tile, MAILBOX, &empty, sizeof empty, err);
    for (uint32_t core = 0; rc == 0 && core < h->board->core_count; core++) {
        struct td_image *image = open_elf(h, ".", h->firmware, core, err);
        rc = image ? td_core_load(t, h->board, h->tile, core, image, NULL, err) : err->code;
        td_image_close(image);
    }
    return rc ? rc : td_core_load_reset(t, h->board, h->tile, all, 0, err);
}

static uint32_t mailbox_at(uint32_t core)
{
    return MAILBOX + (uint32_t)offsetof(struct mailbox, core) + core * (uint32_t)sizeof(struct mailbox_core);
}

/* Puts the image where the firmware takes it from, and says go. */
static int start_kernel(struct host *h, const char *kernel, uint32_t core, struct td_err *err)
{
    struct td_transport *t = td_device_transport(h->device);
    struct td_image *image = open_elf(h, h->variant, kernel, core, err);
    int rc = image ? 0 : err->code;
    const uint32_t base = image ? td_image_entry(image) : 0;
    uint32_t bytes = 0;
    for (size_t i = 0; rc == 0 && i < td_image_segment_count(image); i++) {
        const struct td_segment *s = td_image_segment(image, i);
        const uint32_t at = s->address - base;
        if (s->file_bytes == 0)
            continue;
        if (at > KERNEL_BYTES || s->file_bytes > KERNEL_BYTES - at)
            rc = td_fail(err, TD_E_FORMAT, "%s: a segment is not in the kernel's place", kernel);
        else
            rc = t->ops->write(t, h->tile, STAGED_AT(core) + at, s->data, s->file_bytes, err);
        bytes = at + s->file_bytes > bytes ? at + s->file_bytes : bytes;
    }
    td_image_close(image);
    const uint32_t words[] = {STAGED_AT(core), (bytes + 3) / 4 * 4, base, h->count};
    if (rc == 0)
        rc = t->ops->write(t, h->tile, mailbox_at(core) + offsetof(struct mailbox_core, image), words,
                           sizeof words, err);
    return rc ? rc : t->ops->write(t, h->tile, mailbox_at(core), &h->run, 4, err);
}

static int await_kernel(struct host *h, const char *kernel, uint32_t core, struct td_err *err)
{
    struct td_transport *t = td_device_transport(h->device);
    struct mailbox_core words = {0};
    for (int looks = 0; looks < TIMEOUT_S * 1000; looks++) {
        int rc = t->ops->read(t, h->tile, mailbox_at(core), &words, sizeof words, err);
        if (rc == 0 && words.done == h->run && words.wrong)
            return td_fail(err, TD_E_IO, "%s: gp or tp of the firmware on %s has changed", kernel,
                           h->board->cores[core].name);
        if (rc || words.done == h->run)
            return rc;
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    return td_fail(err, TD_E_TIMEOUT, "%s does not end on %s", kernel, h->board->cores[core].name);
}

static int run_kernel(struct host *h, const char *kernel, struct td_err *err)
{
    int rc = 0;
    h->run++;
    for (uint32_t core = 0; rc == 0 && core < h->board->core_count; core++)
        rc = start_kernel(h, kernel, core, err);
    for (uint32_t core = 0; rc == 0 && core < h->board->core_count; core++)
        rc = await_kernel(h, kernel, core, err);
    return rc;
}

int main(int argc, char **argv)
{
    struct td_err err = {0};
    if (argc < 6) {
        fprintf(stderr, "usage: host FOLDER FIRMWARE VARIANT COUNT KERNEL ...\n");
        return 2;
    }
    struct host h = {.folder = argv[1],
                     .firmware = argv[2],
                     .variant = argv[3],
                     .count = (uint32_t)strtoul(argv[4], NULL, 0)};
    h.device = td_device_open(NULL, &err);
    int rc = h.device ? 0 : err.code;
    if (rc == 0) {
        h.board = td_device_board(h.device);
        h.tile = td_board_tile(h.board, 0, 0, 0);
        rc = start_firmware(&h, &err);
    }
    for (int i = 5; rc == 0 && i < argc; i++) {
        if (strncmp(argv[i], "pause=", 6) == 0)
            usleep((useconds_t)atoi(argv[i] + 6) * 1000);
        else if (strcmp(argv[i], "again") == 0)
            rc = start_firmware(&h, &err);
        else
            rc = run_kernel(&h, argv[i], &err);
    }
    if (rc)
        fprintf(stderr, "host: %s\n", err.text);
    td_device_close(h.device);
    return rc != 0;
}
