#include "host/agent/board/core_symbols.h"
#include "host/agent/board/lane_events.h"
#include "host/symbols/symbols.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct td_core_symbols {
    const struct td_image *image;
    struct td_debug_info *info; /* NULL: there is none */
    struct td_debug_line found[TD_CORE_LINES];
    unsigned count;
    char *begins[TD_CORE_LINES]; /* files where they begin */
};

static const struct td_symbols_host host = {.take = malloc, .give = free, .cxx = "libstdc++.so.6"};

/* The image's bytes as a file of this process, as libdw wants them. -1: it cannot be made. */
static int make_file(const struct td_image *image)
{
    size_t bytes;
    const char *data = td_image_bytes(image, &bytes);
    int fd = memfd_create("kernel", MFD_CLOEXEC);
    for (size_t done = 0; fd >= 0 && done < bytes;) {
        const ssize_t n = write(fd, data + done, bytes - done);
        if (n <= 0) {
            close(fd);
            return -1;
        }
        done += (size_t)n;
    }
    return fd;
}

struct td_core_symbols *td_core_symbols_open(struct td_lane_names *names, uint64_t build_id)
{
    const struct td_site_numbers *sites = td_lane_names_find(names, build_id);
    const struct td_image *image = sites ? sites->image : NULL;
    struct td_core_symbols *s = image ? calloc(1, sizeof *s) : NULL;
    if (!s)
        return NULL;
    s->image = image;
    int more = -1, fd = make_file(image);
    if (fd >= 0) /* which takes over fd */
        s->info = td_debug_info_open(&host, "kernel.elf", fd, &more);
    if (more >= 0)
        close(more);
    return s;
}

static void free_lines(struct td_debug_line *lines, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        free(lines[i].function);
        free(lines[i].file);
    }
}

static void drop_found(struct td_core_symbols *s)
{
    free_lines(s->found, s->count);
    for (unsigned i = 0; i < s->count; i++)
        free(s->begins[i]);
    s->count = 0;
}

void td_core_symbols_close(struct td_core_symbols *s)
{
    if (!s)
        return;
    drop_found(s);
    td_debug_info_close(s->info);
    free(s);
}

static const void *find_code(const struct td_image *image, uint32_t low, uint32_t bytes)
{
    for (size_t i = 0; i < td_image_segment_count(image); i++) {
        const struct td_segment *g = td_image_segment(image, i);
        const uint32_t at = low - g->virtual_address;
        if (bytes && low >= g->virtual_address && at < g->file_bytes && bytes <= g->file_bytes - at)
            return (const char *)g->data + at;
    }
    return NULL;
}

/* The function's own line at its first instruction, which may be one of a function that is inlined there.
 * Sets s->begins[i]. */
static void find_begin(struct td_core_symbols *s, unsigned i, struct td_core_line *line)
{
    struct td_debug_line lines[TD_CORE_LINES];
    unsigned count = line->bytes ? td_debug_info_find(s->info, line->low, lines, TD_CORE_LINES) : 0, own = 0;
    s->begins[i] = NULL;
    while (own + 1 < count && (lines[own].low != line->low || lines[own].bytes != line->bytes))
        own++;
    if (!count)
        return;
    line->begin_file = s->begins[i] = lines[own].file;
    line->begin_line = lines[own].line;
    lines[own].file = NULL;
    free_lines(lines, count);
}

/* The function's extent by the ELF's symbols. False: none has the address. */
static bool find_symbol(const struct td_image *image, uint32_t address, struct td_core_line *line)
{
    uint32_t offset, end = address;
    line->function = td_image_symbol(image, address, &offset);
    if (!line->function)
        return false;
    line->low = address - offset;
    /* Symbols of assembly have no size: up to the next one, or to the end of the code. */
    for (uint32_t next; end - address < 4096; end += 4) {
        const char *name = td_image_symbol(image, end, &next);
        if (!name || end - next != line->low || !find_code(image, end, 4))
            break;
    }
    line->bytes = end - line->low;
    return true;
}

unsigned td_core_symbols_find(struct td_core_symbols *s, uint32_t address,
                              struct td_core_line lines[TD_CORE_LINES])
{
    drop_found(s);
    if (!find_code(s->image, address, 2))
        return 0;
    s->count = s->info ? td_debug_info_find(s->info, address, s->found, TD_CORE_LINES) : 0;
    for (unsigned i = 0; i < s->count; i++) {
        const struct td_debug_line *found = &s->found[i];
        lines[i] = (struct td_core_line){.function = found->function,
                                         .file = found->file,
                                         .line = found->line,
                                         .low = (uint32_t)found->low,
                                         .bytes = (uint32_t)found->bytes};
        if (found->low > UINT32_MAX || found->bytes > UINT32_MAX)
            lines[i].low = lines[i].bytes = 0;
        find_begin(s, i, &lines[i]);
    }
    struct td_core_line symbol = {0};
    const bool has_symbol = find_symbol(s->image, address, &symbol);
    unsigned count = s->count;
    if (!count && has_symbol)
        lines[count++] = symbol;
    for (unsigned i = 0; i < count; i++) {
        if (!lines[i].function && i + 1 == count && has_symbol)
            lines[i].function = symbol.function;
        if (!lines[i].bytes && i + 1 == count && has_symbol) {
            lines[i].low = symbol.low;
            lines[i].bytes = symbol.bytes;
        }
        if (!lines[i].function)
            lines[i].function = "[unknown]";
        lines[i].code = find_code(s->image, lines[i].low, lines[i].bytes);
    }
    return count;
}
