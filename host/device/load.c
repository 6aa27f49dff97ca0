#include "host/device/device_parts.h"

#include "host/device/lanes.h"
#include "proto/device/packet.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define JAL_REACH (1 << 20)

static int same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Leaves a copy of the ELF for the agent, complete from the moment it has its name. */
static int announce(const struct td_image *image, struct td_err *err)
{
    const char *folder = getenv("TENDRIL_RUN_DIR");
    if (!folder || !*folder)
        return 0;
    char id[17], path[4096], temporary[4096];
    td_build_id_text(td_image_build_id(image), id);
    if (snprintf(path, sizeof path, "%s/%s.elf", folder, id) >= (int)sizeof path ||
        snprintf(temporary, sizeof temporary, "%s/.%s.%ld", folder, id, (long)getpid()) >=
            (int)sizeof temporary)
        return td_fail(err, TD_E_USAGE, "TENDRIL_RUN_DIR is too long");
    if (access(path, F_OK) == 0)
        return 0;
    size_t bytes;
    const void *data = td_image_bytes(image, &bytes);
    FILE *f = fopen(temporary, "we");
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
static const struct td_image *image_of(struct td_device *device, const char *path, struct td_err *err)
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
            return i->image;
    struct td_device_image *new = calloc(1, sizeof *new);
    if (!new || !(new->path = strdup(path)))
        td_fail(err, TD_E_NOMEM, "no memory for ELF %s", path);
    else if ((new->image = td_image_open(path, err)) && announce(new->image, err) == 0) {
        new->st = st;
        new->next = device->images;
        device->images = new;
        return new->image;
    }
    if (new) {
        td_image_close(new->image);
        free(new->path);
        free(new);
    }
    return NULL;
}

static const char *core_name(const struct td_board *b, uint32_t core)
{
    return core < b->core_count ? b->cores[core].name : "an unknown core";
}

/* Was it built for this board, this core and these lanes? */
static int check_table(const struct td_device *device, uint32_t core, const struct td_image *image,
                       const char *path, struct td_err *err)
{
    const struct td_board *b = &device->board;
    const uint32_t *table = td_image_table(image);
    if (!table)
        return td_fail(err, TD_E_FORMAT,
                       "%s was not linked with the device runtime (no section " TD_SECTION_IMAGE ")", path);
    if (table[TD_IMAGE_version] != TD_DEVICE_PROTO_VERSION)
        return td_fail(err, TD_E_VERSION,
                       "%s was built for version %u of the lanes, this host speaks %u; rebuild it", path,
                       table[TD_IMAGE_version], TD_DEVICE_PROTO_VERSION);
    if (table[TD_IMAGE_core] != core)
        return td_fail(err, TD_E_FORMAT, "%s was built for %s and cannot run on %s", path,
                       core_name(b, table[TD_IMAGE_core]), core_name(b, core));
    if (table[TD_IMAGE_lane_base] != b->lane_base || table[TD_IMAGE_local_base] != b->cores[core].local_base)
        return td_fail(err, TD_E_FORMAT,
                       "%s was built for another board than %s: its lanes are at 0x%x, not 0x%x", path,
                       b->name, table[TD_IMAGE_lane_base], b->lane_base);
    if (!td_image_build_id(image))
        return td_fail(err, TD_E_FORMAT, "%s has no build id; link it with -Wl,--build-id", path);
    return 0;
}

/* A segment may lie in the core's part of L1 or in what is left to programs. */
static int check_segment(const struct td_board *b, uint32_t core, const struct td_segment *s,
                         const char *path, struct td_err *err)
{
    const struct td_core_desc *c = &b->cores[core];
    uint64_t end = (uint64_t)s->address + s->file_bytes;
    if (s->address >= c->code_base && end <= (uint64_t)c->code_base + c->code_bytes)
        return 0;
    if (s->address >= b->data_base && end <= (uint64_t)b->l1_base + b->l1_bytes)
        return 0;
    if (s->address >= c->local_base && s->address - c->local_base < c->local_bytes)
        return td_fail(
            err, TD_E_FORMAT,
            "%s has a segment to be loaded at 0x%x in the core's local RAM, which only the core itself "
            "reaches; link it with this kit's linker script, whose start code copies it there",
            path, s->address);
    return td_fail(err, TD_E_FORMAT, "%s has a segment at 0x%x..0x%llx, outside %s's part of L1 (0x%x..0x%x)",
                   path, s->address, (unsigned long long)end, c->name, c->code_base,
                   c->code_base + c->code_bytes);
}

static int load_segment(struct td_device *device, const struct td_device_tile *tile,
                        const struct td_segment *s, struct td_err *err)
{
    struct td_transport *t = device->transport;
    int rc = t->ops->write(t, tile->at, s->address, s->data, s->file_bytes, err);
    uint32_t zeros = s->address == s->virtual_address ? s->memory_bytes - s->file_bytes : 0;
    if (rc || zeros == 0)
        return rc;
    void *zero = calloc(1, zeros);
    if (!zero)
        return td_fail(err, TD_E_NOMEM, "no memory to clear %u bytes", zeros);
    rc = t->ops->write(t, tile->at, s->address + s->file_bytes, zero, zeros, err);
    free(zero);
    return rc;
}

/* The core's first instruction: a jump to the image's entry. */
static int write_start(struct td_device *device, const struct td_device_tile *tile, uint32_t core,
                       uint32_t entry, struct td_err *err)
{
    uint32_t start = device->board.cores[core].start, code[2] = {0, 0x13 /* nop */};
    int32_t offset = (int32_t)(entry - start);
    if (offset == 0)
        return 0;
    if (offset >= -JAL_REACH && offset < JAL_REACH) {
        uint32_t o = (uint32_t)offset;
        code[0] = (o >> 20 & 1) << 31 | (o >> 1 & 0x3ff) << 21 | (o >> 11 & 1) << 20 |
                  (o >> 12 & 0xff) << 12 | 0x6f;
    } else {
        uint32_t high = (entry + 0x800) & 0xfffff000;
        code[0] = high | 5 << 7 | 0x37;                            /* lui t0, high */
        code[1] = (entry - high) << 20 | 5 << 15 | 0 << 12 | 0x67; /* jr low(t0) */
    }
    return device->transport->ops->write(device->transport, tile->at, start, code, sizeof code, err);
}

static int check_image(const struct td_device *device, uint32_t core, const struct td_image *image,
                       const char *path, struct td_err *err)
{
    int rc = check_table(device, core, image, path, err);
    int has_entry = 0;
    for (size_t i = 0; rc == 0 && i < td_image_segment_count(image); i++) {
        const struct td_segment *s = td_image_segment(image, i);
        if (s->file_bytes == 0)
            continue; /* bss: start code clears it */
        rc = check_segment(&device->board, core, s, path, err);
        has_entry |= td_image_entry(image) - s->address < s->file_bytes;
    }
    if (rc == 0 && (!has_entry || td_image_entry(image) % 4))
        return td_fail(err, TD_E_FORMAT, "%s: its entry 0x%x is not in what is loaded", path,
                       td_image_entry(image));
    return rc;
}

int td_device_load(struct td_device *device, struct td_core_at core, const char *elf_path, struct td_err *err)
{
    struct td_device_tile *tile = td_device_tile_of(device, core, err);
    if (!tile)
        return TD_E_USAGE;
    if (tile->launched >> core.core & 1)
        return td_fail(err, TD_E_USAGE, "core %s of tile %u,%u is running; wait for it before loading it",
                       device->board.cores[core.core].name, core.x, core.y);
    struct td_err why = {0};
    const struct td_image *image = image_of(device, elf_path, &why);
    int rc = image ? check_image(device, core.core, image, elf_path, &why) : why.code;
    /* A core that an earlier program left running is stopped here. */
    if (rc == 0)
        rc = td_device_reset(device, tile, 1u << core.core, 1, &why);
    if (rc == 0 && !tile->ready)
        rc = td_lanes_prepare(device->transport, &device->board, tile->at, NULL, &why);
    if (rc)
        return td_fail(err, rc, "%s", why.text);
    tile->ready = 1;
    tile->cores[core.core].image = NULL;
    for (size_t i = 0; rc == 0 && i < td_image_segment_count(image); i++) {
        const struct td_segment *s = td_image_segment(image, i);
        if (s->file_bytes)
            rc = load_segment(device, tile, s, err);
    }
    if (rc == 0)
        rc = write_start(device, tile, core.core, td_image_entry(image), err);
    if (rc == 0)
        tile->cores[core.core].image = image;
    return rc;
}
