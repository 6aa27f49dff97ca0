#include "host/base/debug_log.h"
#include "host/device/device_internal.h"
#include "host/device/drain/lanes.h"
#include "host/device/image/core_load.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    TEMPORARY_MORE = 40, /* the longest suffix of a temporary file's name */
    TEMPORARY_TRIES = 1000
};

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* A new file: processes of the same number, of different PID namespaces, may share the folder. */
static FILE *make_temporary(char *path, size_t bytes, const char *folder, const char *id)
{
    int fd = -1;
    errno = EEXIST;
    for (unsigned n = 0; fd < 0 && errno == EEXIST && n < TEMPORARY_TRIES; n++) {
        snprintf(path, bytes, "%s/.%s.%ld-%u", folder, id, (long)getpid(), n);
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    if (fd >= 0 && !f)
        close(fd);
    return f;
}

/* Leaves a copy of the ELF for the agent, complete from the moment it has its name. */
static int announce(const struct td_image *image, struct td_err *err)
{
    const char *folder = getenv("TENDRIL_RUN_DIR");
    if (!folder || !*folder)
        return 0;
    char id[17], path[4096], temporary[4096];
    td_build_id_text(td_image_build_id(image), id);
    if (snprintf(path, sizeof path, "%s/%s.elf", folder, id) >= (int)sizeof path - TEMPORARY_MORE)
        return td_fail(err, TD_E_USAGE, "TENDRIL_RUN_DIR is too long");
    if (access(path, F_OK) == 0)
        return 0;
    size_t bytes;
    const void *data = td_image_bytes(image, &bytes);
    FILE *f = make_temporary(temporary, sizeof temporary, folder, id);
    if (!f)
        return td_fail_errno(err, "cannot write %s", temporary);
    int wrong = fwrite(data, 1, bytes, f) != bytes;
    wrong |= fclose(f) != 0;
    if (wrong || rename(temporary, path) != 0) {
        int rc = td_fail_errno(err, "cannot write %s", path);
        unlink(temporary);
        return rc;
    }
    return 0;
}

/* The image of an ELF: read once, again if the file has changed since. */
static struct td_device_image *image_of(struct td_device *device, const char *path, struct td_err *err)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        if (errno == ENOENT)
            td_fail(err, TD_E_NOTFOUND, "there is no ELF %s", path);
        else
            td_fail_errno(err, "cannot read ELF %s", path);
        return NULL;
    }
    for (struct td_device_image *i = device->images; i; i = i->next)
        if (strcmp(i->path, path) == 0 && same_file(&i->st, &st))
            return i;
    struct td_device_image *new = calloc(1, sizeof *new);
    if (!new || !(new->path = strdup(path)))
        td_fail(err, TD_E_NOMEM, "no memory for ELF %s", path);
    else if ((new->image = td_image_open(path, err)) && announce(new->image, err) == 0) {
        new->st = st;
        new->next = device->images;
        device->images = new;
        return new;
    }
    if (new) {
        td_image_close(new->image);
        free(new->path);
        free(new);
    }
    return NULL;
}

int td_device_load(struct td_device *device, struct td_core_at core, const char *elf_path, struct td_err *err)
{
    struct td_device_tile *tile = td_device_get_tile_of(device, core, err);
    if (!tile)
        return TD_E_USAGE;
    if (tile->launched >> core.core & 1)
        return td_fail(err, TD_E_USAGE, "core %s of tile %u,%u is running; wait for it before loading it",
                       device->board.cores[core.core].name, core.x, core.y);
    struct td_err why = {0};
    struct td_device_image *source = image_of(device, elf_path, &why);
    const struct td_image *image = source ? source->image : NULL;
    int rc = image ? td_core_load_check(&device->board, core.core, image, elf_path, &why) : why.code;
    /* A core that an earlier program left running is stopped here. */
    rc = rc ? rc : td_device_reset(device, tile, 1u << core.core, 1, &why);
    if (rc == 0 && !tile->ready)
        rc = td_lanes_prepare(device->transport, &device->board, tile->at, NULL, &why);
    if (rc)
        return td_fail(err, rc, "%s", why.text);
    tile->ready = 1;
    struct td_loaded_core *c = &tile->cores[core.core];
    c->image = NULL;
    const struct td_patches *patches = td_device_patches(device, tile, core.core, source, &c->zones, err);
    if (!patches)
        return TD_E_NOMEM;
    rc = td_core_load(device->transport, &device->board, tile->at, core.core, image, patches, err);
    td_debug(launch, "chip %u, tile %u,%u, %s: loaded %s%s", core.chip, core.x, core.y,
             device->board.cores[core.core].name, elf_path, rc ? ": failed" : "");
    if (rc == 0) {
        c->image = image;
        c->source = source;
    }
    return rc;
}
