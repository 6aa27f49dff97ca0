#include "host/file/out_claim.h"
#include "host/base/err.h"
#include "host/base/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SUFFIX      ".part"
#define LOCK_TRIES  100 /* a limit, because another user may hold the folder's lock for ever */
#define LOCK_NAP_NS 10000000

int td_out_claim_letters(char letters[TD_OUT_LETTERS + 1])
{
    static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz234567"; /* 32 of them */
    uint8_t random[TD_OUT_LETTERS];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return TD_E_IO;
    for (unsigned i = 0; i < TD_OUT_LETTERS; i++)
        letters[i] = alphabet[random[i] & 31];
    letters[TD_OUT_LETTERS] = 0;
    return 0;
}

char *td_out_claim_name(const char *target)
{
    char letters[TD_OUT_LETTERS + 1], *name = NULL;
    if (td_out_claim_letters(letters) < 0)
        return NULL;
    return asprintf(&name, "%s.%s" SUFFIX, target, letters) < 0 ? NULL : name;
}

/* Not every file system has locks. Without one, two processes that begin at once may both write. */
int td_out_claim_begin(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; fd >= 0 && i < LOCK_TRIES; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR))
            break;
        nanosleep(&(struct timespec){0, LOCK_NAP_NS}, NULL);
    }
    return fd < 0 ? TD_E_IO : fd;
}

void td_out_claim_end(int folder)
{
    if (folder >= 0)
        close(folder);
}

/* `name` is OF.XXXXXXXX.part. */
static bool is_unfinished(const char *name, const char *of)
{
    size_t head = strlen(of), tail = sizeof SUFFIX - 1;
    return strlen(name) == head + 1 + TD_OUT_LETTERS + tail && !strncmp(name, of, head) &&
           name[head] == '.' && !strcmp(name + head + 1 + TD_OUT_LETTERS, SUFFIX);
}

/* A process holds a lock on the file. Removes the file if none does and it is empty. */
static bool is_held(int folder, const char *name)
{
    struct stat st;
    int fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool held = false;
    if (fd < 0)
        return false;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid()) {
        bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
        held = !locked && errno == EWOULDBLOCK;
        if (locked && st.st_size == 0 && st.st_nlink == 1)
            unlinkat(folder, name, 0);
    }
    close(fd);
    return held;
}

bool td_out_claim_is_taken(int folder, const char *target)
{
    const char *name = td_path_name(target);
    bool taken = false;
    int copy = fcntl(folder, F_DUPFD_CLOEXEC, 3);
    DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
    if (!dir && copy >= 0)
        close(copy);
    for (struct dirent *e; dir && !taken && (e = readdir(dir));)
        taken = is_unfinished(e->d_name, name) && is_held(folder, e->d_name);
    if (dir)
        closedir(dir);
    return taken;
}
