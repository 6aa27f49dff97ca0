/* Files are opened when an address in them is asked for, and stay open: the least recently used one is
 * closed for a new one. */
#include "host/client/symbols/code_files.h"
#include "host/base/code_address.h"
#include "host/client/platform/observed.h"
#include "host/client/platform/pool.h"
#include "host/client/platform/settings.h"
#include "host/client/symbols/code_maps.h"
#include "host/client/symbols/loader.h"
#include "host/client/symbols/resolver.h"
#include "host/perf/functions.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char unknown[] = "[unknown]";
static bool asks_servers(void)
{
    return td_setting_value(TD_SETTING_DEBUGINFOD);
}

static const struct td_symbols_host host = {td_pool_alloc,   td_pool_free, td_loader_enter,
                                            td_loader_leave, asks_servers, NULL};

/* ---- files ---- */

static void close_file(struct td_code_file *file)
{
    td_elf_symbols_close(file->elf);
    td_elf_symbols_close(file->more);
    td_debug_info_close(file->info);
    *file = (struct td_code_file){0};
}

void td_code_files_close(struct td_code_files *files)
{
    for (size_t i = 0; i < TD_CODE_FILES; i++)
        close_file(&files->at[i]);
    td_functions_destroy(files->kernel);
    files->kernel = NULL;
    files->has_looked = 0;
    td_jit_names_free(&files->jit);
}

void td_code_files_spoil(struct td_code_files *files)
{
    if (files->reading)
        *files->reading = (struct td_code_file){files->reading->device, files->reading->inode,
                                                files->reading->used, .spoiled = 1};
    files->reading = NULL;
}

static void open_file(struct td_code_files *files, struct td_code_file *file, const struct td_code_map *map)
{
    int fd = td_code_map_open(map), more = -1;
    file->device = map->device;
    file->inode = map->inode;
    if (fd < 0)
        return;
    int again = files->debug ? dup(fd) : -1;
    file->elf = td_elf_symbols_open(&host, fd);
    if (again >= 0 && file->elf && !td_setting_value(TD_SETTING_SYMBOL_OFFLINE_RESOLVE)) {
        file->info = td_debug_info_open(&host, map->path, again, &more);
        if (more >= 0 && !td_elf_symbols_are_all(file->elf))
            file->more = td_elf_symbols_open(&host, more);
        else if (more >= 0)
            close(more);
    } else if (again >= 0) {
        close(again);
    }
}

/* The mapping's file; opens it on first use. */
static struct td_code_file *file_of(struct td_code_files *files, const struct td_code_map *map)
{
    struct td_code_file *oldest = &files->at[0];
    files->uses++;
    for (size_t i = 0; i < TD_CODE_FILES; i++) {
        struct td_code_file *file = &files->at[i];
        if (file->used && file->inode == map->inode && file->device == map->device) {
            files->reading = file;
            file->used = files->uses;
            if (file->spoiled == 1) { /* reading it raised a signal: from now on symbols only */
                file->spoiled = 2;
                int fd = td_code_map_open(map);
                file->elf = fd >= 0 ? td_elf_symbols_open(&host, fd) : NULL;
            }
            return file;
        }
        if (file->used < oldest->used)
            oldest = file;
    }
    close_file(oldest);
    oldest->used = files->uses;
    oldest->device = map->device;
    oldest->inode = map->inode;
    files->reading = oldest;
    open_file(files, oldest, map);
    return oldest;
}

/* ---- lines ---- */

/* The lines of an address, innermost first, before they become one piece of memory. */
struct lookup_result {
    struct td_debug_line lines[TD_CODE_LINES];
    unsigned count;
};

static void drop_first(struct lookup_result *found)
{
    td_pool_free(found->lines[0].function);
    td_pool_free(found->lines[0].file);
    found->count--;
    memmove(found->lines, found->lines + 1, found->count * sizeof *found->lines);
}

/* Whether the file is one of the client's headers: such a function is a marker's inline code. */
static bool is_of_headers(const char *file)
{
    static const char *const names[] = {"/tendril/", "/tracy/Tracy", "/client/Tracy", "/common/Tracy"};
    const char *slash = file ? strrchr(file, '/') : NULL;
    while (slash && slash > file && slash[-1] != '/')
        slash--;
    for (size_t i = 0; slash && slash > file && i < sizeof names / sizeof *names; i++)
        if (!strncmp(slash - 1, names[i], strlen(names[i])))
            return 1;
    return 0;
}

static void thin_out(struct lookup_result *found)
{
    while (found->count > 1 && is_of_headers(found->lines[0].file))
        drop_first(found);
    while (found->count > 1 && td_setting_value(TD_SETTING_NO_CALLSTACK_INLINES))
        drop_first(found);
}

static char *plain_copy(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copied = td_pool_alloc(bytes);
    return copied ? memcpy(copied, text, bytes) : NULL;
}

/* Completes the outermost line from the symbol table: the function that all lines were compiled into. */
static void set_symbol(const struct td_code_files *files, struct lookup_result *found,
                       const struct td_code_file *file, uint64_t address)
{
    struct td_elf_symbol symbol;
    struct td_debug_line *last = &found->lines[found->count - 1];
    if (!(file->more && td_elf_symbols_find(file->more, address, &symbol)) &&
        !td_elf_symbols_find(file->elf, address, &symbol))
        return;
    last->low = symbol.address;
    last->bytes = symbol.bytes;
    if (!last->function)
        last->function = files->debug ? td_debug_name(&host, symbol.name) : plain_copy(symbol.name);
}

static void find_lines(struct td_code_files *files, struct lookup_result *found,
                       const struct td_code_file *file, uint64_t address)
{
    found->count = file->info ? td_debug_info_find(file->info, address, found->lines, TD_CODE_LINES) : 0;
    if (!found->count) {
        found->lines[0] = (struct td_debug_line){0};
        found->count = 1;
    }
    set_symbol(files, found, file, address);
    thin_out(found);
}

/* ---- the result ---- */

static const char *put_text(char **at, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *to = *at;
    memcpy(to, text, bytes);
    *at += bytes;
    return to;
}

static struct td_code *make_code(uint64_t address, const struct td_code_map *map,
                                 const struct lookup_result *found, uint64_t bias)
{
    size_t bytes = sizeof(struct td_code) + found->count * sizeof(struct td_code_line);
    for (unsigned i = 0; i < found->count; i++) {
        const struct td_debug_line *line = &found->lines[i];
        bytes += strlen(line->function ? line->function : unknown) + 1;
        bytes += strlen(line->file ? line->file : unknown) + 1;
    }
    struct td_code *code = td_pool_alloc(bytes);
    if (!code)
        return NULL;
    *code = (struct td_code){.address = address, .map = map, .count = found->count};
    char *at = (char *)&code->lines[found->count];
    for (unsigned i = 0; i < found->count; i++) {
        const struct td_debug_line *line = &found->lines[i];
        int inlined = i + 1 < found->count;
        code->lines[i] = (struct td_code_line){
            .function = put_text(&at, line->function ? line->function : unknown),
            .file = put_text(&at, line->file ? line->file : unknown),
            .line = line->line,
            .bytes = inlined || line->bytes > UINT32_MAX ? 0 : (uint32_t)line->bytes,
            .symbol = line->low ? line->low + bias : 0,
        };
    }
    return code;
}

/* Leaves the address to be resolved later, from the image and the address in it. Tracy's tools look for this
 * text. */
static void defer_lookup(struct lookup_result *found, uint64_t address)
{
    found->lines[0] = (struct td_debug_line){.function = plain_copy("[unresolved]"), .low = address};
    found->count = 1;
}

/* The kernel's functions have no file that could be read. */
static struct td_code *find_kernel_code(struct td_code_files *files, uint64_t address)
{
    static const struct td_perf_host memory = {td_pool_alloc, td_pool_free};
    static const char nowhere[] = "<kernel>";
    struct td_function found = {.name = unknown, .module = ""};
    if (!files->has_looked)
        files->kernel = td_functions_of_kernel(&memory);
    files->has_looked = 1;
    if (files->kernel)
        (void)td_functions_find(files->kernel, address, &found);
    const char *module = *found.module ? found.module : nowhere;
    const size_t name_bytes = strlen(found.name) + 1, module_bytes = strlen(module) + 1;
    struct td_code *code =
        td_pool_alloc(sizeof *code + sizeof *code->lines + name_bytes + module_bytes + sizeof nowhere);
    if (!code)
        return NULL;
    *code = (struct td_code){.address = address, .count = 1};
    char *at = (char *)&code->lines[1];
    code->image = put_text(&at, module);
    code->lines[0] = (struct td_code_line){.function = put_text(&at, found.name),
                                           .file = put_text(&at, nowhere),
                                           .bytes = (uint32_t)found.bytes,
                                           .symbol = found.address};
    return code;
}

/* Code without a file, or of a file that is no program, was made at run time. */
static void name_jit(struct td_code_files *files, struct lookup_result *found, const struct td_code_map *map,
                     uint64_t address)
{
    const struct td_observed *others = td_client_observed();
    struct td_debug_line *last = &found->lines[found->count - 1];
    struct td_function function;
    uint64_t moved = 0;
    const uint32_t process = others ? others->origin(map, &moved) : (uint32_t)getpid();
    if (!process || !td_jit_names_find(&files->jit, process, address - moved, &function))
        return;
    last->function = files->debug ? td_debug_name(&host, function.name) : plain_copy(function.name);
    last->low = function.address + moved;
    last->bytes = function.bytes;
}

/* Code that no symbol names is called by its file, so that samples of programs without symbols can be told apart.
 * For the processes that tendril-watch observes. */
static void name_by_file(struct lookup_result *found, const struct td_code_map *map, uint64_t bias)
{
    struct td_debug_line *last = &found->lines[found->count - 1];
    const char *slash = strrchr(map->path, '/'), *name = slash ? slash + 1 : map->path;
    char text[256];
    if (last->function || !*name)
        return;
    snprintf(text, sizeof text, *name == '[' ? "%s" : "[%s]", name);
    last->function = plain_copy(text);
    last->low = map->end - 1 - bias; /* a place of the file that is no function's */
    last->bytes = 0;
}

struct td_code *td_code_find(struct td_code_files *files, enum td_code_question question, uint64_t address,
                             const struct td_code_map *map)
{
    struct lookup_result found;
    if (td_is_kernel_address(address))
        return find_kernel_code(files, address);
    found.count = 1;
    found.lines[0] = (struct td_debug_line){0};
    uint64_t inside = 0, bias = 0;
    const bool has_file = map && (map->path[0] == '/' || td_client_observed());
    struct td_code_file *file = has_file ? file_of(files, map) : NULL;
    if (file && file->elf && td_elf_symbols_address(file->elf, address - map->start + map->offset, &inside)) {
        bias = address - inside;
        if (!td_setting_value(TD_SETTING_SYMBOL_OFFLINE_RESOLVE)) {
            find_lines(files, &found, file, inside);
        } else if (question == TD_CODE_FRAME) {
            defer_lookup(&found, inside);
            bias = 0;
        }
    }
    files->reading = NULL;
    if (map && !(file && file->elf))
        name_jit(files, &found, map, address);
    if (map && td_client_observed())
        name_by_file(&found, map, bias);
    if (question == TD_CODE_SYMBOL)
        while (found.count > 1) {
            found.count--;
            td_pool_free(found.lines[found.count].function);
            td_pool_free(found.lines[found.count].file);
        }
    struct td_code *code = make_code(address, map, &found, bias);
    while (found.count)
        drop_first(&found);
    return code;
}
