#include "host/symbols/offline/symbol_lookup.h"
#include "host/symbols/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HINTS_MAX  256
#define BIASES_MAX 256
#define BYTES_FEW  16 /* many functions have this size or less */
#define PAGE_MASK  UINT64_C(4095)
#define BEGINNINGS 1024 /* entries of a cache */

struct beginning {
    uint64_t place; /* of the function; 0: the entry is free */
    char *file;
    uint32_t line;
};
struct td_symbol_file {
    struct td_elf_symbols *elf, *more; /* `more`: of its separate debug file; NULL: unreadable */
    struct td_debug_info *info;
    bool placed;   /* `bias` is known */
    uint64_t bias; /* address in the program - address in the file */
    struct td_debug_line found[TD_CODE_LINES];
    unsigned found_count;
    struct beginning beginnings[BEGINNINGS];
};

static const struct td_symbols_host host = {.take = malloc, .give = free, .cxx = "libstdc++.so.6"};

/* ---- where it was in memory ---- */

struct vote {
    uint64_t bias;
    unsigned count;
};

static bool is_named(const char *symbol, const char *name)
{
    char *plain = strcmp(symbol, name) != 0 ? td_debug_name(&host, symbol) : NULL;
    bool same = !plain || !strcmp(plain, name);
    free(plain);
    return same;
}

static void add_vote(struct vote *votes, unsigned *count, uint64_t bias)
{
    unsigned i = 0;
    while (i < *count && votes[i].bias != bias)
        i++;
    if (i == BIASES_MAX)
        return;
    if (i == *count)
        votes[(*count)++] = (struct vote){bias, 0};
    votes[i].count++;
}

/* Images are loaded at page boundaries, so a function has the same offset in its page in file and program.
 * Each function of the file that may be the hint's votes for the bias that this implies. */
static void vote_for_hint(const struct td_symbol_file *file, const struct td_lookup_hint *hint,
                          struct vote *votes, unsigned *count)
{
    struct td_elf_symbol symbol;
    for (uint32_t i = 0; td_elf_symbols_at(file->elf, i, &symbol); i++)
        if (((symbol.address ^ hint->address) & PAGE_MASK) == 0 && symbol.address &&
            (is_named(symbol.name, hint->name) || (hint->bytes > BYTES_FEW && hint->bytes == symbol.bytes)))
            add_vote(votes, count, hint->address - symbol.address);
}

static void find_bias(struct td_symbol_file *file, const struct td_lookup *lookup)
{
    struct vote votes[BIASES_MAX], *best = NULL;
    unsigned count = 0;
    file->placed = file->elf && td_elf_symbols_are_fixed(file->elf);
    for (size_t i = 0; i < lookup->count && !file->placed; i++)
        if (lookup->addresses[i].placed) {
            file->placed = 1;
            file->bias = lookup->addresses[i].address - lookup->addresses[i].place;
        }
    if (file->placed || !file->elf)
        return;
    for (size_t i = 0; i < lookup->hint_count && i < HINTS_MAX; i++)
        vote_for_hint(file, &lookup->hints[i], votes, &count);
    for (unsigned i = 0; i < count; i++)
        if (!best || votes[i].count > best->count)
            best = &votes[i];
    file->placed = best != NULL;
    file->bias = best ? best->bias : 0;
}

bool td_symbol_file_place(const struct td_symbol_file *file, const struct td_lookup_address *address,
                          uint64_t *place)
{
    /* For fixed files, old clients send another place. */
    bool fixed = file->elf && td_elf_symbols_are_fixed(file->elf);
    *place = address->placed && !fixed ? address->place : address->address - file->bias;
    return address->placed || file->placed;
}

/* ---- the file ---- */

static int open_file(const char *path, struct td_err *err)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return td_fail(err, TD_E_NOTFOUND, "%s", strerror(errno));
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        return fd;
    close(fd);
    return td_fail(err, TD_E_FORMAT, "it is not a regular file");
}

static bool has_symbols(const struct td_symbol_file *file)
{
    struct td_elf_symbol symbol;
    return file->info || (file->elf && td_elf_symbols_at(file->elf, 0, &symbol)) ||
           (file->more && td_elf_symbols_at(file->more, 0, &symbol));
}

struct td_symbol_file *td_symbol_file_open(const struct td_lookup *lookup, int names_only, struct td_err *err)
{
    int fd = open_file(lookup->path, err), more = -1;
    struct td_symbol_file *file = fd >= 0 ? calloc(1, sizeof *file) : NULL;
    int again = file && !names_only ? dup(fd) : -1;
    if (file)
        file->elf = td_elf_symbols_open(&host, fd);
    else if (fd >= 0)
        close(fd);
    if (again >= 0)
        file->info = td_debug_info_open(&host, lookup->path, again, &more);
    if (more >= 0)
        file->more = td_elf_symbols_open(&host, more);
    if (file && !lookup->tool && !has_symbols(file)) {
        td_fail(err, TD_E_FORMAT,
                file->elf ? "it has neither symbols nor debug information"
                          : "it is not an ELF file, or it cannot be read");
        td_symbol_file_close(file);
        return NULL;
    }
    if (file)
        find_bias(file, lookup);
    return file;
}

static void drop_found(struct td_symbol_file *file)
{
    for (unsigned i = 0; i < file->found_count; i++) {
        free(file->found[i].function);
        free(file->found[i].file);
    }
    file->found_count = 0;
}

void td_symbol_file_close(struct td_symbol_file *file)
{
    if (!file)
        return;
    drop_found(file);
    for (size_t i = 0; i < BEGINNINGS; i++)
        free(file->beginnings[i].file);
    td_elf_symbols_close(file->elf);
    td_elf_symbols_close(file->more);
    td_debug_info_close(file->info);
    free(file);
}

bool td_symbol_file_has_lines(const struct td_symbol_file *file)
{
    return file->info != NULL;
}

/* ---- places ---- */

static bool find_symbol(const struct td_symbol_file *file, uint64_t place, struct td_elf_symbol *symbol)
{
    return (file->more && td_elf_symbols_find(file->more, place, symbol)) ||
           (file->elf && td_elf_symbols_find(file->elf, place, symbol));
}

void td_symbol_file_extent(const struct td_symbol_file *file, uint64_t place, struct td_lookup_line *line)
{
    struct td_elf_symbol symbol;
    if (!find_symbol(file, place, &symbol))
        return;
    line->symbol = symbol.address;
    line->bytes = symbol.bytes;
}

const char *td_symbol_file_begins(struct td_symbol_file *file, uint64_t place, uint32_t *line)
{
    struct beginning *known = &file->beginnings[(place ^ place >> 10) % BEGINNINGS];
    if (known->place == place) {
        *line = known->line;
        return known->file;
    }
    struct td_debug_line lines[TD_CODE_LINES];
    unsigned count = file->info ? td_debug_info_find(file->info, place, lines, TD_CODE_LINES) : 0;
    free(known->file);
    *known = (struct beginning){place, count ? lines[0].file : NULL, count ? lines[0].line : 0};
    for (unsigned i = 0; i < count; i++) {
        free(lines[i].function);
        if (i)
            free(lines[i].file);
    }
    *line = known->line;
    return known->file;
}

unsigned td_symbol_file_find(struct td_symbol_file *file, uint64_t place, struct td_lookup_line *lines,
                             unsigned most)
{
    struct td_elf_symbol symbol;
    drop_found(file);
    most = most < TD_CODE_LINES ? most : TD_CODE_LINES;
    file->found_count = file->info ? td_debug_info_find(file->info, place, file->found, most) : 0;
    int has_symbol = find_symbol(file, place, &symbol);
    if (!file->found_count && has_symbol)
        file->found[file->found_count++] = (struct td_debug_line){0};
    if (file->found_count && has_symbol) {
        struct td_debug_line *last = &file->found[file->found_count - 1];
        last->low = symbol.address;
        last->bytes = symbol.bytes;
        if (!last->function)
            last->function = td_debug_name(&host, symbol.name);
    }
    for (unsigned i = 0; i < file->found_count; i++) {
        const struct td_debug_line *found = &file->found[i];
        lines[i] = (struct td_lookup_line){found->function,
                                           found->file,
                                           found->line,
                                           found->low,
                                           i + 1 < file->found_count ? 0 : found->bytes,
                                           NULL,
                                           0};
    }
    return file->found_count;
}
