/* tendril size: prints the bytes of code that markers take in kernels' ELFs.
 *
 * The instructions of markers are found by what no other code does: they read the clock, load site ids, which
 * are constants from TD_ID_BASE on, and call the runtime with t0 as the return address
 * (target/include/tendril/zone.h). */
#include "host/base/options.h"
#include "host/base/plain_text.h"
#include "host/device/image/image.h"
#include "host/tools/commands.h"
#include "host/base/json.h"
#include "proto/device/packet.h"
#include "proto/device/site.h"
#include "riscv/rt_words.h"

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Bytes of an inlined close without its constants: from reading the clock to the store that marks the zone as
 * closed, and the call of the slow path. */
#define CLOSE_BYTES (12 * 4 + 4 * 4)
#define TINY_BYTES  (2 * 4)
#define OPEN_BYTES  (4 * 4)
/* With the limit of short zones, a constant that a close in the tiny form does not need. */
#define TINY_SAVES (CLOSE_BYTES + 4 - TINY_BYTES)

enum symbol { KERNEL_BEGIN, KERNEL_END, RUNTIME_END, ZONE_SLOW, ZONE_TINY, CLOCK_LOW, SYMBOLS };
static const char *const symbol_names[SYMBOLS] = {"td_kernel_text_begin", "td_kernel_text_end",
                                                  "td_runtime_text_end",  "td_zone_slow",
                                                  "td_zone_close_tiny",   "td_clock_low"};

struct elf {
    const uint8_t *bytes;
    size_t size;
    uint32_t symbols[SYMBOLS];
    unsigned known; /* bit mask of the symbols that were found */
    uint32_t open, open_words;
};

struct sizes {
    uint32_t sites, zone_sites, opens, closes, tiny_closes;
    uint32_t marker_bytes, kernel_bytes, runtime_bytes;
};

static const void *elf_part(const struct elf *elf, uint64_t offset, uint64_t bytes)
{
    return offset <= elf->size && bytes <= elf->size - offset ? elf->bytes + offset : NULL;
}

/* td_image_open() has checked that the file is a 32-bit ELF. Offsets of tables are checked here. Entries are
 * copied because they may be unaligned. */
static bool read_section(const struct elf *elf, uint32_t index, Elf32_Shdr *to)
{
    Elf32_Ehdr head;
    const void *at = elf_part(elf, 0, sizeof head);
    if (!at)
        return false;
    memcpy(&head, at, sizeof head);
    at = elf_part(elf, head.e_shoff + (uint64_t)index * sizeof *to, sizeof *to);
    if (index >= head.e_shnum || head.e_shentsize != sizeof *to || !at)
        return false;
    memcpy(to, at, sizeof *to);
    return true;
}

static void note_symbol(struct elf *elf, const Elf32_Sym *symbol, const char *texts, uint32_t texts_bytes)
{
    if (symbol->st_name >= texts_bytes)
        return;
    const char *name = texts + symbol->st_name;
    for (int i = 0; i < SYMBOLS; i++)
        if (strncmp(name, symbol_names[i], texts_bytes - symbol->st_name) == 0) {
            elf->symbols[i] = symbol->st_value;
            elf->known |= 1u << i;
        }
}

static void read_symbols(struct elf *elf)
{
    Elf32_Shdr s, texts;
    for (uint32_t i = 0; read_section(elf, i, &s); i++) {
        if (s.sh_type != SHT_SYMTAB || !read_section(elf, s.sh_link, &texts))
            continue;
        const uint8_t *symbols = elf_part(elf, s.sh_offset, s.sh_size);
        const char *text = elf_part(elf, texts.sh_offset, texts.sh_size);
        if (!symbols || !text || texts.sh_size == 0 || text[texts.sh_size - 1] != 0)
            continue;
        for (size_t at = 0; at + sizeof(Elf32_Sym) <= s.sh_size; at += sizeof(Elf32_Sym)) {
            Elf32_Sym symbol;
            memcpy(&symbol, symbols + at, sizeof symbol);
            note_symbol(elf, &symbol, text, texts.sh_size);
        }
    }
}

/* Target of `jal t0, X`; 0: another instruction. */
static uint32_t millicode_target(uint32_t pc, uint32_t i)
{
    if ((i & 0xfff) != (5 << 7 | 0x6f))
        return 0;
    uint32_t offset =
        (i >> 31 ? 0xfff00000 : 0) | (i & 0xff000) | (i >> 20 & 1) << 11 | (i >> 21 & 0x3ff) << 1;
    return pc + offset;
}

/* lw rd, TD_RT_HIGH(gp) */
static bool is_open(uint32_t i)
{
    uint32_t offset = (uint32_t)(TD_RT_HIGH - TD_RT_GP_OFFSET) & 0xfff;
    return (i & 0xfffff07f) == (offset << 20 | 3 << 15 | 2 << 12 | 0x03);
}

/* The constant is the upper part of an address in the words of open zones, which a kernel loads if they are
 * out of reach of a single instruction. */
static bool is_open_page(const struct elf *elf, uint32_t value)
{
    return elf->open_words && value - ((elf->open + 0x800) & 0xfffff000) <= 4 * elf->open_words &&
           elf->open + 4 * elf->open_words > 0x800;
}

static void count_instruction(const struct elf *elf, uint32_t pc, uint32_t i, struct sizes *s)
{
    uint32_t target = millicode_target(pc, i);
    if (target && elf->known >> ZONE_SLOW & 1 && target == elf->symbols[ZONE_SLOW]) {
        s->closes++;
        s->marker_bytes += CLOSE_BYTES;
    } else if (target && elf->known >> ZONE_TINY & 1 && target == elf->symbols[ZONE_TINY]) {
        s->tiny_closes++;
        s->marker_bytes += TINY_BYTES;
    } else if (is_open(i)) {
        s->opens++;
        s->marker_bytes += OPEN_BYTES;
    } else if ((i & 0x7f) == 0x37) { /* lui: a site's id, the clock's page */
        uint32_t value = i & 0xfffff000;
        int is_id = value >= TD_ID_BASE && (value - TD_ID_BASE) / TD_ID_STRIDE < TD_SHORT_ID_COUNT &&
                    value % TD_ID_STRIDE == 0;
        /* TD_ID_STRIDE is the limit of short durations; a kernel's own constant 65536 is counted, too. */
        if (is_id || value == (elf->symbols[CLOCK_LOW] & 0xfffff000) || value == TD_ID_STRIDE ||
            is_open_page(elf, value))
            s->marker_bytes += 4;
    }
}

static int measure_markers(const struct td_image *image, const char *path, struct sizes *s,
                           struct td_err *err)
{
    struct elf elf = {0};
    elf.bytes = td_image_bytes(image, &elf.size);
    elf.open_words = td_image_open_words(image, &elf.open);
    read_symbols(&elf);
    unsigned needed = 1u << KERNEL_BEGIN | 1u << KERNEL_END | 1u << RUNTIME_END | 1u << CLOCK_LOW;
    if ((elf.known & needed) != needed)
        return td_fail(err, TD_E_FORMAT, "%s was not linked with this kit's linker script, or it is stripped",
                       path);
    s->kernel_bytes = elf.symbols[KERNEL_END] - elf.symbols[KERNEL_BEGIN];
    s->runtime_bytes = elf.symbols[RUNTIME_END] - elf.symbols[KERNEL_END];
    for (size_t n = 0; n < td_image_segment_count(image); n++) {
        const struct td_segment *segment = td_image_segment(image, n);
        for (uint32_t at = 0; at + 4 <= segment->file_bytes; at += 4) {
            uint32_t pc = segment->virtual_address + at, instruction;
            if (pc < elf.symbols[KERNEL_BEGIN] || pc >= elf.symbols[KERNEL_END])
                continue;
            memcpy(&instruction, (const uint8_t *)segment->data + at, 4);
            count_instruction(&elf, pc, instruction, s);
        }
    }
    for (size_t id = 0; id < td_image_site_count(image); id++) {
        const struct td_site *site = td_image_site(image, (uint32_t)id);
        s->sites += site != NULL;
        s->zone_sites += site && (site->kind == TD_SITE_ZONE || site->kind == TD_SITE_WAIT);
    }
    return 0;
}

static void print_sizes(const char *path, const struct sizes *s, struct td_json *json)
{
    double each = s->zone_sites ? (double)s->marker_bytes / s->zone_sites : 0;
    if (!json) {
        printf("%-32s %5u %6u %7u %9.1f %7u %8u\n", TD_PLAIN(path), s->sites, s->zone_sites, s->marker_bytes,
               each, s->kernel_bytes, s->runtime_bytes);
        return;
    }
    td_json_object(json, NULL);
    td_json_string(json, "file", path);
    td_json_uint(json, "sites", s->sites);
    td_json_uint(json, "zone_sites", s->zone_sites);
    td_json_uint(json, "opens", s->opens);
    td_json_uint(json, "closes", s->closes + s->tiny_closes);
    td_json_uint(json, "marker_bytes", s->marker_bytes);
    td_json_double(json, "bytes_per_zone_site", each);
    td_json_uint(json, "kernel_bytes", s->kernel_bytes);
    td_json_uint(json, "runtime_bytes", s->runtime_bytes);
    td_json_end_object(json);
}

/* One line, for a kernel that does not fit. */
static void print_advice(const struct sizes *s)
{
    if (!s->sites)
        puts("tendril: the kernel has no markers: its own code and data are too large");
    else if (s->tiny_closes || !s->closes)
        printf("tendril: the kernel's %u markers take %u bytes of code in this image\n", s->sites,
               s->marker_bytes);
    else
        printf(
            "tendril: the kernel's %u markers take %u bytes of code in this image; TD_TINY (TINY in CMake, "
            "TINY=1 in make) would save about %u\n",
            s->sites, s->marker_bytes, s->closes * TINY_SAVES);
}

const char td_summary_size[] =
    "Prints the bytes of code that markers take in kernels, and for each zone site.";

int td_cmd_size(int argc, char **argv, struct td_err *err)
{
    int json = 0, advice = 0;
    const struct td_option options[] = {
        {.long_name = "json",
         .type = TD_OPT_FLAG | TD_OPT_LOOKS,
         .to = &json,
         .help = "a JSON array, one object a file"},
        {.long_name = "advice",
         .type = TD_OPT_FLAG | TD_OPT_LOOKS,
         .to = &advice,
         .help = "a line for each file on what its markers take, and what TD_TINY would save"},
        {0}};
    const struct td_command_line line = {.name = "tendril size",
                                         .usage = "[options] ELF...",
                                         .summary = td_summary_size,
                                         .options = options,
                                         .min_args = 1,
                                         .max_args = -1};
    struct td_command_args args;
    if (!td_command_parse(&line, argc, argv, &args, err))
        return args.rc;
    struct td_json j = {.to = stdout};
    if (json)
        td_json_array(&j, NULL);
    int rc = 0;
    for (int i = 1; i <= args.count && rc == 0; i++) {
        struct sizes s = {0};
        struct td_image *image = td_image_open(argv[i], err);
        if (!image) {
            rc = 1;
            break;
        }
        rc = measure_markers(image, argv[i], &s, err);
        if (rc == 0 && advice && !json) {
            print_advice(&s);
            td_image_close(image);
            continue;
        }
        if (rc == 0 && i == 1 && !json)
            printf("%-32s %5s %6s %7s %9s %7s %8s\n", "bytes of code", "sites", "zones", "markers",
                   "zone site", "kernel", "runtime");
        if (rc == 0)
            print_sizes(argv[i], &s, json ? &j : NULL);
        td_image_close(image);
    }
    if (json) {
        td_json_end_array(&j);
        putchar('\n');
    }
    return rc ? 1 : 0;
}
