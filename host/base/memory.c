#include "host/base/address_space.h"
#include "host/base/debug_log.h"
#include "host/base/memory.h"
#include "host/base/machine_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAPPED_BYTES (512 << 10)         /* malloc() maps blocks of this size and more */
#define PERCENT_MOST 999                 /* as for Tracy's capture */
#define MARGIN_PART  16                  /* of a limit: what may arrive between two looks */
#define MARGIN_LEAST (UINT64_C(4) << 20) /* of each margin */
#define SPACE_LEAST  (UINT64_C(8) << 20) /* the same, of address space */

struct usage {
    uint64_t size, anonymous;
};

static void read_usage(struct usage *usage)
{
    char text[160];
    unsigned long long size = 0, resident = 0, shared = 0;
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t n = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    text[n > 0 ? n : 0] = 0;
    sscanf(text, "%llu %llu %llu", &size, &resident, &shared);
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    *usage = (struct usage){size * page, resident > shared ? (resident - shared) * page : 0};
}

/* The first number in a small file, or, with `key`, the number after that word. UINT64_MAX: there is none. */
static uint64_t number_in(const char *path, const char *key)
{
    char line[256];
    unsigned long long number = UINT64_MAX;
    const size_t key_bytes = key ? strlen(key) : 0;
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f)) {
        if (key && (strncmp(line, key, key_bytes) != 0 || (line[key_bytes] != ' ' && line[key_bytes] != ':')))
            continue;
        const char *at = line + key_bytes + (key && line[key_bytes] == ':');
        if (sscanf(at, "%llu", &number) != 1)
            number = UINT64_MAX;
        break;
    }
    if (f)
        fclose(f);
    return number;
}

/* Bytes that the control group in that folder may still take. Inactive file pages count as free, because the
 * kernel drops them when memory is needed. UINT64_MAX: it has no limit. */
static uint64_t free_in_group(const char *folder, const char *limit_name, const char *usage_name)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, limit_name);
    uint64_t limit = number_in(path, NULL);
    snprintf(path, sizeof path, "%s/%s", folder, usage_name);
    uint64_t used = number_in(path, NULL);
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    uint64_t files = number_in(path, "inactive_file");
    if (limit == UINT64_MAX || used == UINT64_MAX)
        return UINT64_MAX;
    used -= files < used ? files : 0;
    return limit > used ? limit - used : 0;
}

/* A group is inside others, each with a limit of its own. */
static uint64_t free_in_groups(const char *root, char *path, const char *limit_name, const char *usage_name)
{
    uint64_t least = UINT64_MAX;
    for (;;) {
        char folder[500];
        snprintf(folder, sizeof folder, "%s%s", root, path);
        uint64_t here = free_in_group(folder, limit_name, usage_name);
        least = here < least ? here : least;
        char *slash = strrchr(path, '/');
        if (!slash)
            return least;
        *slash = 0;
    }
}

/* Lines of this file: NUMBER:CONTROLLERS:PATH; version 2 has one, without controllers. */
static uint64_t free_for_group(void)
{
    char line[512];
    uint64_t least = UINT64_MAX;
    FILE *f = fopen("/proc/self/cgroup", "re");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = 0;
        uint64_t here = UINT64_MAX;
        if (!names[1])
            here = free_in_groups("/sys/fs/cgroup", path, "memory.max", "memory.current");
        else if (strstr(names + 1, "memory"))
            here = free_in_groups("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes",
                                  "memory.usage_in_bytes");
        least = here < least ? here : least;
    }
    if (f)
        fclose(f);
    return least;
}

uint64_t td_memory_free(void)
{
    uint64_t kib = number_in("/proc/meminfo", "MemAvailable"), group = free_for_group();
    uint64_t machine = kib == UINT64_MAX ? td_machine_memory() / 2 : kib << 10;
    return group < machine ? group : machine;
}

int td_memory_size(const char *text, const char *option, uint64_t *bytes, struct td_err *err)
{
    static const char units[] = "kMGT";
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, *end == 'K' ? 'k' : *end) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (end == text || *text == '-' || errno || value == 0 || (*end && (!unit || end[1])) ||
        value > UINT64_MAX >> shift)
        return td_fail(err, TD_E_USAGE, "%s: '%s' is not a size such as 512M or 4G", option, text);
    *bytes = (uint64_t)value << shift;
    return 0;
}

static int parse_limit(const char *text, uint64_t *bytes, struct td_err *err)
{
    if (!*text || text[strspn(text, "0123456789")])
        return td_memory_size(text, "-m", bytes, err);
    unsigned long number = strtoul(text, NULL, 10);
    if (number < 1 || number > PERCENT_MOST)
        return td_fail(
            err, TD_E_USAGE,
            "-m: %s is not a percentage of the machine's memory from 1 to %d; a size needs a unit, as in "
            "600M or 2G",
            text, PERCENT_MOST);
    *bytes = td_machine_memory() / 100 * number;
    return 0;
}

int td_memory_limit_parse(const char *text, struct td_memory_limit *limit, struct td_err *err)
{
    uint64_t free_now = td_memory_free() / 4 * 3, asked = UINT64_MAX;
    int rc = text ? parse_limit(text, &asked, err) : 0;
    if (rc < 0)
        return rc;
    free_now = free_now > TD_MEMORY_LEAST ? free_now : TD_MEMORY_LEAST;
    asked = asked > TD_MEMORY_LEAST ? asked : TD_MEMORY_LEAST;
    *limit = (struct td_memory_limit){.bytes = asked < free_now ? asked : free_now,
                                      .address_space = td_address_space(),
                                      .what = asked <= free_now ? "its limit (-m)"
                                              : text            ? "three quarters of what was free"
                                                     : "three quarters of what was free (-m sets another "
                                                       "limit)"};
    if (limit->address_space < limit->bytes) {
        limit->bytes = limit->address_space;
        limit->what = TD_MEMORY_SPACE_LIMIT;
    }
    td_debug(memory, "limit %" PRIu64 " MB: %s", limit->bytes >> 20, limit->what);
    /* Growing arrays are mapped: realloc() moves them without a copy, and free() returns them to the
     * system. */
    mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
    /* Without this, each thread gets a heap with 64 MiB of address space. */
    if (limit->address_space != UINT64_MAX)
        mallopt(M_ARENA_MAX, 1);
    return 0;
}

static uint64_t margin_of(uint64_t of, uint64_t parts, uint64_t least)
{
    return of / parts > least ? of / parts : least;
}

/* OVER from one margin below the limit on, STOP from three margins below it on. */
static enum td_memory_state state_of(uint64_t used, uint64_t limit, uint64_t margin)
{
    if (used + margin > limit)
        return TD_MEMORY_OVER;
    return used + 3 * margin > limit ? TD_MEMORY_STOP : TD_MEMORY_FINE;
}

enum td_memory_state td_memory_look(const struct td_memory_limit *limit, uint64_t files, uint64_t needed)
{
    struct usage usage;
    read_usage(&usage);
    return state_of(usage.anonymous + files + needed, limit->bytes,
                    margin_of(limit->bytes, MARGIN_PART, MARGIN_LEAST));
}

enum td_memory_state td_memory_look_at_space(const struct td_memory_limit *limit,
                                             struct td_space_reserve *reserve, uint64_t needed,
                                             uint64_t growth)
{
    struct usage usage;
    if (needed > reserve->bytes && td_reserve_space(reserve, needed) < 0)
        return TD_MEMORY_OVER;
    read_usage(&usage);
    return state_of(usage.size + growth, limit->address_space,
                    margin_of(limit->address_space, MARGIN_PART, SPACE_LEAST));
}
