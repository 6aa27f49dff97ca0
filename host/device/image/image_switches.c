/* Switches: markers of an image that are not to be recorded lose their instructions before the image is loaded
 * (proto/device/site.h). */
#include "host/base/compare.h"
#include "host/base/grow.h"
#include "host/device/image/image_internal.h"

#include <stdlib.h>
#include <string.h>

#define OPCODE_LUI  0x37
#define OPCODE_ADDI 0x13 /* without operands: nop */
#define OPCODE_JAL  0x6f
#define OPCODE_MASK 0x7f
#define REGISTER_RD 0xf80
#define JUMP_REACH  0x1000  /* more than any marker has; far less than a jump reaches */
#define JUMP_FAR    0x80000 /* a jump reaches places that are nearer than that */
#define NOP         OPCODE_ADDI
#define LOADS_SITE  0 /* `end` of a switch whose instruction loads the site */

const char *td_image_loaded(const struct td_image *image, uint32_t address, uint32_t bytes)
{
    for (size_t i = 0; i < image->segment_count; i++) {
        const struct td_segment *s = &image->segments[i];
        if (s->address == s->virtual_address && address >= s->address && bytes <= s->file_bytes &&
            address - s->address <= s->file_bytes - bytes)
            return (const char *)s->data + (address - s->address);
    }
    return NULL;
}

/* Code that the linker has dropped has no address; a damaged file may have any. Such switches are left out. */
static bool is_usable(const struct td_image *image, const struct td_switch *s)
{
    const bool one = s->end == LOADS_SITE || s->end & TD_SWITCH_SKIPS;
    const uint32_t bytes = one ? 4 : s->end - s->first;
    if ((s->id >= image->site_count && s->id != TD_SWITCH_NO_SITE) || !s->first || s->first % 4 || !bytes ||
        bytes % 4 || bytes > JUMP_REACH || !td_image_loaded(image, s->first, bytes))
        return false;
    uint32_t nop = 0;
    memcpy(&nop, td_image_loaded(image, s->first, 4), 4);
    return !(s->end & TD_SWITCH_SKIPS) ||
           (nop == NOP && s->end % 4 == TD_SWITCH_SKIPS && s->end - s->first + JUMP_FAR < 2 * JUMP_FAR);
}

TD_COMPARE(by_first, struct td_switch, TD_UP(first))

int td_image_read_switches(struct td_image *image, const char *path, struct td_err *err)
{
    GElf_Shdr section;
    const char *records;
    if (!td_image_section(image, TD_SECTION_SWITCHES, &section, &records) || !records)
        return 0;
    if (section.sh_size % TD_SWITCH_BYTES)
        return td_fail(err, TD_E_FORMAT, "%s: section " TD_SECTION_SWITCHES " is damaged", path);
    const size_t count = section.sh_size / TD_SWITCH_BYTES;
    image->switches = calloc(count + 1, sizeof *image->switches);
    if (!image->switches)
        return td_fail(err, TD_E_NOMEM, "no memory for the switches of %s", path);
    for (size_t i = 0; i < count; i++) {
        uint32_t words[TD_SWITCH_BYTES / 4];
        memcpy(words, records + i * TD_SWITCH_BYTES, sizeof words);
        const uint32_t site = words[TD_SWITCH_OFF_site / 4];
        const struct td_switch s = {.id =
                                        site == TD_SWITCH_NO_SITE ? site : (site - TD_ID_BASE) / TD_ID_STRIDE,
                                    .first = words[TD_SWITCH_OFF_first / 4],
                                    .end = words[TD_SWITCH_OFF_end / 4]};
        if (is_usable(image, &s))
            image->switches[image->switch_count++] = s;
    }
    qsort(image->switches, image->switch_count, sizeof *image->switches, by_first);
    return 0;
}

/* A jump by this distance, which may be negative. */
static uint32_t jump_over(uint32_t bytes)
{
    return (bytes >> 20 & 1) << 31 | (bytes >> 1 & 0x3ff) << 21 | (bytes >> 11 & 1) << 20 |
           (bytes >> 12 & 0xff) << 12 | OPCODE_JAL;
}

static int add_patch(struct td_patches *to, uint32_t address, uint32_t instruction)
{
    return TD_APPEND(to->at, to->count, to->capacity, (struct td_patch){address, instruction});
}

/* Each instruction of the run becomes a jump to its end, so that it may be entered anywhere. */
static int add_jumps(struct td_patches *to, uint32_t first, uint32_t end)
{
    int rc = 0;
    for (uint32_t at = first; rc == 0 && at < end; at += 4)
        rc = add_patch(to, at, end - at == 4 ? OPCODE_ADDI : jump_over(end - at));
    return rc;
}

static int add_skip(struct td_patches *to, const struct td_switch *s)
{
    const uint32_t bytes = s->end - TD_SWITCH_SKIPS - s->first;
    return bytes == 4 ? 0 : add_patch(to, s->first, jump_over(bytes));
}

static int add_zero(const struct td_image *image, struct td_patches *to, uint32_t address)
{
    uint32_t instruction;
    memcpy(&instruction, td_image_loaded(image, address, 4), 4);
    if ((instruction & OPCODE_MASK) != OPCODE_LUI)
        return 0;
    return add_patch(to, address, (instruction & REGISTER_RD) | OPCODE_ADDI);
}

int td_image_switch_off(const struct td_image *image, td_is_marker_off *is_off, const void *self,
                        struct td_patches *patches)
{
    struct td_switch run = {0}; /* instructions without use that follow each other */
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < image->switch_count; i++) {
        const struct td_switch *s = &image->switches[i];
        const struct td_site *site = td_image_site(image, s->id);
        if ((!site && s->id != TD_SWITCH_NO_SITE) || !is_off(self, site))
            continue;
        if (s->end & TD_SWITCH_SKIPS) {
            rc = s->first < run.end ? 0 : add_skip(patches, s); /* else damaged */
            continue;
        }
        if (s->end != LOADS_SITE && s->first == run.end && s->end - run.first <= JUMP_REACH) {
            run.end = s->end;
            continue;
        }
        if (s->end != LOADS_SITE && s->first < run.end)
            continue; /* damaged: two markers share instructions */
        rc = add_jumps(patches, run.first, run.end);
        run = (struct td_switch){0};
        if (rc == 0 && s->end == LOADS_SITE)
            rc = add_zero(image, patches, s->first);
        else
            run = *s;
    }
    return rc ? rc : add_jumps(patches, run.first, run.end);
}

void td_patches_free(struct td_patches *patches)
{
    free(patches->at);
    *patches = (struct td_patches){0};
}
