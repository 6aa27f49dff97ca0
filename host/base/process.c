#include "host/base/process.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Reads the begin of a file as a string. False: it cannot be opened. */
static bool read_text(const char *path, char *text, size_t bytes)
{
    FILE *f = fopen(path, "re");
    text[0] = 0;
    if (!f)
        return false;
    text[fread(text, 1, bytes - 1, f)] = 0;
    fclose(f);
    return true;
}

/* State and parent of a process; 0: unknown. False: its file cannot be opened. */
static bool read_stat(uint32_t pid, char *state, uint32_t *parent)
{
    char path[40], text[512];
    snprintf(path, sizeof path, "/proc/%u/stat", pid);
    const bool is_open = read_text(path, text, sizeof text);
    /* number (name) state parent ...; the name may have any character */
    const char *name_end = strrchr(text, ')');
    *state = 0;
    *parent = 0;
    if (name_end)
        sscanf(name_end + 1, " %c %" SCNu32, state, parent);
    return is_open;
}

#define NS_PER_S INT64_C(1000000000)

int64_t td_process_age_ns(uint32_t pid)
{
    char path[40], text[1024];
    struct timespec now;
    unsigned long long begin;
    snprintf(path, sizeof path, "/proc/%u/stat", pid);
    read_text(path, text, sizeof text);
    const char *at = strrchr(text, ')');
    for (int spaces = 0; at && spaces < 20;
         spaces++) /* the 22nd field is the begin, in ticks since the boot */
        at = strchr(at + 1, ' ');
    const int64_t ticks_per_s = sysconf(_SC_CLK_TCK);
    if (!at || sscanf(at, "%llu", &begin) != 1 || ticks_per_s <= 0 || begin > INT64_MAX / NS_PER_S ||
        clock_gettime(CLOCK_BOOTTIME, &now) != 0)
        return -1;
    const int64_t age = now.tv_sec * NS_PER_S + now.tv_nsec -
                        (int64_t)((double)begin * (double)NS_PER_S / (double)ticks_per_s);
    return age > 0 ? age : 0;
}

bool td_process_gone(uint32_t pid)
{
    char state;
    uint32_t parent;
    if (pid > INT32_MAX) /* kill() would take it for a group */
        return true;
    if (!read_stat(pid, &state, &parent))
        return kill((pid_t)pid, 0) && errno == ESRCH;
    return state == 'Z' || state == 'X';
}

uint32_t td_process_parent(uint32_t pid)
{
    char state;
    uint32_t parent;
    read_stat(pid, &state, &parent);
    return parent;
}

/* With the newline at its end. */
static void read_boot(char *to, size_t bytes)
{
    read_text("/proc/sys/kernel/random/boot_id", to, bytes);
}

void td_process_boot(char *to, size_t bytes)
{
    read_boot(to, bytes);
    to[strcspn(to, "\n")] = 0;
}

uint32_t td_process_machine(void)
{
    char boot[64];
    struct stat numbers = {0};
    uint32_t hash = 2166136261u;
    read_boot(boot, sizeof boot);
    stat("/proc/self/ns/pid", &numbers);
    for (const char *c = boot; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    for (uint64_t n = numbers.st_ino; n; n >>= 8)
        hash = (hash ^ (n & 0xff)) * 16777619u;
    return hash ? hash : 1;
}

bool td_process_folder(char *folder, size_t bytes)
{
    ssize_t n = readlink("/proc/self/exe", folder, bytes);
    char *slash = n > 0 && (size_t)n < bytes ? memrchr(folder, '/', (size_t)n) : NULL;
    if (slash)
        *slash = 0;
    return slash != NULL;
}

bool td_process_trusts(const char *path, const char *from)
{
    struct stat st, own;
    if (stat(path, &st) != 0)
        return false;
    return st.st_uid == geteuid() || st.st_uid == 0 ||
           (stat(from ? from : "/proc/self/exe", &own) == 0 && st.st_uid == own.st_uid);
}

bool td_process_find(const char *name, int rights, char *path, size_t bytes)
{
    if (!td_process_folder(path, bytes) || strlen(path) + strlen(name) + 2 > bytes)
        return false;
    strcat(strcat(path, "/"), name);
    return access(path, rights) == 0 && td_process_trusts(path, NULL);
}

void td_process_memory(uint64_t *resident, uint64_t *peak)
{
    unsigned long long now = 0, most = 0;
    char line[200];
    FILE *f = fopen("/proc/self/status", "re");
    while (f && fgets(line, sizeof line, f)) {
        sscanf(line, "VmRSS: %llu", &now);
        sscanf(line, "VmHWM: %llu", &most);
    }
    if (f)
        fclose(f);
    if (resident)
        *resident = now << 10;
    if (peak)
        *peak = most << 10;
}
