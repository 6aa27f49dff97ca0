#include "host/perf/functions.h"
#include "host/base/sorted.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_BYTES   1024  /* longer lines are left out: the kernel's names have at most 511 bytes */
#define PIECE_BYTES  65536 /* read at a time */
#define LAST_BYTES   4096  /* of a function that no other one follows */
#define JIT_BYTES    ((size_t)64 << 20)
#define FUNCTION_MAX (1 << 24) /* bytes: what is farther from its function belongs to none */

struct listed_function {
    uint64_t address;
    uint32_t bytes;        /* 0: up to the next one */
    uint32_t name, module; /* places in the texts; module 0: none */
};
struct td_functions {
    const struct td_perf_host *host;
    enum td_functions_form form;
    struct listed_function *symbols;
    size_t count, room;
    char *texts;
    size_t used, texts_room;
    uint32_t last_module; /* lines of a module follow each other */
    char line[LINE_BYTES];
    size_t have;
    bool overlong;
};

struct td_functions *td_functions_create(const struct td_perf_host *host, enum td_functions_form form)
{
    struct td_functions *k = host->take(sizeof *k);
    if (k) {
        memset(k, 0, sizeof *k);
        k->host = host;
        k->form = form;
    }
    return k;
}

void td_functions_destroy(struct td_functions *k)
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
static uint32_t put_name(struct td_functions *k, const char *text, size_t bytes)
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

/* The hexadecimal number at *at, which then points after it. */
static uint64_t take_hex(const char **at, const char *end)
{
    uint64_t value = 0;
    for (const char *most = *at + 16; *at < end && *at < most && hex_digit(**at) >= 0; ++*at)
        value = value << 4 | (uint64_t)hex_digit(**at);
    return value;
}

/* False: no memory. */
static bool put_function(struct td_functions *k, const struct listed_function *function, const char *name,
                         size_t bytes)
{
    if (k->count == k->room) {
        struct listed_function *symbols =
            grown(k->host, k->symbols, k->count * sizeof *symbols, &k->room, k->count + 1, sizeof *symbols);
        if (!symbols)
            return false;
        k->symbols = symbols;
    }
    const uint32_t text = put_name(k, name, bytes);
    if (!text)
        return false;
    k->symbols[k->count] = *function;
    k->symbols[k->count++].name = text;
    return true;
}

/* The place of the module's name, which lines that follow each other have in common. */
static uint32_t put_module(struct td_functions *k, const char *module, size_t bytes)
{
    if (bytes > 2 && module[0] == '[' && module[bytes - 1] == ']') {
        module++;
        bytes -= 2;
    }
    if (!bytes)
        k->last_module = 0;
    else if (!k->last_module || strlen(k->texts + k->last_module) != bytes ||
             memcmp(k->texts + k->last_module, module, bytes) != 0)
        k->last_module = put_name(k, module, bytes);
    return k->last_module;
}

/* "ffffffff81000000 T _text" or "ffffffffc0000000 t function\t[module]" */
static bool add_kernel_line(struct td_functions *k, const char *line, size_t bytes)
{
    const char *at = line, *const end = line + bytes;
    struct listed_function function = {.address = take_hex(&at, end)};
    if (!function.address || end - at < 4 || at[0] != ' ' || at[2] != ' ' || !strchr("tTwW", at[1]))
        return true;
    const char *name = at + 3, *tab = memchr(name, '\t', (size_t)(end - name));
    const char *name_end = tab ? tab : end, *module = tab ? tab + 1 : end;
    function.module = put_module(k, module, (size_t)(end - module));
    return put_function(k, &function, name, (size_t)(name_end - name));
}

/* "7f0000001000 40 function of any characters"; some compilers write 0x in front of numbers. */
static bool add_jit_line(struct td_functions *k, const char *line, size_t bytes)
{
    const char *at = line, *const end = line + bytes;
    at += bytes > 2 && at[0] == '0' && at[1] == 'x' ? 2 : 0;
    struct listed_function function = {.address = take_hex(&at, end)};
    if (!function.address || at == end || *at++ != ' ')
        return true;
    at += end - at > 2 && at[0] == '0' && at[1] == 'x' ? 2 : 0;
    const uint64_t size = take_hex(&at, end);
    if (!size || size >= FUNCTION_MAX || end - at < 2 || *at != ' ')
        return true;
    function.bytes = (uint32_t)size;
    return put_function(k, &function, at + 1, (size_t)(end - at - 1));
}

static bool add_line(struct td_functions *k, const char *line, size_t bytes)
{
    return k->form == TD_FUNCTIONS_JIT ? add_jit_line(k, line, bytes) : add_kernel_line(k, line, bytes);
}

bool td_functions_add(struct td_functions *k, const char *text, size_t bytes)
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

/* Of functions at one address the first in the file is listed first: the sort is by address, then by name's place. */
static bool is_before(const struct listed_function *a, const struct listed_function *b)
{
    return a->address != b->address ? a->address < b->address : a->name < b->name;
}

static void sift_down(struct listed_function *symbols, size_t root, size_t count)
{
    const struct listed_function moved = symbols[root];
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        child += child + 1 < count && is_before(&symbols[child], &symbols[child + 1]);
        if (!is_before(&moved, &symbols[child]))
            break;
        symbols[root] = symbols[child];
    }
    symbols[root] = moved;
}

/* Heap sort: qsort() allocates. */
void td_functions_sort(struct td_functions *k)
{
    if (k->have && !k->overlong)
        (void)add_line(k, k->line, k->have);
    k->have = 0;
    for (size_t i = k->count / 2; i-- > 0;)
        sift_down(k->symbols, i, k->count);
    for (size_t n = k->count; n-- > 1;) {
        const struct listed_function last = k->symbols[n];
        k->symbols[n] = k->symbols[0];
        k->symbols[0] = last;
        sift_down(k->symbols, 0, n);
    }
}

/* Takes all lines of a file, of which at most `most` bytes are read. NULL: it has no functions, or no memory. */
static struct td_functions *load_lines(const struct td_perf_host *host, int fd, enum td_functions_form form,
                                       size_t most)
{
    struct td_functions *k = td_functions_create(host, form);
    char *piece = k ? host->take(PIECE_BYTES) : NULL;
    bool good = piece;
    ssize_t n = 0;
    while (good && most && ((n = read(fd, piece, PIECE_BYTES)) > 0 || (n < 0 && errno == EINTR))) {
        good = n < 0 || td_functions_add(k, piece, (size_t)n);
        most -= n <= 0 ? 0 : (size_t)n < most ? (size_t)n : most;
    }
    host->give(piece);
    if (good && n >= 0) {
        td_functions_sort(k);
        if (k->count)
            return k;
    }
    td_functions_destroy(k);
    return NULL;
}

struct td_functions *td_functions_of_kernel(const struct td_perf_host *host)
{
    const int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
    struct td_functions *k = fd >= 0 ? load_lines(host, fd, TD_FUNCTIONS_KERNEL, SIZE_MAX) : NULL;
    if (fd >= 0)
        close(fd);
    return k;
}

/* Any user may write files of such names: only those of the process's user and of root count. */
static bool is_file_of_user(int fd, uint32_t user, uint64_t *bytes)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || (st.st_uid != user && st.st_uid != 0))
        return false;
    *bytes = (uint64_t)st.st_size;
    return true;
}

struct td_functions *td_functions_of_jit(const struct td_perf_host *host, const char *path, uint32_t user,
                                         uint64_t *bytes)
{
    const uint64_t before = *bytes;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
    const bool has_news = fd >= 0 && is_file_of_user(fd, user, bytes) && *bytes != before;
    struct td_functions *k = has_news ? load_lines(host, fd, TD_FUNCTIONS_JIT, JIT_BYTES) : NULL;
    if (fd >= 0)
        close(fd);
    return k;
}

size_t td_functions_count(const struct td_functions *k)
{
    return k->count;
}

bool td_functions_find(const struct td_functions *k, uint64_t address, struct td_function *function)
{
    const size_t after = k->count ? TD_SORTED_UP_TO(k->symbols, k->count, address, address) : 0;
    if (!after)
        return false;
    size_t first = after - 1; /* of JIT code the newest counts: memory is used again */
    const uint64_t begin = k->symbols[first].address;
    while (k->form == TD_FUNCTIONS_KERNEL && first && k->symbols[first - 1].address == begin)
        first--;
    uint64_t end = after < k->count ? k->symbols[after].address : begin + LAST_BYTES;
    if (k->symbols[first].bytes)
        end = begin + k->symbols[first].bytes;
    if (address >= end || address - begin >= FUNCTION_MAX)
        return false;
    *function = (struct td_function){
        .name = k->texts + k->symbols[first].name,
        .module = k->texts + k->symbols[first].module,
        .address = begin,
        .bytes = end - begin < FUNCTION_MAX ? end - begin : FUNCTION_MAX,
    };
    return true;
}
