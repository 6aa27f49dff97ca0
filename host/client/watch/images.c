#include "host/client/watch/images.h"
#include "host/base/err.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define IMAGES_MAX 8000                     /* below what code_maps.h and keys of symbols can number */
#define FRESH      UINT64_C(0x100000000000) /* up to TD_IMAGES_NOWHERE: for code whose own addresses are taken */
#define PAGE       UINT64_C(0x1000)
#define NO_FILE    UINT64_MAX /* the device of code without a file */

static const char vdso[] = "[vdso]", anonymous[] = "[anonymous]";

static struct td_image_place {
    const struct td_code_map *map;
    int fd;           /* of the file, which may be deleted or replaced later; negative: none */
    uint32_t process; /* that it was first seen in */
    uint64_t moved;   /* added to that process's addresses */
} images[IMAGES_MAX];
static uint32_t image_count;
static uint64_t fresh = FRESH;

/* ---- the file ---- */

static bool is_file_of(int fd, const struct td_process_map *map)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_ino == map->inode;
}

/* The code that the kernel gives all processes. */
static int open_vdso(uint64_t bytes)
{
    const char *code = (const char *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
    const int fd = code ? memfd_create("vdso", MFD_CLOEXEC) : TD_E_NOTFOUND;
    if (fd >= 0 && write(fd, code, bytes) != (ssize_t)bytes) {
        close(fd);
        return TD_E_NOTFOUND;
    }
    return fd;
}

/* The file as the process sees it, which may be in a container, or have been deleted since. */
static int open_file(uint32_t process, const struct td_process_map *map)
{
    char paths[4][PATH_MAX + 64];
    snprintf(paths[0], sizeof paths[0], "/proc/%u/root%s", process, map->path);
    snprintf(paths[1], sizeof paths[1], "%s", map->path);
    snprintf(paths[2], sizeof paths[2], "/proc/%u/map_files/%llx-%llx", process,
             (unsigned long long)map->start, (unsigned long long)map->end);
    snprintf(paths[3], sizeof paths[3], "/proc/%u/exe", process);
    for (int i = 0; i < 4; i++) {
        const int fd = open(paths[i], O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (fd >= 0 && is_file_of(fd, map))
            return fd;
        if (fd >= 0)
            close(fd);
    }
    return TD_E_NOTFOUND;
}

/* map_files and exe reach a deleted file only while the process lives, so it is opened when it is first seen. */
static int open_image(uint32_t process, const struct td_process_map *map)
{
    if (!strcmp(map->path, vdso))
        return open_vdso(map->end - map->start);
    return map->path[0] == '/' && map->inode ? open_file(process, map) : TD_E_NOTFOUND;
}

int td_images_open(const struct td_code_map *map)
{
    const int fd = map->number && map->number <= IMAGES_MAX ? images[map->number - 1].fd : -1;
    char path[32];
    if (fd < 0)
        return TD_E_NOTFOUND;
    /* Not dup(): the copies would share the place in the file. */
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, O_RDONLY | O_CLOEXEC);
}

uint32_t td_images_origin(const struct td_code_map *map, uint64_t *moved)
{
    if (!map->number || map->number > IMAGES_MAX)
        return 0;
    *moved = images[map->number - 1].moved;
    return images[map->number - 1].process;
}

/* ---- places in the trace ---- */

static bool has_file(const struct td_process_map *map)
{
    return map->inode || !strcmp(map->path, vdso);
}

/* The code that has the mapping's; NULL: the trace has none of it. */
static const struct td_code_map *find_image(const struct td_process_map *map)
{
    for (uint32_t i = image_count; i-- > 0 && has_file(map);) {
        const struct td_code_map *image = images[i].map;
        const bool is_same = map->inode ? image->device == map->device && image->inode == map->inode
                                        : image->device == NO_FILE;
        if (is_same && !strcmp(image->path, map->path) && map->offset >= image->offset &&
            map->end - map->start <= image->end - image->start &&
            map->offset - image->offset <= (image->end - image->start) - (map->end - map->start))
            return image;
    }
    return NULL;
}

static bool is_free(uint64_t start, uint64_t end)
{
    for (uint32_t i = 0; i < image_count; i++)
        if (start < images[i].map->end && images[i].map->start < end)
            return false;
    return end <= FRESH || start >= TD_IMAGES_NOWHERE + PAGE;
}

static const struct td_code_map *add_image(uint32_t process, const struct td_process_map *map)
{
    const uint64_t bytes = map->end - map->start;
    struct td_code_map added = {.start = map->start,
                                .end = map->end,
                                .offset = map->offset,
                                .device = map->inode ? map->device : NO_FILE,
                                .inode = map->inode ? map->inode : image_count + 1};
    if (image_count == IMAGES_MAX)
        return NULL;
    if (!is_free(map->start, map->end)) {
        added.start = fresh;
        added.end = fresh + bytes;
        fresh += (bytes + 2 * PAGE - 1) / PAGE * PAGE;
    }
    const struct td_code_map *image =
        td_code_maps_add(&added, map->path[0] == '/' || !strcmp(map->path, vdso) ? map->path : anonymous);
    if (image)
        images[image_count++] =
            (struct td_image_place){image, open_image(process, map), process, added.start - map->start};
    return image;
}

uint64_t td_images_address(uint32_t process, struct td_process_map *map, uint64_t address)
{
    if (map && !map->placed) {
        const struct td_code_map *image = find_image(map);
        image = image ? image : add_image(process, map);
        if (!image)
            return TD_IMAGES_NOWHERE;
        map->moved = image->start + (map->offset - image->offset) - map->start;
        map->placed = true;
    }
    return map ? address + map->moved : TD_IMAGES_NOWHERE;
}
