#include "host/perf/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

bool td_proc_text(const char *path, char *text, size_t room)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    const ssize_t bytes = read(fd, text, room - 1);
    close(fd);
    text[bytes > 0 ? bytes : 0] = 0;
    return bytes > 0;
}

bool td_proc_number(const char *path, int64_t *value)
{
    char text[64], *end;
    if (!td_proc_text(path, text, sizeof text))
        return false;
    *value = strtoll(text, &end, 10);
    return end != text;
}

bool td_proc_name(uint32_t thread, char *name, size_t room)
{
    char path[48];
    snprintf(path, sizeof path, "/proc/%u/comm", thread);
    if (!td_proc_text(path, name, room))
        return false;
    const size_t bytes = strlen(name);
    name[bytes - (bytes && name[bytes - 1] == '\n')] = 0;
    return true;
}

bool td_proc_status_number(const char *text, const char *key, uint64_t *value)
{
    const size_t bytes = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        if (strncmp(line, key, bytes) != 0 || line[bytes] != ':')
            continue;
        const char *at = line + bytes + 1;
        at += strspn(at, " \t");
        char *end;
        *value = strtoull(at, &end, 10);
        return end != at && *at != '-';
    }
    return false;
}

uint32_t td_proc_process(uint32_t thread)
{
    char path[48], text[512];
    uint64_t process = 0;
    snprintf(path, sizeof path, "/proc/%u/status", thread);
    if (!td_proc_text(path, text, sizeof text) || !td_proc_status_number(text, "Tgid", &process))
        return 0;
    return (uint32_t)process;
}

struct linux_entry { /* of getdents64() */
    uint64_t inode;
    int64_t offset;
    unsigned short bytes;
    unsigned char type;
    char name[];
};

/* The entries of a folder that are numbers. */
static int list_numbers(const char *path, uint32_t *numbers, unsigned most)
{
    char buffer[4096] __attribute__((aligned(8)));
    long n;
    unsigned count = 0;
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    while ((n = syscall(SYS_getdents64, fd, buffer, sizeof buffer)) > 0) {
        for (long at = 0; at < n;) {
            const struct linux_entry *entry = (const void *)(buffer + at);
            const unsigned long number = strtoul(entry->name, NULL, 10);
            if (number && count < most)
                numbers[count] = (uint32_t)number;
            count += number != 0;
            at += entry->bytes;
        }
    }
    close(fd);
    return (int)count;
}

int td_proc_threads(uint32_t process, uint32_t *threads, unsigned most)
{
    char path[48];
    if (process)
        snprintf(path, sizeof path, "/proc/%u/task", process);
    else
        snprintf(path, sizeof path, "/proc/self/task");
    return list_numbers(path, threads, most);
}

int td_proc_processes(uint32_t *processes, unsigned most)
{
    return list_numbers("/proc", processes, most);
}

static uint32_t parent_of(uint32_t process)
{
    char path[48], text[512];
    uint64_t parent = 0;
    snprintf(path, sizeof path, "/proc/%u/status", process);
    return td_proc_text(path, text, sizeof text) && td_proc_status_number(text, "PPid", &parent)
               ? (uint32_t)parent
               : 0;
}

static bool has_number(const uint32_t *numbers, int count, uint32_t number)
{
    for (int i = 0; i < count; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

/* Moves those that are found to the front of the list. */
int td_proc_descendants(uint32_t process, uint32_t *processes, uint32_t *parents, unsigned most)
{
    const int all = td_proc_processes(processes, most), count = all > (int)most ? (int)most : all;
    int found = 0, before = -1;
    for (int i = 0; i < count; i++)
        parents[i] = parent_of(processes[i]);
    while (found != before) {
        before = found;
        for (int i = found; i < count; i++) {
            if (parents[i] != process && !has_number(processes, found, parents[i]))
                continue;
            const uint32_t number = processes[i], parent = parents[i];
            processes[i] = processes[found];
            parents[i] = parents[found];
            processes[found] = number;
            parents[found++] = parent;
        }
    }
    return count < 0 ? count : found;
}
