/* The sites of an image: read from its sections, named by its symbols and DWARF. */
#include "host/base/compare.h"
#include "host/base/sorted.h"
#include "host/device/image/image_internal.h"
#include "proto/device/packet.h"
#include "proto/device/stamp.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Deeper nesting than any compiler makes: damaged DWARF. */
#define MAX_DEPTH 200

struct strings {
    const char *data;
    uint32_t base, size;
};

static const char *string_at(const struct strings *s, uint32_t address)
{
    uint32_t at = address - s->base;
    if (!s->data || address < s->base || at >= s->size || !memchr(s->data + at, 0, s->size - at))
        return NULL;
    return s->data + at;
}

static uint32_t word(const char *record, int offset)
{
    uint32_t w;
    memcpy(&w, record + offset, 4);
    return w;
}

static bool same(const struct td_site *a, const struct td_site *b)
{
    return a->kind == b->kind && a->line == b->line && a->color == b->color && a->args == b->args &&
           strcmp(a->name, b->name) == 0 && strcmp(a->file, b->file) == 0;
}

/* The last word of a zone's record is the address of its word in .td_open, which no longer exists where the
 * linker has dropped the code. */
static void note_open_word(struct td_image *image, struct td_site *site, uint32_t id)
{
    const uint32_t at = site->args - image->open_address;
    site->open = TD_SITE_NO_WORD;
    if (site->kind != TD_SITE_ZONE && site->kind != TD_SITE_WAIT)
        return;
    site->args = 0;
    if (at % 4 == 0 && at / 4 < image->open_words) {
        site->open = at / 4;
        image->open_sites[at / 4] = id;
    }
}

static int read_open_section(struct td_image *image)
{
    GElf_Shdr open;
    const char *none;
    if (!td_image_section(image, TD_SECTION_OPEN, &open, &none))
        return 0;
    const uint64_t words = open.sh_size / 4;
    image->open_address = (uint32_t)open.sh_addr;
    image->open_words = words < TD_SHORT_ID_COUNT ? (uint32_t)words : TD_SHORT_ID_COUNT;
    image->open_sites = malloc((image->open_words + 1) * sizeof *image->open_sites);
    if (!image->open_sites)
        return TD_E_NOMEM;
    for (uint32_t i = 0; i < image->open_words; i++)
        image->open_sites[i] = TD_SITE_NO_WORD;
    return 0;
}

/* Reads one record; returns NULL, or why it is wrong. */
static const char *read_site(struct td_image *image, const char *record, const struct strings *strings)
{
    uint32_t address = word(record, TD_SITE_OFF_id), name = word(record, TD_SITE_OFF_name);
    uint32_t file = word(record, TD_SITE_OFF_file), id = (address - TD_ID_BASE) / TD_ID_STRIDE;
    const uint32_t place = address % TD_ID_STRIDE; /* a stamped image has the core's number there */
    if (address < TD_ID_BASE || place % (1u << TD_STAMP_CORE_SHIFT) || id >= image->site_count)
        return "a site's id is not in " TD_SECTION_IDS;
    struct td_site site = {.kind = word(record, TD_SITE_OFF_kind),
                           .name = name ? string_at(strings, name) : "",
                           .file = file ? string_at(strings, file) : "",
                           .function = "",
                           .line = word(record, TD_SITE_OFF_line),
                           .color = word(record, TD_SITE_OFF_color) & 0xffffff,
                           .args = word(record, TD_SITE_OFF_args)};
    note_open_word(image, &site, id);
    if (!site.name || !site.file)
        return "a site's text is not in " TD_SECTION_STRINGS;
    if (site.kind > TD_SITE_MAIN || site.args > TD_MAX_ARGS)
        return "a site has an unknown kind or too many arguments";
    struct td_site *known = &image->sites[id];
    if (known->kind != TD_SITE_NONE)
        return same(known, &site) ? NULL : "two sites have one id";
    *known = site;
    if (word(record, TD_SITE_OFF_pc))
        image->pcs[image->pc_count++] = (struct td_site_pc){word(record, TD_SITE_OFF_pc), id};
    return NULL;
}

TD_COMPARE(by_pc, struct td_site_pc, TD_UP(pc))

int td_image_read_sites(struct td_image *image, const char *path, struct td_err *err)
{
    GElf_Shdr ids, sites, texts;
    const char *none, *records, *text;
    if (!td_image_section(image, TD_SECTION_SITES, &sites, &records) || sites.sh_size == 0)
        return 0;
    if (!records || sites.sh_size % TD_SITE_BYTES || !td_image_section(image, TD_SECTION_IDS, &ids, &none))
        return td_fail(err, TD_E_FORMAT,
                       "%s: section " TD_SECTION_SITES " is damaged or " TD_SECTION_IDS " lacks", path);
    struct strings strings = {0};
    if (td_image_section(image, TD_SECTION_STRINGS, &texts, &text) && text)
        strings = (struct strings){text, (uint32_t)texts.sh_addr + (image->is_guest ? TD_STRING_BASE : 0),
                                   (uint32_t)texts.sh_size};
    size_t count = sites.sh_size / TD_SITE_BYTES;
    image->site_count = ((size_t)ids.sh_size + TD_ID_STRIDE - 1) / TD_ID_STRIDE;
    image->sites = calloc(image->site_count + 1, sizeof *image->sites);
    const int no_memory = read_open_section(image);
    image->pcs = calloc(count, sizeof *image->pcs);
    if (!image->sites || !image->pcs || no_memory)
        return td_fail(err, TD_E_NOMEM, "no memory for the sites of %s", path);
    for (size_t i = 0; i < image->site_count; i++)
        image->sites[i].kind = TD_SITE_NONE;
    for (size_t i = 0; i < count; i++) {
        const char *wrong = read_site(image, records + i * TD_SITE_BYTES, &strings);
        if (wrong)
            return td_fail(err, TD_E_FORMAT, "%s: %s", path, wrong);
    }
    qsort(image->pcs, image->pc_count, sizeof *image->pcs, by_pc);
    return 0;
}

/* Gives the sites in [low, high) this function; a later, deeper one gives them another. */
static void paint(struct td_image *image, Dwarf_Addr low, Dwarf_Addr high, const char *name)
{
    size_t first = 0, end = image->pc_count;
    TD_BISECT(first, end, middle, image->pcs[middle].pc < low);
    for (; first < image->pc_count && image->pcs[first].pc < high; first++)
        image->sites[image->pcs[first].id].function = name;
}

static void paint_die(struct td_image *image, Dwarf_Die *die)
{
    int tag = dwarf_tag(die);
    const char *name =
        tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ? dwarf_diename(die) : NULL;
    /* A site belongs to the function around the markers' own inline ones. */
    if (!name || strncmp(name, TD_MARKER_FUNCTIONS, sizeof TD_MARKER_FUNCTIONS - 1) == 0)
        return;
    Dwarf_Addr base, low, high;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &low, &high)) > 0;)
        paint(image, low, high, name);
}

/* `left`: entries that there can still be (each takes a byte at least); damaged DWARF can go in circles. */
static void walk(struct td_image *image, Dwarf_Die *parent, int depth, size_t *left)
{
    Dwarf_Die die;
    if (depth > MAX_DEPTH || dwarf_child(parent, &die) != 0)
        return;
    do {
        if (*left == 0)
            return;
        --*left;
        paint_die(image, &die);
        walk(image, &die, depth + 1, left);
    } while (dwarf_siblingof(&die, &die) == 0);
}

/* A message and a text may be empty. */
static bool is_named_after_function(const struct td_site *site)
{
    return site->kind != TD_SITE_NONE && site->kind != TD_SITE_LOG && site->kind != TD_SITE_ZTEXT &&
           !*site->name;
}

void td_image_name_functions(struct td_image *image)
{
    uint32_t offset;
    for (size_t i = 0; i < image->pc_count; i++) {
        const char *name = td_image_symbol(image, image->pcs[i].pc, &offset);
        if (name)
            image->sites[image->pcs[i].id].function = name;
    }
    if (image->pc_count)
        image->dwarf = dwarf_begin_elf(image->elf, DWARF_C_READ, NULL);
    size_t left = image->size;
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    while (image->dwarf && left && dwarf_get_units(image->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
        walk(image, &die, 0, &left);
    for (size_t i = 0; i < image->site_count; i++)
        if (is_named_after_function(&image->sites[i]))
            image->sites[i].name = image->sites[i].function;
}

uint32_t td_image_line(const struct td_image *image, uint32_t address, const char **file)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    while (image->dwarf && dwarf_get_units(image->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
        int number = 0;
        Dwarf_Line *line = dwarf_haspc(&die, address) > 0 ? dwarf_getsrc_die(&die, address) : NULL;
        *file = line && dwarf_lineno(line, &number) == 0 ? dwarf_linesrc(line, NULL, NULL) : NULL;
        if (*file && number > 0)
            return (uint32_t)number;
    }
    return 0;
}
