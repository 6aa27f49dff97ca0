#include "host/device/image/core_load.h"
#include "proto/device/noc.h"
#include "proto/device/packet.h"

#include <stdlib.h>
#include <string.h>

#define JAL_REACH (1 << 20)

static const char *core_name(const struct td_board *b, uint32_t core)
{
    return core < b->core_count ? b->cores[core].name : "an unknown core";
}

uint32_t td_core_load_chip(const struct td_board *b)
{
    return (b->noc_regs ? 1 + b->niu : TD_IMAGE_CHIP_NO_NOC) | (b->no_fence ? TD_IMAGE_NO_FENCE : 0);
}

/* Registers and instructions in an image are those of one kind of chip. */
static int check_chip(const struct td_board *b, uint32_t chip, const char *path, struct td_err *err)
{
    static const char *const names[] = {[1 + TD_NIU_WORMHOLE] = "tiles of Wormhole",
                                        [1 + TD_NIU_BLACKHOLE] = "tiles of Blackhole",
                                        [1 + TD_NIU_CORE] = "cores with NoC interfaces of their own",
                                        [TD_IMAGE_CHIP_NO_NOC] = "tiles without a NoC"};
    const uint32_t both[] = {chip, td_core_load_chip(b)};
    const char *name[2], *fence[2];
    if (chip == 0 || both[0] == both[1])
        return 0;
    for (int i = 0; i < 2; i++) {
        name[i] = names[both[i] & TD_IMAGE_CHIP_NO_NOC];
        name[i] = name[i] ? name[i] : "an unknown chip";
        fence[i] = both[i] & TD_IMAGE_NO_FENCE ? ", whose cores have no fence" : "";
    }
    return td_fail(err, TD_E_FORMAT, "%s was linked for %s%s, and board %s has %s%s", path, name[0], fence[0],
                   b->name, name[1], fence[1]);
}

/* Was it built for this board, this core and these lanes? */
static int check_table(const struct td_board *b, uint32_t core, const struct td_image *image,
                       const char *path, struct td_err *err)
{
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
    if (table[TD_IMAGE_profile] && table[TD_IMAGE_ring_slots] != b->ring_slots)
        return td_fail(err, TD_E_FORMAT,
                       "%s was built for another board than %s: its lanes have rings of %u slots, not %u",
                       path, b->name, table[TD_IMAGE_ring_slots], b->ring_slots);
    if (table[TD_IMAGE_profile] && table[TD_IMAGE_ring] != td_board_ring(b, core))
        return td_fail(err, TD_E_FORMAT,
                       "%s was built for another board than %s: its ring is at 0x%x, not 0x%x", path, b->name,
                       table[TD_IMAGE_ring], td_board_ring(b, core));
    if (table[TD_IMAGE_profile] == TD_IMAGE_STAMPED && !b->stamp_register)
        return td_fail(err, TD_E_USAGE,
                       "%s records zones with a timestamper, which board %s has not; link it without STAMPED",
                       path, b->name);
    if (table[TD_IMAGE_uses] & TD_IMAGE_COUNTS && b->no_counters)
        return td_fail(err, TD_E_USAGE,
                       "%s reads performance counters, which the vendor's simulator has not; compile it "
                       "without PROFILE_PERF_COUNTERS",
                       path);
    if (table[TD_IMAGE_uses] & TD_IMAGE_COMPUTES && !b->simulated)
        return td_fail(err, TD_E_USAGE,
                       "%s uses the compute engine that only simulated boards have, and board %s is none",
                       path, b->name);
    if (check_chip(b, table[TD_IMAGE_uses] >> TD_IMAGE_CHIP_BIT, path, err))
        return TD_E_FORMAT;
    if (!td_image_build_id(image))
        return td_fail(err, TD_E_FORMAT, "%s has no build id; link it with -Wl,--build-id", path);
    return 0;
}

/* A segment must be in the core's part of L1 or in the part that the board leaves to programs. */
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

/* The first of the patches in this segment, or NULL. */
static const struct td_patch *first_patch(const struct td_patches *patches, const struct td_segment *s)
{
    for (size_t i = 0; patches && i < patches->count; i++)
        if (patches->at[i].address - s->address < s->file_bytes)
            return &patches->at[i];
    return NULL;
}

static int write_segment(struct td_transport *t, struct td_tile_at at, const struct td_segment *s,
                         const struct td_patches *patches, struct td_err *err)
{
    const struct td_patch *p = first_patch(patches, s);
    if (!p)
        return t->ops->write(t, at, s->address, s->data, s->file_bytes, err);
    char *bytes = malloc(s->file_bytes);
    if (!bytes)
        return td_fail(err, TD_E_NOMEM, "no memory for %u bytes of a program", s->file_bytes);
    memcpy(bytes, s->data, s->file_bytes);
    for (; p < patches->at + patches->count && p->address - s->address < s->file_bytes; p++)
        memcpy(bytes + (p->address - s->address), &p->instruction, sizeof p->instruction);
    const int rc = t->ops->write(t, at, s->address, bytes, s->file_bytes, err);
    free(bytes);
    return rc;
}

static int load_segment(struct td_transport *t, struct td_tile_at at, const struct td_segment *s,
                        const struct td_patches *patches, struct td_err *err)
{
    int rc = write_segment(t, at, s, patches, err);
    uint32_t zeros = s->address == s->virtual_address ? s->memory_bytes - s->file_bytes : 0;
    if (rc || zeros == 0)
        return rc;
    void *zero = calloc(1, zeros);
    if (!zero)
        return td_fail(err, TD_E_NOMEM, "no memory to clear %u bytes", zeros);
    rc = t->ops->write(t, at, s->address + s->file_bytes, zero, zeros, err);
    free(zero);
    return rc;
}

/* The core's first instruction: a jump to the image's entry. */
static int write_start(struct td_transport *t, const struct td_board *b, struct td_tile_at at, uint32_t core,
                       uint32_t entry, struct td_err *err)
{
    uint32_t start = b->cores[core].start, code[2] = {0, 0x13 /* nop */};
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
    return t->ops->write(t, at, start, code, sizeof code, err);
}

int td_core_load_check(const struct td_board *b, uint32_t core, const struct td_image *image,
                       const char *path, struct td_err *err)
{
    int rc = check_table(b, core, image, path, err);
    int has_entry = 0;
    for (size_t i = 0; rc == 0 && i < td_image_segment_count(image); i++) {
        const struct td_segment *s = td_image_segment(image, i);
        if (s->file_bytes == 0)
            continue; /* bss: start code clears it */
        rc = check_segment(b, core, s, path, err);
        has_entry |= td_image_entry(image) - s->address < s->file_bytes;
    }
    if (rc == 0 && (!has_entry || td_image_entry(image) % 4))
        return td_fail(err, TD_E_FORMAT, "%s: its entry 0x%x is not in what is loaded", path,
                       td_image_entry(image));
    return rc;
}

int td_core_load(struct td_transport *t, const struct td_board *b, struct td_tile_at at, uint32_t core,
                 const struct td_image *image, const struct td_patches *patches, struct td_err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < td_image_segment_count(image); i++) {
        const struct td_segment *s = td_image_segment(image, i);
        if (s->file_bytes)
            rc = load_segment(t, at, s, patches, err);
    }
    return rc ? rc : write_start(t, b, at, core, td_image_entry(image), err);
}

int td_core_load_patches(struct td_transport *t, struct td_tile_at at, const struct td_image *image,
                         const struct td_patches *was, const struct td_patches *patches, struct td_err *err)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < td_image_segment_count(image); i++) {
        const struct td_segment *s = td_image_segment(image, i);
        if (first_patch(was, s) || first_patch(patches, s))
            rc = write_segment(t, at, s, patches, err);
    }
    return rc;
}

int td_core_load_reset(struct td_transport *t, const struct td_board *b, struct td_tile_at at, uint32_t cores,
                       int hold, struct td_err *err)
{
    uint32_t word, bits = 0;
    for (uint32_t i = 0; i < b->core_count; i++)
        if (cores >> i & 1)
            bits |= 1u << b->cores[i].reset_bit;
    int rc = t->ops->read(t, at, b->soft_reset, &word, 4, err);
    if (rc)
        return rc;
    uint32_t changed = hold ? word | bits : word & ~bits;
    return changed == word ? 0 : t->ops->write(t, at, b->soft_reset, &changed, 4, err);
}
