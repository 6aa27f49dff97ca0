/* Debug information, read by elfutils' libdw. Programs are not linked to it: it is loaded at the first
 * look-up. Without it there are only symbols. */
#include "host/base/compare.h"
#include "host/base/grow.h"
#include "host/base/sorted.h"
#include "host/symbols/symbols.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define LIBRARY "libdw.so.1"

#define FUNCTIONS(X)                                                                                         \
    X(dwfl_begin)                                                                                            \
    X(dwfl_end)                                                                                              \
    X(dwfl_report_begin)                                                                                     \
    X(dwfl_report_elf)                                                                                       \
    X(dwfl_report_end)                                                                                       \
    X(dwfl_build_id_find_debuginfo)                                                                          \
    X(dwfl_standard_find_debuginfo)                                                                          \
    X(dwfl_module_getdwarf)                                                                                  \
    X(dwfl_module_info)                                                                                      \
    X(dwarf_get_units)                                                                                       \
    X(dwarf_ranges)                                                                                          \
    X(dwarf_child)                                                                                           \
    X(dwarf_siblingof)                                                                                       \
    X(dwarf_tag)                                                                                             \
    X(dwarf_haspc)                                                                                           \
    X(dwarf_attr)                                                                                            \
    X(dwarf_attr_integrate)                                                                                  \
    X(dwarf_formstring)                                                                                      \
    X(dwarf_formudata)                                                                                       \
    X(dwarf_getsrc_die)                                                                                      \
    X(dwarf_linesrc)                                                                                         \
    X(dwarf_lineno)                                                                                          \
    X(dwarf_getsrcfiles)                                                                                     \
    X(dwarf_filesrc)

static struct {
    int tried, here;
#define TD_X(name) __typeof__(&name) name;
    FUNCTIONS(TD_X)
#undef TD_X
} dw;

struct address_range {
    Dwarf_Addr low, high;
    uint32_t unit;
    Dwarf_Die die; /* of a function */
};
struct ranges {
    struct address_range *at;
    size_t count, room;
    int sorted;
};
struct unit {
    Dwarf_Die lines, code; /* different if the code's description is in a separate file (.dwo) */
    struct ranges functions;
    int read;
};
struct td_debug_info {
    const struct td_symbols_host *host;
    Dwfl *dwfl;
    Dwarf *dwarf;
    struct unit *units;
    size_t unit_count, unit_room;
    struct ranges ranges; /* of units */
};

/* A statically linked program must not load a library: it would bring a second C library. */
static bool has_loader(void)
{
    return getauxval(AT_BASE) != 0;
}

static bool enters_loader(const struct td_symbols_host *host)
{
    return !host->enters_loader || host->enters_loader();
}

static void leaves_loader(const struct td_symbols_host *host)
{
    if (host->leaves_loader)
        host->leaves_loader();
}

static bool load_libdw(const struct td_symbols_host *host)
{
    if (dw.tried || !has_loader())
        return dw.here;
    dw.tried = 1;
    if (!enters_loader(host))
        return 0;
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    int all = library != NULL;
#define TD_X(name)                                                                                           \
    *(void **)&dw.name = all ? dlsym(library, #name) : NULL;                                                 \
    all &= dw.name != NULL;
    FUNCTIONS(TD_X)
#undef TD_X
    leaves_loader(host);
    dw.here = all;
    return all;
}

/* ---- tables of addresses ---- */

static void add_ranges(struct ranges *ranges, Dwarf_Die *die, uint32_t unit)
{
    Dwarf_Addr base, low, high;
    ptrdiff_t at = 0;
    while ((at = dw.dwarf_ranges(die, at, &base, &low, &high)) > 0) {
        if (low >= high || !low) /* empty, or discarded by the linker */
            continue;
        if (td_grow(&ranges->at, &ranges->room, ranges->count + 1, sizeof *ranges->at))
            return;
        ranges->at[ranges->count++] = (struct address_range){low, high, unit, *die};
    }
}

TD_COMPARE(by_address, struct address_range, TD_UP(low) TD_DOWN(high))

/* Of the ranges that contain the address, the one that begins last; of these the narrowest. */
static const struct address_range *find_range(struct ranges *ranges, uint64_t address)
{
    if (!ranges->sorted && ranges->count)
        qsort(ranges->at, ranges->count, sizeof *ranges->at, by_address);
    ranges->sorted = 1;
    const size_t after = TD_SORTED_UP_TO(ranges->at, ranges->count, low, address);
    for (size_t i = after; i-- > 0 && after - i <= 16;)
        if (address < ranges->at[i].high)
            return &ranges->at[i];
    return NULL;
}

/* ---- files ---- */

static void read_units(struct td_debug_info *info)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die lines, code;
    uint8_t type;
    while (dw.dwarf_get_units(info->dwarf, cu, &cu, NULL, &type, &lines, &code) == 0) {
        if (type != DW_UT_compile && type != DW_UT_skeleton)
            continue;
        if (td_grow(&info->units, &info->unit_room, info->unit_count + 1, sizeof *info->units))
            return;
        add_ranges(&info->ranges, &lines, (uint32_t)info->unit_count);
        info->units[info->unit_count++] =
            (struct unit){.lines = lines, .code = type == DW_UT_skeleton && code.addr ? code : lines};
    }
}

/* Looks for a separate debug file in the usual folders. -1, as libdw wants it: none
 * found. */
static int find_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                          const char *file, const char *link, GElf_Word crc, char **found)
{
    int fd = dw.dwfl_build_id_find_debuginfo(module, data, name, base, file, link, crc, found);
    const char *slash = file ? strrchr(file, '/') : NULL;
    if (fd >= 0 || !slash || !link || !*link || strchr(link, '/'))
        return fd;
    static const char *const places[] = {"%s%.*s/%s", "%s%.*s/.debug/%s", "%s%.*s/%s"};
    for (size_t i = 0; i < 3; i++) {
        char path[4200];
        int n = snprintf(path, sizeof path, places[i], i == 2 ? "/usr/lib/debug" : "", (int)(slash - file),
                         file, link);
        if (n < 0 || (size_t)n >= sizeof path || !strcmp(path, file) ||
            (fd = open(path, O_RDONLY | O_CLOEXEC)) < 0)
            continue;
        *found = strdup(path);
        return fd;
    }
    return -1;
}

/* The same, then from servers: libdw loads libdebuginfod for it, if that is installed. */
static int find_debuginfo_far(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                              const char *file, const char *link, GElf_Word crc, char **found)
{
    int fd = find_debuginfo(module, data, name, base, file, link, crc, found);
    return fd >= 0 ? fd : dw.dwfl_standard_find_debuginfo(module, data, name, base, file, link, crc, found);
}

static const Dwfl_Callbacks callbacks = {.find_debuginfo = find_debuginfo};
static const Dwfl_Callbacks far_callbacks = {.find_debuginfo = find_debuginfo_far};

struct td_debug_info *td_debug_info_open(const struct td_symbols_host *host, const char *path, int fd,
                                         int *symbols_fd)
{
    *symbols_fd = -1;
    struct td_debug_info *info = load_libdw(host) ? calloc(1, sizeof *info) : NULL;
    if (!info) {
        close(fd);
        return NULL;
    }
    info->host = host;
    info->dwfl = dw.dwfl_begin(host->asks_servers && host->asks_servers() ? &far_callbacks : &callbacks);
    Dwfl_Module *module = NULL;
    if (info->dwfl) {
        dw.dwfl_report_begin(info->dwfl);
        module = dw.dwfl_report_elf(info->dwfl, path, path, fd, 0, true);
        dw.dwfl_report_end(info->dwfl, NULL, NULL);
    }
    if (!module)
        close(fd);
    Dwarf_Addr bias;
    if (module)
        info->dwarf = dw.dwfl_module_getdwarf(module, &bias);
    if (!info->dwarf) {
        td_debug_info_close(info);
        return NULL;
    }
    const char *debug_file = NULL;
    dw.dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, &debug_file);
    if (debug_file)
        *symbols_fd = open(debug_file, O_RDONLY | O_CLOEXEC);
    read_units(info);
    return info;
}

void td_debug_info_close(struct td_debug_info *info)
{
    if (!info)
        return;
    for (size_t i = 0; i < info->unit_count; i++)
        free(info->units[i].functions.at);
    free(info->units);
    free(info->ranges.at);
    if (info->dwfl)
        dw.dwfl_end(info->dwfl);
    free(info);
}

/* ---- functions ---- */

static void read_functions(struct ranges *functions, Dwarf_Die *parent, unsigned depth)
{
    Dwarf_Die die;
    if (depth > 64 || dw.dwarf_child(parent, &die) != 0)
        return;
    do {
        switch (dw.dwarf_tag(&die)) {
        case DW_TAG_subprogram:
            add_ranges(functions, &die, 0);
            read_functions(functions, &die, depth + 1); /* GNU C has nested functions */
            break;
        case DW_TAG_namespace:
        case DW_TAG_module:
        case DW_TAG_class_type:
        case DW_TAG_structure_type:
        case DW_TAG_union_type:
        case DW_TAG_lexical_block:
            read_functions(functions, &die, depth + 1);
            break;
        default:
            break;
        }
    } while (dw.dwarf_siblingof(&die, &die) == 0);
}

/* Fills the chain after chain[0], the function itself, with the functions inlined at the address, outermost
 * first. Returns the chain's length. */
static unsigned read_inlined(Dwarf_Die *chain, unsigned most, uint64_t address)
{
    unsigned count = 1;
    Dwarf_Die at = chain[0], die;
    for (unsigned depth = 0; depth < 256 && count < most && dw.dwarf_child(&at, &die) == 0; depth++) {
        int inside = 0;
        do {
            int tag = dw.dwarf_tag(&die);
            inside = (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) &&
                     dw.dwarf_haspc(&die, address) > 0;
            if (inside && tag == DW_TAG_inlined_subroutine)
                chain[count++] = die;
        } while (!inside && dw.dwarf_siblingof(&die, &die) == 0);
        if (!inside)
            break;
        at = die;
    }
    return count;
}

/* ---- texts ---- */

static char *copy_text(const struct td_symbols_host *host, const char *text)
{
    size_t bytes = text ? strlen(text) + 1 : 0;
    char *copied = bytes ? host->take(bytes) : NULL;
    return copied ? memcpy(copied, text, bytes) : NULL;
}

typedef char *demangler(const char *name, char *to, size_t *room, int *status);

/* The demangler of the program's own C++ library; asked for again as long as none is loaded. */
static demangler *find_demangler(const struct td_symbols_host *host)
{
    static demangler *found;
    if (found || !has_loader() || !enters_loader(host))
        return found;
    *(void **)&found = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    void *library = !found && host->cxx ? dlopen(host->cxx, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library)
        *(void **)&found = dlsym(library, "__cxa_demangle");
    leaves_loader(host);
    return found;
}

char *td_debug_name(const struct td_symbols_host *host, const char *name)
{
    if (!name || strncmp(name, "_Z", 2) != 0)
        return copy_text(host, name);
    demangler *demangle = find_demangler(host);
    char *plain = demangle ? demangle(name, NULL, NULL, NULL) : NULL;
    char *copied = copy_text(host, plain ? plain : name);
    free(plain);
    return copied;
}

static const char *text_of(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute place;
    return dw.dwarf_formstring(dw.dwarf_attr_integrate(die, attribute, &place));
}

static char *name_of(const struct td_symbols_host *host, Dwarf_Die *die)
{
    const char *name = text_of(die, DW_AT_linkage_name);
    if (!name)
        name = text_of(die, DW_AT_MIPS_linkage_name);
    if (!name || strncmp(name, "_Z", 2) != 0) {
        const char *plain = text_of(die, DW_AT_name);
        name = plain ? plain : name;
    }
    return td_debug_name(host, name);
}

static int number_of(Dwarf_Die *die, unsigned attribute, Dwarf_Word *value)
{
    Dwarf_Attribute place;
    return dw.dwarf_formudata(dw.dwarf_attr(die, attribute, &place), value) == 0;
}

/* The file's path; relative names begin in the folder that the compiler ran in. A folder whose own name is
 * relative was mapped (-ffile-prefix-map), as the file's name was: then the name is whole. */
static char *path_of(const struct td_symbols_host *host, struct unit *unit, const char *file)
{
    Dwarf_Attribute place;
    const char *folder = file && *file != '/' && *file != '<'
                             ? dw.dwarf_formstring(dw.dwarf_attr(&unit->lines, DW_AT_comp_dir, &place))
                             : NULL;
    size_t bytes = folder && *folder == '/' ? strlen(folder) + strlen(file) + 2 : 0;
    char *path = bytes ? host->take(bytes) : NULL;
    if (!path)
        return copy_text(host, file);
    snprintf(path, bytes, "%s/%s", folder, file);
    return path;
}

/* Sets file and line of the call of an inlined function. */
static void set_call(const struct td_symbols_host *host, struct td_debug_line *line, struct unit *unit,
                     Dwarf_Die *inlined)
{
    Dwarf_Files *files;
    size_t count;
    Dwarf_Word number;
    if (number_of(inlined, DW_AT_call_file, &number) &&
        dw.dwarf_getsrcfiles(&unit->code, &files, &count) == 0 && number < count)
        line->file = path_of(host, unit, dw.dwarf_filesrc(files, number, NULL, NULL));
    if (number_of(inlined, DW_AT_call_line, &number))
        line->line = (uint32_t)number;
}

static void set_source(const struct td_symbols_host *host, struct td_debug_line *line, struct unit *unit,
                       uint64_t address)
{
    int number = 0;
    Dwarf_Line *source = dw.dwarf_getsrc_die(&unit->lines, address);
    if (!source)
        return;
    line->file = path_of(host, unit, dw.dwarf_linesrc(source, NULL, NULL));
    if (dw.dwarf_lineno(source, &number) == 0 && number > 0)
        line->line = (uint32_t)number;
}

static void set_extent(struct td_debug_line *line, Dwarf_Die *die, uint64_t address)
{
    Dwarf_Addr base, low, high;
    ptrdiff_t at = 0;
    while ((at = dw.dwarf_ranges(die, at, &base, &low, &high)) > 0)
        if (address >= low && address < high) {
            line->low = low;
            line->bytes = high - low;
            return;
        }
}

unsigned td_debug_info_find(struct td_debug_info *info, uint64_t address, struct td_debug_line *lines,
                            unsigned most)
{
    const struct address_range *range = find_range(&info->ranges, address);
    if (!range)
        return 0;
    struct unit *unit = &info->units[range->unit];
    if (!unit->read)
        read_functions(&unit->functions, &unit->code, 0);
    unit->read = 1;
    Dwarf_Die chain[TD_CODE_LINES];
    unsigned count = 1;
    const struct address_range *function = find_range(&unit->functions, address);
    if (function) {
        chain[0] = function->die;
        count = read_inlined(chain, most < TD_CODE_LINES ? most : TD_CODE_LINES, address);
    }
    for (unsigned i = 0; i < count; i++) {
        unsigned at = count - 1 - i; /* the innermost function is the chain's last */
        lines[i] = (struct td_debug_line){0};
        if (function) {
            lines[i].function = name_of(info->host, &chain[at]);
            set_extent(&lines[i], &chain[at], address);
        }
        if (i == 0)
            set_source(info->host, &lines[i], unit, address);
        else
            set_call(info->host, &lines[i], unit, &chain[at + 1]);
    }
    return count;
}
