#include "host/base/config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX_BYTES (1 << 20)

int td_config_refuse(const struct td_config_entry *entry, struct td_err *err, const char *format, ...)
{
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return td_fail(err, TD_E_USAGE, "%s:%d: %s", entry->file, entry->line, text);
}

/* ---- one text ---- */

struct config_text {
    struct td_config_entry entry; /* file, rank; line: the current one */
    const char *next, *end;
    td_config_take *take;
    void *self;
    int failed;
    struct td_err *err;
};

/* Feeds inih one line at a time: its line buffer is fixed, so it would cut a long line in two silently, and
 * its handler does not get the line number. Leading blanks are removed, since inih takes indented lines as
 * continuations. */
static char *read_config_line(char *buffer, int size, void *self)
{
    struct config_text *t = self;
    if (t->next >= t->end || t->failed)
        return NULL;
    t->entry.line++;
    const char *from = t->next, *end = memchr(from, '\n', (size_t)(t->end - from));
    end = end ? end : t->end;
    t->next = end + (end < t->end);
    while (from < end && isspace((unsigned char)*from))
        from++;
    size_t bytes = (size_t)(end - from);
    if (bytes + 2 > (size_t)size)
        t->failed = td_config_refuse(&t->entry, t->err, "the line is longer than %d bytes", size - 2);
    else if (memchr(from, 0, bytes))
        t->failed = td_config_refuse(&t->entry, t->err, "the line has a NUL character");
    if (t->failed)
        return NULL;
    memcpy(buffer, from, bytes);
    memcpy(buffer + bytes, "\n", 2);
    return buffer;
}

/* For inih: 1 continues. */
static int on_config_entry(void *self, const char *section, const char *name, const char *value)
{
    struct config_text *t = self;
    t->entry.section = section;
    t->entry.name = name;
    t->entry.value = value;
    if (!t->failed && !*section)
        t->failed = td_config_refuse(&t->entry, t->err,
                                     "%s is not in a section; a line such as [all] begins one", name);
    if (!t->failed)
        t->failed = t->take(t->self, &t->entry, t->err);
    return 1;
}

int td_config_parse(const char *text, size_t bytes, const struct td_config_entry *origin,
                    td_config_take *take, void *self, struct td_err *err)
{
    struct config_text t = {
        .entry = *origin, .next = text, .end = text + bytes, .take = take, .self = self, .err = err};
    t.entry.line = 0;
    int line = ini_parse_stream(read_config_line, &t, on_config_entry, &t);
    if (t.failed)
        return t.failed;
    t.entry.line = line;
    if (line > 0)
        return td_config_refuse(&t.entry, err, "neither [section] nor name = value nor comment");
    return line < 0 ? td_fail_no_memory(err, "for a configuration") : 0;
}

/* ---- the files ---- */

static int check_owner(const char *path, const struct stat *st, struct td_err *err)
{
    if (st->st_uid != geteuid() && st->st_uid != 0)
        return td_fail(err, TD_E_USAGE,
                       "%s belongs to another user, so it is not used: set " TD_CONFIG_VARIABLE
                       "=none, or to the file's path if you trust it",
                       path);
    if (st->st_mode & S_IWOTH)
        return td_fail(err, TD_E_USAGE, "%s can be written by every user, so it is not used: chmod o-w it",
                       path);
    return 0;
}

/* The bytes of the file; NULL: there is none (err is not set), or an error. */
static char *read_config_file(const char *path, bool is_local, struct stat *st, struct td_err *err)
{
    char *text = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        if (errno != ENOENT && errno != ENOTDIR)
            td_fail_errno(err, "cannot read %s", path);
        return NULL;
    }
    if (fstat(fd, st) != 0)
        td_fail_errno(err, "cannot read %s", path);
    else if (!S_ISREG(st->st_mode) || st->st_size > FILE_MAX_BYTES)
        td_fail(err, TD_E_USAGE, "%s is not a configuration: %s", path,
                S_ISREG(st->st_mode) ? "it is larger than 1 MB" : "it is not a file");
    else if ((!is_local || check_owner(path, st, err) == 0) && !(text = malloc((size_t)st->st_size + 1)))
        td_fail_no_memory(err, "for a configuration");
    ssize_t n = text ? read(fd, text, (size_t)st->st_size) : 0;
    if (n < 0) {
        td_fail_errno(err, "cannot read %s", path);
        free(text);
        text = NULL;
    }
    st->st_size = n;
    close(fd);
    return text;
}

struct config_files {
    td_config_take *take;
    void *self;
    int rank;
    struct stat seen; /* the file before */
};

/* 1: read; 0: there is no such file; or a negative enum td_e. */
static int take_file(struct config_files *files, const char *path, bool is_local, struct td_err *err)
{
    struct stat st;
    struct td_err why = {0};
    char *text = read_config_file(path, is_local, &st, &why);
    if (!text)
        return why.code ? td_fail(err, why.code, "%s", why.text) : 0;
    int rc = 1;
    if (!files->rank || st.st_dev != files->seen.st_dev || st.st_ino != files->seen.st_ino) {
        const struct td_config_entry origin = {
            .file = path, .file_rank = files->rank++, .is_local = is_local};
        rc = td_config_parse(text, (size_t)st.st_size, &origin, files->take, files->self, err);
        files->seen = st;
    }
    free(text);
    return rc < 0 ? rc : 1;
}

/* The path of the user's file. False: there is no place for one. */
static bool user_path(char *path, size_t room)
{
    const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    int n = -1;
    if (xdg && xdg[0] == '/')
        n = snprintf(path, room, "%s/tendril/" TD_CONFIG_FILE_NAME, xdg);
    else if (home && home[0] == '/')
        n = snprintf(path, room, "%s/.config/tendril/" TD_CONFIG_FILE_NAME, home);
    return n > 0 && (size_t)n < room;
}

int td_config_file(const char *path, td_config_take *take, void *self, struct td_err *err)
{
    struct config_files files = {.take = take, .self = self};
    int rc = take_file(&files, path, false, err);
    return rc == 0 ? td_fail(err, TD_E_NOTFOUND, "there is no file %s", path) : rc < 0 ? rc : 0;
}

int td_config_each(td_config_take *take, void *self, struct td_err *err)
{
    struct config_files files = {.take = take, .self = self};
    const char *wanted = getenv(TD_CONFIG_VARIABLE);
    char path[PATH_MAX];
    if (wanted && !strcmp(wanted, "none"))
        return 0;
    if (wanted && *wanted) {
        int rc = take_file(&files, wanted, false, err);
        return rc == 0  ? td_fail(err, TD_E_NOTFOUND, TD_CONFIG_VARIABLE ": there is no file %s", wanted)
               : rc < 0 ? rc
                        : 0;
    }
    int rc = user_path(path, sizeof path) ? take_file(&files, path, false, err) : 0;
    if (rc >= 0)
        rc = take_file(&files, TD_CONFIG_FILE_NAME, true, err);
    return rc < 0 ? rc : 0;
}
