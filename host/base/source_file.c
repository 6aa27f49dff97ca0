#include "host/base/source_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* Suffixes of the languages that source locations of compilers, shader compilers and interpreters refer
 * to. */
static const char suffixes[] =
    " ada adb ads asm c c++ cc cl clj comp cpp cppm cs cu cuh cxx d erl ex exs f f03 f08 f77 f90 "
    "f95 frag fs ftn geom glsl go h h++ hh hip hlsl hpp hs hxx i ii inc inl ino ipp ixx java jl js jsx "
    "kt l lua m metal ml mli mm mojo mpp nim odin pas pony py pyx r rs s scala slang "
    "swift tcc tesc tese tpp ts tsx txx vala vb vert wat wgsl y yy zig ";

static bool is_source_name(const char *path)
{
    const char *name = strrchr(path, '/'), *dot = strrchr(name ? name + 1 : path, '.');
    size_t bytes = dot ? strlen(dot + 1) : 0;
    if (!bytes || strchr(dot, ' '))
        return 0;
    for (const char *at = suffixes; *at; at += 1 + strcspn(at + 1, " "))
        if (!strncasecmp(at + 1, dot + 1, bytes) && at[1 + bytes] == ' ')
            return 1;
    return 0;
}

int td_source_rules_init(struct td_source_rules *rules, const struct td_words *folders, struct td_err *err)
{
    *rules = (struct td_source_rules){0};
    for (size_t i = 0; i < folders->count; i++) {
        struct stat st;
        char *real = realpath(folders->words[i], NULL);
        if (real)
            rules->folders[rules->count++] = real;
        if (!real || stat(real, &st) != 0 || !S_ISDIR(st.st_mode))
            return td_fail(err, TD_E_USAGE, "--sources %s: %s", folders->words[i],
                           real ? "not a folder" : strerror(errno));
    }
    return 0;
}

void td_source_rules_free(struct td_source_rules *rules)
{
    for (size_t i = 0; i < rules->count; i++)
        free(rules->folders[i]);
    rules->count = 0;
}

static bool is_in_folders(const struct td_source_rules *rules, const char *path)
{
    for (size_t i = 0; i < rules->count; i++) {
        size_t bytes = strlen(rules->folders[i]);
        if (bytes == 1 || (!strncmp(path, rules->folders[i], bytes) && path[bytes] == '/'))
            return 1;
    }
    return !rules->count && !rules->none_else;
}

/* A path that opens the same file again. */
static void path_of_open_file(int fd, char way[32])
{
    snprintf(way, 32, "/proc/self/fd/%d", fd);
}

static bool may_be_read(const struct td_source_rules *rules, int fd, uint64_t before_s, struct stat *st)
{
    char way[32], path[PATH_MAX + 1];
    if (fstat(fd, st) != 0 || !S_ISREG(st->st_mode) || st->st_size <= 0 || st->st_size > TD_SOURCE_FILE_MAX ||
        st->st_mtime < 0 || (uint64_t)st->st_mtime >= before_s)
        return 0;
    path_of_open_file(fd, way);
    ssize_t n = readlink(way, path, sizeof path);
    if (n <= 0 || n >= (ssize_t)sizeof path)
        return 0;
    path[n] = 0;
    return is_source_name(path) && is_in_folders(rules, path);
}

/* The whole file. NULL: it became shorter, it is not text, or no memory. */
static void *read_text(int fd, size_t bytes)
{
    char *text = malloc(bytes);
    size_t have = 0;
    ssize_t n;
    while (text && have < bytes &&
           ((n = read(fd, text + have, bytes - have)) > 0 || (n < 0 && errno == EINTR)))
        have += n > 0 ? (size_t)n : 0;
    if (text && have == bytes && !memchr(text, 0, bytes))
        return text;
    free(text);
    return NULL;
}

void *td_source_file_read(const struct td_source_rules *rules, const char *name, size_t name_bytes,
                          uint64_t before_s, size_t *bytes)
{
    char way[32];
    struct stat st;
    void *text = NULL;
    *bytes = 0;
    if (!name_bytes || memchr(name, 0, name_bytes))
        return NULL;
    /* O_PATH opens a device or pipe without an effect on it. */
    int place = open(name, O_PATH | O_CLOEXEC);
    if (place < 0)
        return NULL;
    if (may_be_read(rules, place, before_s, &st)) {
        path_of_open_file(place, way);
        int fd = open(way, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (fd >= 0)
            text = read_text(fd, (size_t)st.st_size);
        if (fd >= 0)
            close(fd);
    }
    close(place);
    *bytes = text ? (size_t)st.st_size : 0;
    return text;
}
