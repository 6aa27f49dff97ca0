#include "host/base/grow.h"
#include "host/device/image/image.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* A file that was looked at; not again unless it becomes another one. */
struct seen_file {
    dev_t device;
    ino_t inode;
    struct timespec changed;
    off_t bytes;
};

struct image_folder {
    char *path;
    unsigned depth;          /* below one that was asked for */
    struct timespec changed; /* of the directory when it was last looked through */
    bool looked;
    int settled; /* that was long enough before the look that no later change can have the same time */
};

enum { MOST_DEPTH = 6, MOST_FOLDERS = 20000 };

struct td_images {
    struct image_folder *places;
    size_t place_count, place_room;
    struct seen_file *seen;
    size_t seen_count, seen_room;
    struct td_image **images;
    size_t image_count, image_room;
};

static int add_place(struct td_images *images, const char *path, unsigned depth)
{
    if (td_grow(&images->places, &images->place_room, images->place_count + 1, sizeof *images->places) != 0)
        return TD_E_NOMEM;
    struct image_folder *place = &images->places[images->place_count];
    *place = (struct image_folder){.path = strdup(path), .depth = depth};
    if (!place->path)
        return TD_E_NOMEM;
    images->place_count++;
    return 0;
}

struct td_images *td_images_create(const char *const *directories, size_t count)
{
    struct td_images *images = calloc(1, sizeof *images);
    for (size_t i = 0; images && i < count; i++)
        if (add_place(images, directories[i], 0)) {
            td_images_destroy(images);
            images = NULL;
        }
    return images;
}

void td_images_destroy(struct td_images *images)
{
    if (!images)
        return;
    for (size_t i = 0; i < images->place_count; i++)
        free(images->places[i].path);
    for (size_t i = 0; i < images->image_count; i++)
        td_image_close(images->images[i]);
    free(images->places);
    free(images->seen);
    free(images->images);
    free(images);
}

static const struct td_image *known(const struct td_images *images, uint64_t build_id)
{
    for (size_t i = 0; i < images->image_count; i++)
        if (td_image_build_id(images->images[i]) == build_id)
            return images->images[i];
    return NULL;
}

static bool is_seen(struct td_images *images, const struct stat *st)
{
    for (size_t i = 0; i < images->seen_count; i++) {
        const struct seen_file *s = &images->seen[i];
        if (s->device == st->st_dev && s->inode == st->st_ino && s->bytes == st->st_size &&
            s->changed.tv_sec == st->st_mtim.tv_sec && s->changed.tv_nsec == st->st_mtim.tv_nsec)
            return true;
    }
    if (td_grow(&images->seen, &images->seen_room, images->seen_count + 1, sizeof *images->seen) == 0)
        images->seen[images->seen_count++] =
            (struct seen_file){st->st_dev, st->st_ino, st->st_mtim, st->st_size};
    return false;
}

/* A folder may hold files that are large and no ELFs (a board's own): they are not read. */
static bool is_elf(const char *path)
{
    char magic[4] = {0};
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    size_t got = fread(magic, 1, sizeof magic, file);
    fclose(file);
    return got == sizeof magic && !memcmp(magic, "\177ELF", sizeof magic);
}

static bool is_place(const struct td_images *images, const char *path)
{
    for (size_t i = 0; i < images->place_count; i++)
        if (strcmp(images->places[i].path, path) == 0)
            return true;
    return false;
}

static void look_at_file(struct td_images *images, const char *path, const struct stat *st)
{
    if (!S_ISREG(st->st_mode) || is_seen(images, st) || !is_elf(path))
        return;
    struct td_image *image = td_image_open(path, NULL); /* no ELF of a core: of no interest */
    if (!image)
        return;
    if (!td_image_build_id(image) || known(images, td_image_build_id(image)) ||
        td_grow(&images->images, &images->image_room, images->image_count + 1, sizeof *images->images) != 0) {
        td_image_close(image);
        return;
    }
    images->images[images->image_count++] = image;
}

/* Looks at an entry of a folder; `again`: it was looked through before. A folder in it is looked through later. */
static void look_at_entry(struct td_images *images, const char *path, unsigned depth, bool again)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return;
    if (!S_ISDIR(st.st_mode))
        look_at_file(images, path, &st);
    else if (depth < MOST_DEPTH && images->place_count < MOST_FOLDERS && !(again && is_place(images, path)))
        add_place(images, path, depth + 1); /* without memory its ELFs are not found */
}

static void look_through(struct td_images *images, size_t number)
{
    struct image_folder *place = &images->places[number];
    const unsigned depth = place->depth;
    struct stat st;
    struct timespec now;
    if (stat(place->path, &st) != 0)
        return;
    if (S_ISREG(st.st_mode)) {
        look_at_file(images, place->path, &st);
        return;
    }
    if (place->settled && place->changed.tv_sec == st.st_mtim.tv_sec &&
        place->changed.tv_nsec == st.st_mtim.tv_nsec)
        return;
    const bool again = place->looked;
    place->looked = true;
    clock_gettime(CLOCK_REALTIME, &now);
    place->changed = st.st_mtim;
    place->settled = now.tv_sec - st.st_mtim.tv_sec > 1;
    DIR *directory = opendir(place->path);
    if (!directory)
        return;
    for (struct dirent *entry; (entry = readdir(directory));) {
        char path[4096]; /* the list of places may move meanwhile */
        int n = snprintf(path, sizeof path, "%s/%s", images->places[number].path, entry->d_name);
        if (entry->d_name[0] != '.' && n > 0 && (size_t)n < sizeof path)
            look_at_entry(images, path, depth, again);
    }
    closedir(directory);
}

const struct td_image *td_images_find(struct td_images *images, uint64_t build_id, struct td_err *err)
{
    const struct td_image *image = build_id ? known(images, build_id) : NULL;
    for (size_t i = 0; build_id && !image && i < images->place_count; i++) {
        look_through(images, i);
        image = known(images, build_id);
    }
    if (!image) {
        char text[17];
        td_build_id_text(build_id, text);
        td_fail(err, TD_E_NOTFOUND,
                "no ELF with build id %s... in %s%s; name the folder of the kernel that ran", text,
                images->place_count ? images->places[0].path : "no folder",
                images->place_count > 1 ? " or the other folders" : "");
    }
    return image;
}
