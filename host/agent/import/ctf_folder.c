#include "host/agent/import/ctf_folder.h"
#include "host/base/grow.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS  6   /* SESSION/ust/uid/1000/64-bit */
#define FOLDERS 256 /* that are traces */
#define VISITED 5000
#define MAGIC   UINT32_C(0x75d11d57)

void td_ctf_folders_free(struct td_ctf_folders *folders)
{
    for (size_t i = 0; i < folders->count; i++)
        free(folders->paths[i]);
    free(folders->paths);
    *folders = (struct td_ctf_folders){0};
}

/* Metadata are text, or packets with a magic number in either order of bytes. */
static bool is_trace(const char *folder)
{
    static const char text[] = "/* CTF 1.";
    char path[4200], first[sizeof text] = "";
    uint32_t magic;
    snprintf(path, sizeof path, "%s/metadata", folder);
    FILE *file = fopen(path, "rbe");
    if (!file)
        return false;
    const size_t bytes = fread(first, 1, sizeof text - 1, file);
    fclose(file);
    memcpy(&magic, first, sizeof magic);
    return bytes == sizeof text - 1 &&
           (!memcmp(first, text, bytes) || magic == MAGIC || __builtin_bswap32(magic) == MAGIC);
}

static int add_folder(struct td_ctf_folders *folders, const char *path)
{
    char *copy = strdup(path);
    if (!copy || td_grow(&folders->paths, &folders->room, folders->count + 1, sizeof *folders->paths) < 0) {
        free(copy);
        return TD_E_NOMEM;
    }
    folders->paths[folders->count++] = copy;
    return 0;
}

static int find(struct td_ctf_folders *folders, const char *path, unsigned level)
{
    struct dirent **names;
    char below[4200];
    if (folders->visited++ == VISITED)
        return 0;
    int bad = is_trace(path) ? add_folder(folders, path) : 0;
    const int count = level < LEVELS ? scandir(path, &names, NULL, alphasort) : -1;
    for (int i = 0; i < count; i++) {
        const bool may_be_folder = names[i]->d_type == DT_DIR || names[i]->d_type == DT_UNKNOWN;
        if (!bad && may_be_folder && names[i]->d_name[0] != '.' && folders->count < FOLDERS &&
            folders->visited < VISITED &&
            (size_t)snprintf(below, sizeof below, "%s/%s", path, names[i]->d_name) < sizeof below)
            bad = find(folders, below, level + 1);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
    return bad;
}

int td_ctf_folders_find(struct td_ctf_folders *folders, const char *path)
{
    return find(folders, path, 0);
}
