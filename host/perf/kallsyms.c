#include "host/perf/kallsyms.h"
#include "host/base/sorted.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES   1024      /* longer lines are left out: the kernel's names have at most 511 bytes */
#define PIECE_BYTES  65536     /* read at a time */
#define LAST_BYTES   4096      /* of a function that no other one follows */
#define FUNCTION_MAX (1 << 24) /* bytes: what is farther from its function belongs to none */

struct kernel_symbol {
    uint64_t address;
    uint32_t name, module; /* places in the texts; module 0: none */
};
struct td_kallsyms {
    const struct td_perf_host *host;
    struct kernel_symbol *symbols;
    size_t count, room;
    char *texts;
    size_t used, texts_room;
    uint32_t last_module; /* lines of a module follow each other */
    char line[LINE_BYTES];
    size_t have;
    bool overlong;
};

struct td_kallsyms *td_kallsyms_create(const struct td_perf_host *host)
{
    struct td_kallsyms *k = host->take(sizeof *k);
    if (k) {
        memset(k, 0, sizeof *k);
        k->host = host;
    }
    return k;
}

void td_kallsyms_destroy(struct td_kallsyms *k)
{
    if (!k)
        return;
    k->host->give(k->symbols);
    k->host->give(k->texts);
    k->host->give(k);
}

/* Doubles an array. NULL: no memory, and the array is as it was. */
static void *grown(const struct td_perf_host *host, void *old, size_t used_bytes, size_t *room, size_t least,
                   size_t each)
{
    size_t more = *room ? 2 * *room : 4096;
    while (more < least)
        more *= 2;
    void *fresh = host->take(more * each);
    if (!fresh)
        return NULL;
    if (used_bytes)
        memcpy(fresh, old, used_bytes);
    host->give(old);
    *room = more;
    return fresh;
}

/* The place of the text; 0: no memory. Place 0 holds the empty text. */
static uint32_t put_name(struct td_kallsyms *k, const char *text, size_t bytes)
{
    const size_t at = k->used ? k->used : 1;
    if (at + bytes + 1 > UINT32_MAX)
        return 0;
    if (at + bytes + 1 > k->texts_room) {
        char *texts = grown(k->host, k->texts, k->used, &k->texts_room, at + bytes + 1, 1);
        if (!texts)
            return 0;
        k->texts = texts;
        k->texts[0] = 0;
    }
    memcpy(k->texts + at, text, bytes);
    k->texts[at + bytes] = 0;
    k->used = at + bytes + 1;
    return (uint32_t)at;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "ffffffff81000000 T _text" or "ffffffffc0000000 t function\t[module]" */
static bool add_line(struct td_kallsyms *k, const char *line, size_t bytes)
{
    uint64_t address = 0;
    size_t at = 0;
    for (; at < bytes && at < 16 && hex_digit(line[at]) >= 0; at++)
        address = address << 4 | (uint64_t)hex_digit(line[at]);
    if (!address || at + 4 > bytes || line[at] != ' ' || line[at + 2] != ' ' || !strchr("tTwW", line[at + 1]))
        return true;
    const char *name = line + at + 3, *end = line + bytes;
    const char *tab = memchr(name, '\t', (size_t)(end - name));
    const char *name_end = tab ? tab : end, *module = tab ? tab + 1 : end;
    size_t module_bytes = (size_t)(end - module);
    if (module_bytes > 2 && module[0] == '[' && module[module_bytes - 1] == ']') {
        module++;
        module_bytes -= 2;
    }
    if (k->count == k->room) {
        struct kernel_symbol *symbols =
            grown(k->host, k->symbols, k->count * sizeof *symbols, &k->room, k->count + 1, sizeof *symbols);
        if (!symbols)
            return false;
        k->symbols = symbols;
    }
    const uint32_t text = put_name(k, name, (size_t)(name_end - name));
    if (!text)
        return false;
    if (!module_bytes)
        k->last_module = 0;
    else if (!k->last_module || strlen(k->texts + k->last_module) != module_bytes ||
             memcmp(k->texts + k->last_module, module, module_bytes) != 0)
        k->last_module = put_name(k, module, module_bytes);
    k->symbols[k->count++] = (struct kernel_symbol){address, text, k->last_module};
    return true;
}

bool td_kallsyms_add(struct td_kallsyms *k, const char *text, size_t bytes)
{
    const char *const end = text + bytes;
    while (text < end) {
        const char *line_end = memchr(text, '\n', (size_t)(end - text));
        const size_t piece = (size_t)((line_end ? line_end : end) - text);
        k->overlong |= k->have + piece > sizeof k->line;
        if (!k->overlong) {
            memcpy(k->line + k->have, text, piece);
            k->have += piece;
        }
        if (!line_end)
            return true;
        if (!k->overlong && !add_line(k, k->line, k->have))
            return false;
        k->have = 0;
        k->overlong = false;
        text = line_end + 1;
    }
    return true;
}

/* Of functions at one address the first in the file is kept first: the sort is by address, then by name's place. */
static bool is_before(const struct kernel_symbol *a, const struct kernel_symbol *b)
{
    return a->address != b->address ? a->address < b->address : a->name < b->name;
}

static void sift_down(struct kernel_symbol *symbols, size_t root, size_t count)
{
    const struct kernel_symbol moved = symbols[root];
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        child += child + 1 < count && is_before(&symbols[child], &symbols[child + 1]);
        if (!is_before(&moved, &symbols[child]))
            break;
        symbols[root] = symbols[child];
    }
    symbols[root] = moved;
}

/* Heap sort: qsort() allocates. */
void td_kallsyms_sort(struct td_kallsyms *k)
{
    if (k->have && !k->overlong)
        (void)add_line(k, k->line, k->have);
    k->have = 0;
    for (size_t i = k->count / 2; i-- > 0;)
        sift_down(k->symbols, i, k->count);
    for (size_t n = k->count; n-- > 1;) {
        const struct kernel_symbol last = k->symbols[n];
        k->symbols[n] = k->symbols[0];
        k->symbols[0] = last;
        sift_down(k->symbols, 0, n);
    }
}

struct td_kallsyms *td_kallsyms_load(const struct td_perf_host *host)
{
    const int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
    struct td_kallsyms *k = fd >= 0 ? td_kallsyms_create(host) : NULL;
    char *piece = k ? host->take(PIECE_BYTES) : NULL;
    bool good = piece;
    ssize_t n = 0;
    while (good && ((n = read(fd, piece, PIECE_BYTES)) > 0 || (n < 0 && errno == EINTR)))
        good = n < 0 || td_kallsyms_add(k, piece, (size_t)n);
    host->give(piece);
    if (fd >= 0)
        close(fd);
    if (good && n == 0) {
        td_kallsyms_sort(k);
        if (k->count)
            return k;
    }
    td_kallsyms_destroy(k);
    return NULL;
}

size_t td_kallsyms_count(const struct td_kallsyms *k)
{
    return k->count;
}

bool td_kallsyms_find(const struct td_kallsyms *k, uint64_t address, struct td_kernel_function *function)
{
    const size_t after = TD_SORTED_UP_TO(k->symbols, k->count, address, address);
    if (!after)
        return false;
    size_t first = after - 1;
    const uint64_t begin = k->symbols[first].address;
    while (first && k->symbols[first - 1].address == begin)
        first--;
    const uint64_t end = after < k->count ? k->symbols[after].address : begin + LAST_BYTES;
    if (address >= end || address - begin >= FUNCTION_MAX)
        return false;
    *function = (struct td_kernel_function){
        .name = k->texts + k->symbols[first].name,
        .module = k->texts + k->symbols[first].module,
        .address = begin,
        .bytes = end - begin < FUNCTION_MAX ? end - begin : FUNCTION_MAX,
    };
    return true;
}
