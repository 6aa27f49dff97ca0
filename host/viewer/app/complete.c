#include "host/viewer/app/complete.h"
#include "host/base/path.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define SCAN_MAX 20000 /* entries of a folder that are read */
#define ENDING   ".tracy"

void td_expand_home(char *to, size_t room, const char *typed)
{
    const char *home = getenv("HOME");
    if (home && typed[0] == '~' && (typed[1] == '/' || !typed[1]))
        snprintf(to, room, "%s%s", home, typed + 1);
    else
        snprintf(to, room, "%s", typed);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_trace(const char *name)
{
    const size_t bytes = strlen(name), ending = sizeof ENDING - 1;
    return bytes > ending && !strcmp(name + bytes - ending, ENDING);
}

/* Adds an entry if it is a folder or a trace. */
static void add_entry(struct td_completion *completion, const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat st;
    int n = snprintf(path, sizeof path, "%s%s", folder, name);
    if (n < 0 || (size_t)n + 2 > sizeof path || stat(path, &st) != 0)
        return;
    if (S_ISDIR(st.st_mode))
        memcpy(path + n, "/", 2);
    else if (!is_trace(name))
        return;
    char *copy = strdup(path);
    if (copy)
        completion->paths[completion->count++] = copy;
}

void td_complete(struct td_completion *completion, const char *typed)
{
    char path[PATH_MAX];
    td_completion_free(completion);
    td_expand_home(path, sizeof path, typed);
    const char *name = td_path_name(path);
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s", (int)(name - path), path);
    DIR *dir = *typed ? opendir(*folder ? folder : ".") : NULL;
    const struct dirent *entry;
    for (int i = 0; dir && i < SCAN_MAX && completion->count < TD_COMPLETE_MAX && (entry = readdir(dir)); i++)
        if (!strncmp(entry->d_name, name, strlen(name)) && (entry->d_name[0] != '.' || *name == '.') &&
            strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
            add_entry(completion, folder, entry->d_name);
    if (dir)
        closedir(dir);
    qsort(completion->paths, (size_t)completion->count, sizeof *completion->paths, compare_texts);
}

void td_completion_free(struct td_completion *completion)
{
    while (completion->count)
        free(completion->paths[--completion->count]);
}
