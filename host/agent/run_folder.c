#include "host/agent/run_folder.h"

#include "host/base/process.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define PREFIX "tendril-run-"

void td_run_folder_remove(const char *path)
{
    DIR *dir = path[0] ? opendir(path) : NULL;
    if (!dir)
        return;
    for (struct dirent *e; (e = readdir(dir));)
        if (e->d_name[0] != '.')
            unlinkat(dirfd(dir), e->d_name, 0);
    closedir(dir);
    rmdir(path);
}

/* Folders of recorders that were killed: their names tell which process made them. */
static void remove_stale(const char *base)
{
    DIR *dir = opendir(base);
    if (!dir)
        return;
    for (struct dirent *e; (e = readdir(dir));) {
        int pid;
        char path[600];
        if (sscanf(e->d_name, PREFIX "%d-", &pid) != 1 || pid <= 0 || !td_process_gone((uint32_t)pid))
            continue;
        snprintf(path, sizeof path, "%s/%s", base, e->d_name);
        td_run_folder_remove(path);
    }
    closedir(dir);
}

/* Memory if the board fits into it (containers often have little), else a folder for temporary files. */
static const char *choose_base(uint64_t wanted)
{
    struct statvfs shm;
    if (access("/dev/shm", W_OK) == 0 && statvfs("/dev/shm", &shm) == 0 &&
        (uint64_t)shm.f_bavail * shm.f_bsize > wanted)
        return "/dev/shm";
    const char *base = getenv("TMPDIR");
    return base && *base ? base : "/tmp";
}

int td_run_folder_make(char *path, size_t bytes, uint64_t wanted, struct td_err *err)
{
    const char *base = choose_base(wanted);
    remove_stale(base);
    int n = snprintf(path, bytes, "%s/" PREFIX "%d-XXXXXX", base, (int)getpid());
    if (n > 0 && (size_t)n < bytes && mkdtemp(path))
        return 0;
    path[0] = 0;
    return td_fail_errno(err, "cannot make a folder in %s", base);
}
