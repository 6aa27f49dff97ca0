#include "host/perf/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the mount ---- */

struct text_piece {
    const char *at;
    size_t bytes;
};

/* The next word of a line; empty at its end. */
static struct text_piece next_word(const char **at, const char *end)
{
    while (*at < end && **at == ' ')
        ++*at;
    struct text_piece word = {*at, 0};
    while (*at < end && **at != ' ')
        ++*at;
    word.bytes = (size_t)(*at - word.at);
    return word;
}

static bool is_word(struct text_piece word, const char *text)
{
    return word.bytes == strlen(text) && memcmp(word.at, text, word.bytes) == 0;
}

bool td_tracefs_path_in(const char *mounts, size_t bytes, char *path, size_t room)
{
    const char *const end = mounts + bytes;
    bool found = false;
    while (mounts < end) {
        const char *line_end = memchr(mounts, '\n', (size_t)(end - mounts));
        line_end = line_end ? line_end : end;
        (void)next_word(&mounts, line_end);
        const struct text_piece folder = next_word(&mounts, line_end), type = next_word(&mounts, line_end);
        const bool is_debugfs = is_word(type, "debugfs");
        mounts = line_end + (line_end < end);
        if (!(is_word(type, "tracefs") || (is_debugfs && !found)) ||
            folder.bytes + sizeof "/tracing" > room || !folder.bytes)
            continue;
        memcpy(path, folder.at, folder.bytes);
        memcpy(path + folder.bytes, "/tracing", sizeof "/tracing");
        path[folder.bytes + (is_debugfs ? sizeof "/tracing" - 1 : 0)] = 0;
        found = true;
        if (!is_debugfs)
            return true;
    }
    return found;
}

/* Reads a file of any length in pieces: lines that do not fit are cut. Returns the bytes read, or -errno. */
static ssize_t read_file(const char *path, char *text, size_t room)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t have = 0;
    ssize_t n = 0;
    if (fd < 0)
        return -errno;
    while (have < room - 1 && (n = read(fd, text + have, room - 1 - have)) != 0) {
        if (n < 0 && errno != EINTR)
            break;
        have += n > 0 ? (size_t)n : 0;
    }
    const int error = errno;
    close(fd);
    text[have] = 0;
    return n < 0 ? -error : (ssize_t)have;
}

bool td_tracefs_path(char *path, size_t room)
{
    static const char *const usual[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
    char text[16384];
    const ssize_t bytes = read_file("/proc/self/mounts", text, sizeof text);
    if (bytes > 0 && td_tracefs_path_in(text, (size_t)bytes, path, room))
        return true;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        snprintf(text, sizeof text, "%s/events/sched", usual[i]);
        if (access(text, F_OK) == 0 && strlen(usual[i]) < room)
            return snprintf(path, room, "%s", usual[i]) > 0;
    }
    return false;
}

/* ---- formats ---- */

/* The number after `key` in a line of a format ("offset:24;"). */
static bool number_after(const char *line, const char *end, const char *key, unsigned long most,
                         unsigned long *value)
{
    const size_t bytes = strlen(key);
    for (const char *at = line; (size_t)(end - at) > bytes; at++) {
        if (memcmp(at, key, bytes) != 0)
            continue;
        at += bytes;
        *value = 0;
        bool any = false;
        for (; at < end && *at >= '0' && *at <= '9' && *value <= most; at++, any = true)
            *value = *value * 10 + (unsigned long)(*at - '0');
        return any && *value <= most;
    }
    return false;
}

/* Whether the declaration ends with the name ("field:pid_t prev_pid"), or with the name and a length if it is of a
 * text ("field:char prev_comm[16]"). */
static bool declares(const char *line, const char *end, const char *name, bool is_text)
{
    const char *semicolon = memchr(line, is_text ? '[' : ';', (size_t)(end - line));
    const size_t bytes = strlen(name);
    return semicolon && (size_t)(semicolon - line) > bytes && memcmp(semicolon - bytes, name, bytes) == 0 &&
           (semicolon[-(ptrdiff_t)bytes - 1] == ' ' || semicolon[-(ptrdiff_t)bytes - 1] == '*');
}

static bool find_field(const char *format, size_t bytes, const char *name, bool is_text,
                       struct td_trace_field *field)
{
    const char *const end = format + bytes;
    for (const char *line = format; line < end;) {
        const char *line_end = memchr(line, '\n', (size_t)(end - line));
        line_end = line_end ? line_end : end;
        unsigned long offset, size, sign = 0;
        if (declares(line, line_end, name, is_text) &&
            number_after(line, line_end, "offset:", UINT16_MAX, &offset) &&
            number_after(line, line_end, "size:", is_text ? UINT8_MAX : 8, &size) && size &&
            (is_text || !(size & (size - 1)))) {
            (void)number_after(line, line_end, "signed:", 1, &sign);
            *field = (struct td_trace_field){(uint16_t)offset, (uint8_t)size, sign == 1};
            return true;
        }
        line = line_end + (line_end < end);
    }
    return false;
}

bool td_trace_field_find(const char *format, size_t bytes, const char *name, struct td_trace_field *field)
{
    return find_field(format, bytes, name, false, field);
}

bool td_trace_text_find(const char *format, size_t bytes, const char *name, struct td_trace_field *field)
{
    return find_field(format, bytes, name, true, field);
}

bool td_trace_field_value(const struct td_trace_field *field, const uint8_t *record, size_t bytes,
                          int64_t *value)
{
    uint64_t bits = 0;
    if (!field->bytes || field->bytes > 8 || (size_t)field->offset + field->bytes > bytes)
        return false;
    for (unsigned i = field->bytes; i-- > 0;) /* both machines that this runs on are little-endian */
        bits = bits << 8 | record[field->offset + i];
    const unsigned spare = 64 - 8u * field->bytes;
    *value = field->is_signed ? (int64_t)(bits << spare) >> spare : (int64_t)bits;
    return true;
}

int td_trace_point_read(const char *tracefs, const char *name, char *text, size_t room)
{
    char path[320];
    unsigned long id;
    if (snprintf(path, sizeof path, "%s/events/%s/format", tracefs, name) >= (int)sizeof path)
        return -ENAMETOOLONG;
    const ssize_t bytes = read_file(path, text, room);
    if (bytes < 0)
        return (int)bytes;
    for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (!strncmp(line, "ID:", 3))
            return (id = strtoul(line + 3, NULL, 10)) > 0 && id <= INT32_MAX ? (int)id : -EPROTO;
    return -EPROTO;
}
