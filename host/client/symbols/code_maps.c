/* Reads the system's list of mappings. Asking the loader would wait for its lock, which a crashed thread may
 * hold. */
#include "host/client/symbols/code_maps.h"
#include "host/base/err.h"
#include "host/base/clock.h"
#include "host/client/platform/observed.h"
#include "host/client/platform/pool.h"
#include "host/client/platform/safe_copy.h"

#include <stdbool.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define MAPS_MAX   8191     /* of all times */
#define LOOK_NS    50000000 /* the list is read again when it is older */
#define LINE_BYTES 4608

static struct td_code_map *maps[MAPS_MAX]; /* oldest first */
static uint32_t count;
static int64_t looked_ns;

static uint64_t take_number(const char **at, int base)
{
    char *end;
    uint64_t value = strtoull(*at, &end, base);
    *at = *end ? end + 1 : end;
    return value;
}

static bool is_same(const struct td_code_map *a, const struct td_code_map *b, const char *path)
{
    return a->start == b->start && a->end == b->end && a->offset == b->offset && a->device == b->device &&
           a->inode == b->inode && !strcmp(a->path, path);
}

const struct td_code_map *td_code_maps_add(const struct td_code_map *found, const char *path)
{
    for (uint32_t i = count; i-- > 0;)
        if (is_same(maps[i], found, path)) {
            maps[i]->live = 1;
            return maps[i];
        }
    size_t bytes = strlen(path) + 1;
    struct td_code_map *map = count < MAPS_MAX ? td_pool_alloc(sizeof *map + bytes) : NULL;
    if (!map)
        return NULL;
    *map = *found;
    map->live = 1;
    map->number = count + 1;
    memcpy(map->path, path, bytes);
    return maps[count++] = map;
}

/* "start-end perms offset major:minor inode   path" */
bool td_code_map_parse(char *line, struct td_code_map *map, char **path)
{
    static const char deleted[] = " (deleted)";
    const char *at = line;
    *map = (struct td_code_map){.start = take_number(&at, 16)};
    map->end = take_number(&at, 16);
    if (strnlen(at, 5) < 5 || at[2] != 'x')
        return false;
    at += 5;
    map->offset = take_number(&at, 16);
    uint64_t major_number = take_number(&at, 16), minor_number = take_number(&at, 16);
    map->device = makedev((unsigned)major_number, (unsigned)minor_number);
    map->inode = take_number(&at, 10);
    at += strspn(at, " ");
    *path = line + (at - line);
    (*path)[strcspn(*path, "\n")] = 0;
    size_t bytes = strlen(*path), tail = sizeof deleted - 1;
    if (bytes > tail && !strcmp(*path + bytes - tail, deleted))
        (*path)[bytes - tail] = 0;
    return true;
}

static void take_line(char *line)
{
    struct td_code_map map;
    char *path;
    if (td_code_map_parse(line, &map, &path))
        td_code_maps_add(&map, path);
}

static void take_lines(int fd, char *text, size_t room)
{
    size_t have = 0;
    ssize_t n;
    while ((n = read(fd, text + have, room - 1 - have)) > 0) {
        have += (size_t)n;
        char *line = text, *end;
        while ((end = memchr(line, '\n', have - (size_t)(line - text)))) {
            *end = 0;
            take_line(line);
            line = end + 1;
        }
        have -= (size_t)(line - text);
        memmove(text, line, have);
        if (have == room - 1)
            return; /* the system writes no line of that length */
    }
}

static void read_maps(void)
{
    looked_ns = td_mono_ns();
    char *text = td_pool_alloc(2 * LINE_BYTES);
    int fd = text ? open("/proc/self/maps", O_RDONLY | O_CLOEXEC) : TD_E_NOMEM;
    if (fd >= 0) {
        for (uint32_t i = 0; i < count; i++)
            maps[i]->live = 0;
        take_lines(fd, text, 2 * LINE_BYTES);
        close(fd);
    }
    td_pool_free(text);
}

static const struct td_code_map *find_map(uint64_t address, int live)
{
    for (uint32_t i = count; i-- > 0;)
        if (address >= maps[i]->start && address < maps[i]->end && maps[i]->live >= live)
            return maps[i];
    return NULL;
}

const struct td_code_map *td_code_map_of(uint64_t address)
{
    if (!td_client_observed() && (!looked_ns || td_mono_ns() - looked_ns > LOOK_NS))
        read_maps();
    const struct td_code_map *map = find_map(address, 1);
    return map ? map : find_map(address, 0);
}

const struct td_code_map *td_code_map_at(uint32_t which)
{
    return which && which <= count ? maps[which - 1] : NULL;
}

static bool is_mapped_file(int fd, const struct td_code_map *map)
{
    struct stat st;
    return fstat(fd, &st) == 0 && st.st_ino == map->inode && st.st_dev == map->device;
}

int td_code_map_open(const struct td_code_map *map)
{
    /* The program itself can be opened even when its file has been deleted or replaced. */
    const char *const paths[] = {map->path, "/proc/self/exe"};
    if (td_client_observed())
        return td_client_observed()->open(map);
    for (int i = 0; i < 2 && map->path[0] == '/'; i++) {
        int fd = open(paths[i], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd >= 0 && is_mapped_file(fd, map))
            return fd;
        if (fd >= 0)
            close(fd);
    }
    return TD_E_NOTFOUND;
}

bool td_code_map_read(const struct td_code_map *map, uint64_t address, void *to, size_t bytes)
{
    if (!td_client_observed())
        return td_safe_copy(address, to, bytes);
    const int fd = td_code_map_open(map);
    if (fd < 0)
        return false;
    const ssize_t n = pread(fd, to, bytes, (off_t)(address - map->start + map->offset));
    close(fd);
    return n == (ssize_t)bytes;
}
