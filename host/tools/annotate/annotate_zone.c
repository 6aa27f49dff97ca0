/* The source and the code at a zone's marker. */
#include "host/base/path.h"
#include "host/device/image/image.h"
#include "host/query/code/zone_site.h"
#include "host/symbols/offline/symbol_lookup.h"
#include "host/tools/annotate/annotate.h"

#include <stdlib.h>
#include <string.h>

#define AROUND 8 /* lines before and after a marker in a function that is not known */

/* ---- the location ---- */

static bool has_zones(const struct td_stat *stats, size_t count, uint32_t srcloc, int64_t *total_ns)
{
    for (size_t i = 0; i < count; i++)
        if (stats[i].srcloc == srcloc) {
            *total_ns = stats[i].total_ns;
            return true;
        }
    return false;
}

/* Of several locations of the name, the one that took most time. */
static int find_location(const struct annotate *a, struct annotate_zone *zone, struct td_err *err)
{
    int64_t most = -1;
    const struct td_stat *stats;
    const size_t count = td_trace_stats(a->trace, &stats);
    if (!stats)
        return td_fail_no_memory(err, NULL);
    for (uint32_t s = 1; s < td_dict_srcloc_count(a->dict); s++) {
        int64_t total_ns;
        if (!strcmp(td_dict_zone_name(a->dict, s), zone->name) && has_zones(stats, count, s, &total_ns) &&
            total_ns > most) {
            most = total_ns;
            zone->srcloc = s;
        }
    }
    return most < 0 ? td_fail(err, TD_E_NOTFOUND, "no zone of the trace has the name '%.200s'", zone->name)
                    : 0;
}

/* ---- in a kernel ---- */

static bool is_zone(uint32_t kind)
{
    return kind == TD_SITE_ZONE || kind == TD_SITE_WAIT || kind == TD_SITE_SUM || kind == TD_SITE_MAIN;
}

static bool has_site(const struct td_image *image, const char *name, const char *file, uint32_t line)
{
    for (uint32_t id = 0; id < td_image_site_count(image); id++) {
        const struct td_site *site = td_image_site(image, id);
        if (site && is_zone(site->kind) && site->line == line && !strcmp(site->name, name) &&
            !strcmp(td_path_name(site->file), td_path_name(file)))
            return true;
    }
    return false;
}

static int find_image(const struct annotate *a, const struct td_words *elfs, struct annotate_zone *zone,
                      const char **path, struct td_err *err)
{
    const struct td_srcloc *loc = td_dict_get_srcloc(a->dict, zone->srcloc);
    for (size_t i = 0; i < elfs->count && !zone->image; i++) {
        struct td_image *image = td_image_open(elfs->words[i], err);
        if (!image)
            return err->code;
        if (has_site(image, zone->name, td_dict_text(a->dict, loc->file), loc->line)) {
            zone->image = image;
            *path = elfs->words[i];
        } else {
            td_image_close(image);
        }
    }
    if (!zone->image)
        return td_fail(err, TD_E_NOTFOUND,
                       "no ELF that was given has a zone '%.200s' at the place that the trace names",
                       zone->name);
    return 0;
}

struct kernel_lines {
    const struct annotate *a;
    struct td_dict *dict;
    struct td_levels *levels; /* NULL: only the line is looked for */
    uint64_t *addresses;
    struct td_code_view *code;
    const char *file;
    uint32_t line;
    uint64_t found; /* the first address whose function has the line; 0: none */
};

static uint32_t string_of(struct td_dict *dict, const char *text)
{
    const uint32_t string = text ? td_dict_string(dict, text, strlen(text)) : 0;
    return string == UINT32_MAX ? 0 : string;
}

static int add_levels(struct kernel_lines *k, size_t index, const struct td_lookup_line *lines,
                      unsigned count)
{
    struct td_code_insn *insn = &k->code->at[index];
    struct td_levels *levels = k->levels;
    insn->first_level = (uint32_t)levels->count;
    for (unsigned i = 0; i < count; i++) {
        if (levels->count == levels->capacity) {
            const size_t more = levels->capacity ? 2 * levels->capacity : 64;
            struct td_level *at = realloc(levels->at, more * sizeof *at);
            if (!at)
                return TD_E_NOMEM;
            levels->at = at;
            levels->capacity = more;
        }
        levels->at[levels->count++] = (struct td_level){.address = insn->address,
                                                        .symbol = k->code->address,
                                                        .function = string_of(k->dict, lines[i].function),
                                                        .file = string_of(k->dict, lines[i].file),
                                                        .line = lines[i].line,
                                                        .is_inlined = i + 1 < count};
    }
    insn->level_count = count;
    return 0;
}

static int take_lines(void *self, size_t index, int placed, uint64_t place,
                      const struct td_lookup_line *lines, unsigned count)
{
    struct kernel_lines *k = self;
    if (k->levels)
        return add_levels(k, index, lines, count);
    for (unsigned i = 0; i < count && !k->found; i++)
        if (lines[i].line == k->line && lines[i].file &&
            !strcmp(td_path_name(lines[i].file), td_path_name(k->file)))
            k->found = k->addresses[index];
    return 0;
}

/* Looks up `count` addresses of the ELF, four bytes apart, in a process of its own. */
static int look_up(struct kernel_lines *k, const char *path, uint64_t first, size_t count, struct td_err *err)
{
    struct td_lookup_address *wanted = calloc(count + 1, sizeof *wanted);
    struct td_lookup_end end = {0};
    k->addresses = calloc(count + 1, sizeof *k->addresses);
    int rc = wanted && k->addresses ? 0 : td_fail_no_memory(err, NULL);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        k->addresses[i] = first + 4 * i;
        wanted[i] =
            (struct td_lookup_address){.address = k->addresses[i], .place = k->addresses[i], .placed = 1};
    }
    const struct td_lookup lookup = {.path = path, .addresses = wanted, .count = count};
    rc = rc ? rc : td_lookup_run(&lookup, take_lines, k, &end, err);
    free(wanted);
    free(k->addresses);
    return rc;
}

/* The segment of the image that has the address, and the bytes from there to its end. */
static const uint8_t *bytes_at(const struct td_image *image, uint64_t address, uint64_t *left)
{
    for (size_t i = 0; i < td_image_segment_count(image); i++) {
        const struct td_segment *segment = td_image_segment(image, i);
        const uint64_t at = address - segment->virtual_address;
        if (at < segment->file_bytes) {
            *left = segment->file_bytes - at;
            return (const uint8_t *)segment->data + at;
        }
    }
    return NULL;
}

/* The function's extent: as far as the ELF names the same one. */
static uint64_t extent_of(const struct td_image *image, uint64_t begin, const char *name, uint64_t most)
{
    uint64_t bytes = 0;
    uint32_t offset;
    const char *here;
    while (bytes + 4 <= most && (here = td_image_symbol(image, (uint32_t)(begin + bytes), &offset)) &&
           offset == bytes && !strcmp(here, name))
        bytes += 4;
    return bytes;
}

static int find_line_in_image(struct kernel_lines *k, const struct td_image *image, const char *path,
                              struct td_err *err)
{
    int rc = 0;
    for (size_t i = 0; i < td_image_segment_count(image) && rc == 0 && !k->found; i++) {
        const struct td_segment *segment = td_image_segment(image, i);
        rc = look_up(k, path, segment->virtual_address, segment->file_bytes / 4, err);
    }
    return rc;
}

static int make_kernel_code(const struct annotate *a, struct td_trace *trace, const char *path,
                            struct annotate_zone *zone, struct annotate_function *function,
                            struct td_err *err)
{
    const struct td_srcloc *loc = td_dict_get_srcloc(a->dict, zone->srcloc);
    struct kernel_lines k = {.a = a,
                             .dict = td_trace_fill_dict(trace),
                             .code = &function->code,
                             .file = td_dict_text(a->dict, loc->file),
                             .line = loc->line};
    int rc = find_line_in_image(&k, zone->image, path, err);
    uint32_t offset = 0;
    const char *name = rc == 0 && k.found ? td_image_symbol(zone->image, (uint32_t)k.found, &offset) : NULL;
    if (!name)
        return rc; /* no debug information: the source is shown without code */
    uint64_t left = 0;
    const uint64_t begin = k.found - offset;
    const uint8_t *bytes = bytes_at(zone->image, begin, &left);
    if (!bytes)
        return 0;
    zone->function.name = string_of(k.dict, name);
    zone->function.image = string_of(k.dict, path);
    zone->function.address = begin;
    zone->function.bytes = extent_of(zone->image, begin, name, left);
    rc = td_code_make_of_bytes(bytes, zone->function.bytes, begin,
                               &(struct td_code_options){.arch = TD_CODE_RISCV32}, &function->code, err);
    k.levels = &function->code.levels;
    return rc == 0 ? look_up(&k, path, begin, function->code.count, err) : rc;
}

/* ---- the whole ---- */

static void choose_lines(struct annotate_function *f, uint32_t line)
{
    f->marked = line;
    if (!f->first) {
        f->first = line > AROUND ? line - AROUND : 1;
        f->last = line + AROUND;
    }
    f->first = line < f->first ? line : f->first;
    f->last = line > f->last ? line : f->last;
}

/* From the first line to the last that the function itself has in the zone's file. The trace and the debug information
 * may name the file with different folders. */
static void find_kernel_lines(const struct annotate *a, struct annotate_function *f, uint32_t file,
                              uint32_t line)
{
    const char *name = td_path_name(td_dict_text(a->dict, file));
    uint32_t first = 0, last = 0;
    for (size_t i = 0; i < f->code.levels.count; i++) {
        const struct td_level *level = &f->code.levels.at[i];
        if (level->is_inlined || !level->line ||
            strcmp(td_path_name(td_dict_text(a->dict, level->file)), name) != 0)
            continue;
        first = !first || level->line < first ? level->line : first;
        last = level->line > last ? level->line : last;
    }
    f->first = first;
    f->last = last;
    choose_lines(f, line);
}

/* The function in the trace, with its samples if there are any. */
static int make_traced_code(const struct annotate *a, const struct td_zone_site *site,
                            struct td_symbol_sum *sum, struct annotate_function *function, struct td_err *err)
{
    *sum = (struct td_symbol_sum){.address = site->function, .file = site->file};
    for (size_t i = 0; i < a->sums.count; i++)
        if (a->sums.at[i].address == site->function)
            *sum = a->sums.at[i];
    if (sum->file != site->file) { /* the marker is in a function that is inlined there */
        sum->file = site->file;
        sum->line = 0;
    }
    const int rc = annotate_function_make(a, sum, function, err);
    if (!sum->name) { /* no sample is in it */
        sum->name = function->code.name;
        sum->image = function->code.image;
        sum->bytes = function->code.byte_count;
    }
    return rc;
}

int annotate_zone_make(const struct annotate *a, struct td_trace *trace, const struct td_words *elfs,
                       struct annotate_zone *zone, struct annotate_function *function, struct td_err *err)
{
    const char *path = NULL;
    *function = (struct annotate_function){.sum = &zone->function};
    int rc = find_location(a, zone, err);
    if (rc < 0)
        return rc;
    const struct td_srcloc loc = *td_dict_get_srcloc(a->dict, zone->srcloc);
    struct td_zone_site site;
    if (!elfs->count)
        rc = td_zone_site_find(a->trace, zone->srcloc, NULL, &site, NULL);
    if (!elfs->count && rc == 0) {
        rc = make_traced_code(a, &site, &zone->function, function, err);
        choose_lines(function, loc.line);
        return rc;
    }
    if (rc < 0 && rc != TD_E_NOTFOUND)
        return td_fail_no_memory(err, "for functions");
    rc = 0; /* the source is shown without code */
    if (elfs->count)
        rc = find_image(a, elfs, zone, &path, err);
    if (rc == 0 && zone->image)
        rc = make_kernel_code(a, trace, path, zone, function, err);
    zone->function.file = loc.file;
    zone->function.line = loc.line;
    find_kernel_lines(a, function, loc.file, loc.line);
    return rc == 0 ? td_source_text_open(&function->source, a->trace, loc.file, &a->paths, a->rules, err)
                   : rc;
}

void annotate_zone_free(struct annotate_zone *zone)
{
    td_image_close(zone->image);
    zone->image = NULL;
}
