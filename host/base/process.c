#include "host/base/process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

int td_process_gone(uint32_t pid)
{
    char path[40], text[256];
    snprintf(path, sizeof path, "/proc/%u/stat", pid);
    FILE *f = fopen(path, "re");
    if (!f)
        return kill((pid_t)pid, 0) && errno == ESRCH;
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = 0;
    /* number (name) state ... */
    const char *after_name = strrchr(text, ')');
    return after_name && after_name[1] && (after_name[2] == 'Z' || after_name[2] == 'X');
}
