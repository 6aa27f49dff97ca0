#include "host/tools/recording/retention.h"
#include "host/base/compare.h"
#include "host/base/grow.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SUFFIX     ".tracy"
#define NAME_BYTES 63 /* of a program's name */

int retention_parse_age(const char *text, const char *option, int64_t *age_s, struct td_err *err)
{
    static const struct {
        char letter;
        int64_t seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    *age_s = 0;
    if (!text)
        return 0;
    char *end;
    errno = 0;
    long long number = isdigit((unsigned char)*text) ? strtoll(text, &end, 10) : 0;
    for (size_t i = 0; number > 0 && !errno && number < 1000000 && i < sizeof units / sizeof *units; i++)
        if (*end == units[i].letter && !end[1]) {
            *age_s = number * units[i].seconds;
            return 0;
        }
    return td_fail(err, TD_E_USAGE, "%s: '%s' is not an age, such as 90s, 30m, 12h or 7d", option, text);
}

/* ---- names ---- */

static bool is_harmless(char c)
{
    return isalnum((unsigned char)c) || strchr("._+-", c);
}

int retention_file_name(const char *folder, const char *program, uint64_t pid, char **path,
                        struct td_err *err)
{
    char name[NAME_BYTES + 1] = "program", when[32];
    size_t n = 0;
    for (; n < NAME_BYTES && program[n]; n++)
        name[n] =
            is_harmless(program[n]) && !(n == 0 && (*program == '.' || *program == '-')) ? program[n] : '_';
    if (n)
        name[n] = 0;
    time_t now = time(NULL);
    struct tm local;
    localtime_r(&now, &local);
    strftime(when, sizeof when, "%Y%m%d-%H%M%S", &local);
    for (int again = 1; again < 10000; again++) {
        char more[16] = "";
        struct stat st;
        if (again > 1)
            snprintf(more, sizeof more, "-%d", again);
        if (asprintf(path, "%s/%s_%s_%llu%s" SUFFIX, folder, name, when, (unsigned long long)pid, more) < 0)
            break;
        if (lstat(*path, &st) != 0)
            return 0;
        free(*path);
    }
    *path = NULL;
    return td_fail_no_memory(err, "for a file name");
}

/* Skips `count` digits; all digits, at least one, if 0. NULL: there are none. */
static const char *skip_digits(const char *p, size_t count)
{
    size_t n = strspn(p, "0123456789");
    return n && (!count || n == count) ? p + n : NULL;
}

/* The end of a name: _YYYYMMDD-HHMMSS_PID[-N].tracy */
static bool is_our_name(const char *name)
{
    for (const char *p = strchr(name, '_'); p; p = strchr(p + 1, '_')) {
        const char *q = skip_digits(p + 1, 8);
        q = q && *q == '-' ? skip_digits(q + 1, 6) : NULL;
        q = q && *q == '_' ? skip_digits(q + 1, 0) : NULL;
        if (q && *q == '-')
            q = skip_digits(q + 1, 0);
        if (q && !strcmp(q, SUFFIX))
            return p > name;
    }
    return false;
}

/* ---- the folder ---- */

struct trace_file {
    char *name;
    uint64_t bytes;
    struct timespec changed;
};
struct trace_files {
    struct trace_file *all;
    size_t count, capacity;
    uint64_t bytes;
};

TD_COMPARE(older_first, struct trace_file, TD_UP(changed.tv_sec) TD_UP(changed.tv_nsec) TD_UP_TEXT(name))

static int list_files(DIR *dir, struct trace_files *files, struct td_err *err)
{
    const struct dirent *entry;
    while ((entry = readdir(dir)) != NULL) {
        struct stat st;
        if (!is_our_name(entry->d_name) ||
            fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
            continue;
        char *name = strdup(entry->d_name);
        if (!name || td_grow(&files->all, &files->capacity, files->count + 1, sizeof *files->all) < 0) {
            free(name);
            return td_fail_no_memory(err, "for the list of traces");
        }
        files->all[files->count++] =
            (struct trace_file){.name = name, .bytes = (uint64_t)st.st_size, .changed = st.st_mtim};
        files->bytes += (uint64_t)st.st_size;
    }
    qsort(files->all, files->count, sizeof *files->all, older_first);
    return 0;
}

/* The index of the newest file that is finished; the count: there is none. */
static size_t find_newest(const struct trace_files *files, const char *folder,
                          const struct retention_calls *calls)
{
    for (size_t i = files->count; i-- > 0;) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, files->all[i].name);
        if (!calls->is_in_use(calls->self, path))
            return i;
    }
    return files->count;
}

int retention_apply(const struct retention *r, const char *folder, const struct retention_calls *calls,
                    struct td_err *err)
{
    struct trace_files files = {0};
    DIR *dir = opendir(folder);
    if (!dir)
        return td_fail_errno(err, "cannot read %s", folder);
    int rc = list_files(dir, &files, err);
    const size_t newest = rc == 0 ? find_newest(&files, folder, calls) : 0;
    time_t now = time(NULL);
    for (size_t i = 0; i < files.count; i++) {
        const struct trace_file *f = &files.all[i];
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, f->name);
        bool too_old = r->age_s && now - f->changed.tv_sec > r->age_s;
        bool too_much = r->size_bytes && files.bytes > r->size_bytes;
        if (rc == 0 && too_much && !too_old && i == newest) {
            calls->kept(calls->self, path, f->bytes);
        } else if (rc == 0 && (too_old || too_much) && !calls->is_in_use(calls->self, path) &&
                   unlinkat(dirfd(dir), f->name, 0) == 0) {
            files.bytes -= f->bytes;
            calls->deleted(calls->self, path);
        }
        free(f->name);
    }
    free(files.all);
    closedir(dir);
    return rc;
}
