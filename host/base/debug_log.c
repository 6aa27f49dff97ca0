#include "host/base/debug_log.h"
#include "host/base/plain_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define VARIABLE   "TENDRIL_DEBUG"
#define LINE_BYTES 1000
#define DAY_S      86400

static const struct {
    const char *name, *what;
} areas[] = {
#define TD_X(area, what) {#area, what},
    TD_DEBUG_AREAS(TD_X)
#undef TD_X
};

unsigned td_debug_mask_;
/* Local time minus UTC. Looked up once: localtime_r() takes a lock, which a forked process may never get. */
static long utc_offset_s;

static int find_area(const char *name, size_t bytes)
{
    for (int i = 0; i < TD_DEBUG_AREA_COUNT; i++)
        if (strlen(areas[i].name) == bytes && memcmp(areas[i].name, name, bytes) == 0)
            return i;
    return TD_E_NOTFOUND;
}

static int fail_unknown(const char *name, size_t bytes, struct td_err *err)
{
    char list[300] = "all";
    for (int i = 0; i < TD_DEBUG_AREA_COUNT; i++) {
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, ", %s", areas[i].name);
    }
    return td_fail(err, TD_E_USAGE, "the debug log has no area '%.*s'; its areas: %s",
                   bytes < 40 ? (int)bytes : 40, name, list);
}

static void print_areas(void)
{
    for (int i = 0; i < TD_DEBUG_AREA_COUNT; i++)
        printf("%-8s %s\n", areas[i].name, areas[i].what);
}

int td_debug_choose(const char *names, struct td_err *err)
{
    unsigned mask = 0;
    int help = 0;
    for (const char *name = names; *name; name += *name == ',') {
        const size_t bytes = strcspn(name, ",");
        const int area = find_area(name, bytes);
        if (bytes == 3 && memcmp(name, "all", 3) == 0)
            mask |= (1u << TD_DEBUG_AREA_COUNT) - 1;
        else if (bytes == 4 && memcmp(name, "help", 4) == 0)
            help = 1;
        else if (bytes && area < 0)
            return fail_unknown(name, bytes, err);
        else if (bytes)
            mask |= 1u << area;
        name += bytes;
    }
    if (help)
        print_areas();
    const time_t now = time(NULL);
    struct tm local;
    if (mask && localtime_r(&now, &local))
        __atomic_store_n(&utc_offset_s, local.tm_gmtoff, __ATOMIC_RELAXED);
    __atomic_fetch_or(&td_debug_mask_, mask, __ATOMIC_RELAXED);
    return help;
}

int td_debug_from_environment(struct td_err *err)
{
    const char *names = getenv(VARIABLE);
    struct td_err why = {0};
    const int rc = names ? td_debug_choose(names, &why) : 0;
    return rc < 0 ? td_fail(err, rc, VARIABLE ": %s", why.text) : rc;
}

int td_debug_option(const char *names, struct td_err *err)
{
    char all[300] = "";
    const int rc = td_debug_choose(names, err);
    for (int i = 0; rc == 0 && i < TD_DEBUG_AREA_COUNT; i++)
        if (__atomic_load_n(&td_debug_mask_, __ATOMIC_RELAXED) >> i & 1) {
            const size_t used = strlen(all);
            snprintf(all + used, sizeof all - used, "%s%s", used ? "," : "", areas[i].name);
        }
    if (rc == 0 && setenv(VARIABLE, all, 1))
        return td_fail_no_memory(err, NULL);
    return rc;
}

void td_debug_line_(enum td_debug_area area, const char *format, ...)
{
    const int saved = errno;
    char line[LINE_BYTES];
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const long second = (long)((now.tv_sec + __atomic_load_n(&utc_offset_s, __ATOMIC_RELAXED)) % DAY_S);
    int used = snprintf(line, sizeof line, "%02ld:%02ld:%02ld.%06ld %s[%d] %s: ", second / 3600,
                        second / 60 % 60, second % 60, now.tv_nsec / 1000, program_invocation_short_name,
                        (int)getpid(), areas[area].name);
    if (used < 0 || used > LINE_BYTES / 2)
        used = 0;
    errno = saved;
    va_list args;
    va_start(args, format);
    vsnprintf(line + used, sizeof line - 1 - (size_t)used, format, args);
    va_end(args);
    td_plain(line);
    const size_t bytes = strlen(line);
    line[bytes] = '\n';
    (void)!write(STDERR_FILENO, line, bytes + 1);
    errno = saved;
}
