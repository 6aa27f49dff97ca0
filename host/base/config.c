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

/* ---- which files are read ---- */

enum config_trust {
    CONFIG_NAMED, /* the user named it in TENDRIL_CONFIG */
    CONFIG_USERS, /* of the user's folder */
    CONFIG_LOCAL  /* of the working folder */
};

static bool is_ours(const struct stat *st)
{
    return st->st_uid == geteuid() || st->st_uid == 0;
}

/* Why a file that the user has not named is not read; NULL: it may be. In the user's own folder, members of
 * the group may write: with the usual umask of many systems, that group is the user. */
static const char *distrust(const struct stat *file, const struct stat *folder, enum config_trust trust)
{
    const mode_t others = trust == CONFIG_LOCAL ? S_IWGRP | S_IWOTH : S_IWOTH;
    if (trust == CONFIG_LOCAL && S_ISLNK(file->st_mode))
        return "it is a symbolic link";
    if (!is_ours(file))
        return "it belongs to another user";
    if (file->st_mode & others)
        return "other users may write it";
    if (!is_ours(folder))
        return "its folder belongs to another user";
    return folder->st_mode & others ? "other users may write its folder" : NULL;
}

static int stat_folder(const char *path, struct stat *st)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const int n = slash ? snprintf(folder, sizeof folder, "%.*s/", (int)(slash - path), path)
                        : snprintf(folder, sizeof folder, ".");
    errno = ENAMETOOLONG;
    return n < (int)sizeof folder ? stat(folder, st) : -1;
}

/* Opens a file that the user has not named. It is looked at first, because to open a link or a device may
 * have effects. -1: *why says why it is not read, or, if that is NULL, errno. */
static int open_trusted(const char *path, enum config_trust trust, const char **why)
{
    const int links = trust == CONFIG_LOCAL ? O_NOFOLLOW : 0;
    struct stat st, folder, opened;
    if (fstatat(AT_FDCWD, path, &st, links ? AT_SYMLINK_NOFOLLOW : 0) != 0 || stat_folder(path, &folder) != 0)
        return -1;
    *why = distrust(&st, &folder, trust);
    int fd = *why ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | links);
    if (fd < 0 || (fstat(fd, &opened) == 0 && opened.st_dev == st.st_dev && opened.st_ino == st.st_ino))
        return fd;
    close(fd);
    *why = "it is being replaced";
    return -1;
}

/* ---- the files ---- */

static int check_kind(const char *path, const struct stat *st, struct td_err *err)
{
    if (S_ISREG(st->st_mode) && st->st_size <= FILE_MAX_BYTES)
        return 0;
    return td_fail(err, TD_E_USAGE, "%s is not a configuration: %s", path,
                   S_ISREG(st->st_mode) ? "it is larger than 1 MB" : "it is not a file");
}

/* The bytes of the file; NULL: it is not there, or is left out (err is not set), or an error. */
static char *read_config_file(const char *path, enum config_trust trust, struct stat *st, struct td_err *err)
{
    const char *why = NULL;
    char *text = NULL;
    int fd = trust == CONFIG_NAMED ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
                                   : open_trusted(path, trust, &why);
    if (fd < 0) {
        if (!why && errno != ENOENT && errno != ENOTDIR)
            td_fail_errno(err, "cannot read %s", path);
        return NULL;
    }
    if (fstat(fd, st) != 0)
        td_fail_errno(err, "cannot read %s", path);
    else if (check_kind(path, st, err) == 0 && !(text = malloc((size_t)st->st_size + 1)))
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
};

/* 1: read; 0: there is no such file, or it is left out; or a negative enum td_e. */
static int take_file(struct config_files *files, const char *path, enum config_trust trust,
                     struct td_err *err)
{
    struct stat st;
    struct td_err why = {0};
    char *text = read_config_file(path, trust, &st, &why);
    if (!text)
        return why.code ? td_fail(err, why.code, "%s", why.text) : 0;
    const struct td_config_entry origin = {
        .file = path, .file_rank = files->rank++, .is_local = trust == CONFIG_LOCAL};
    int rc = td_config_parse(text, (size_t)st.st_size, &origin, files->take, files->self, err);
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

/* The working folder's file may be the user's. */
static bool is_same_file(const char *path, const char *other)
{
    struct stat a, b;
    return stat(path, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Calls visit() with the files that the user has not named, in their order. */
static int each_unnamed(int (*visit)(void *self, const char *path, enum config_trust trust,
                                     struct td_err *err),
                        void *self, struct td_err *err)
{
    char path[PATH_MAX];
    const bool has_place = user_path(path, sizeof path);
    int rc = has_place ? visit(self, path, CONFIG_USERS, err) : 0;
    if (rc < 0 || (has_place && is_same_file(path, TD_CONFIG_FILE_NAME)))
        return rc;
    return visit(self, TD_CONFIG_FILE_NAME, CONFIG_LOCAL, err);
}

static int visit_file(void *self, const char *path, enum config_trust trust, struct td_err *err)
{
    return take_file(self, path, trust, err);
}

int td_config_file(const char *path, td_config_take *take, void *self, struct td_err *err)
{
    struct config_files files = {.take = take, .self = self};
    int rc = take_file(&files, path, CONFIG_NAMED, err);
    return rc == 0 ? td_fail(err, TD_E_NOTFOUND, "there is no file %s", path) : rc < 0 ? rc : 0;
}

/* What TENDRIL_CONFIG names; NULL: nothing. */
static const char *named_file(void)
{
    const char *wanted = getenv(TD_CONFIG_VARIABLE);
    return wanted && *wanted ? wanted : NULL;
}

int td_config_each(td_config_take *take, void *self, struct td_err *err)
{
    struct config_files files = {.take = take, .self = self};
    const char *wanted = named_file();
    if (wanted && !strcmp(wanted, "none"))
        return 0;
    if (!wanted) {
        int rc = each_unnamed(visit_file, &files, err);
        return rc < 0 ? rc : 0;
    }
    int rc = take_file(&files, wanted, CONFIG_NAMED, err);
    return rc == 0  ? td_fail(err, TD_E_NOTFOUND, TD_CONFIG_VARIABLE ": there is no file %s", wanted)
           : rc < 0 ? rc
                    : 0;
}

struct left_out {
    void (*say)(void *self, const char *line);
    void *self;
};

static int visit_left_out(void *self, const char *path, enum config_trust trust, struct td_err *err)
{
    const struct left_out *left = self;
    const char *why = NULL;
    char line[PATH_MAX + 200];
    int fd = open_trusted(path, trust, &why);
    (void)err;
    if (fd >= 0)
        close(fd);
    const char *folder = trust == CONFIG_LOCAL ? "./" : "";
    snprintf(line, sizeof line,
             "%s%s is not read: %s (" TD_CONFIG_VARIABLE "=%s%s reads it, " TD_CONFIG_VARIABLE
             "=none leaves it out silently)",
             folder, path, why ? why : "", folder, path);
    if (why)
        left->say(left->self, line);
    return 0;
}

void td_config_each_left_out(void (*say)(void *self, const char *line), void *self)
{
    struct left_out left = {say, self};
    if (!named_file())
        each_unnamed(visit_left_out, &left, NULL);
}
