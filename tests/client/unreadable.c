/* Names where no name can be read, or only a part of one: what a recorder asks for must not end the program.
 * Each kind of marker has each of the addresses. */
#include "tendril/client.h"
#include "tracy/TracyC.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GOOD, AT_EDGE, NO_ACCESS, PAST_END, NOT_MAPPED, NOT_CANONICAL, HIGHEST, KERNEL, COUNT };
static const char *names[COUNT];
static char blocks[COUNT];

static char *map(size_t bytes, int protection, int fd)
{
    char *at = mmap(NULL, bytes, protection, fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_PRIVATE, fd, 0);
    if (at == MAP_FAILED)
        exit(3);
    return at;
}

/* The second of two pages can be read no more. */
static char *edge(int gone)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *at = map(2 * page, PROT_READ | PROT_WRITE, -1);
    if (gone)
        munmap(at + page, page);
    else
        mprotect(at + page, page, PROT_NONE);
    return at + page;
}

static char *past_the_end_of_a_file(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char path[] = "/tmp/td_unreadable_XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0 || ftruncate(fd, 1) != 0)
        exit(3);
    unlink(path);
    char *at = map(2 * page, PROT_READ, fd);
    close(fd);
    return at + page;
}

static void find_addresses(void)
{
    names[GOOD] = "good";
    char *at_edge = edge(1) - 4;
    memcpy(at_edge, "edge", 4);
    names[AT_EDGE] = at_edge;
    names[NO_ACCESS] = edge(0);
    names[PAST_END] = past_the_end_of_a_file();
    names[NOT_MAPPED] = (const char *)16;
    names[NOT_CANONICAL] = (const char *)(UINT64_C(1) << 60 | (uintptr_t) "not canonical");
    names[HIGHEST] = (const char *)(UINTPTR_MAX - 3);
    names[KERNEL] = (const char *)UINT64_C(0xffff800000001000);
}

/* A location that is good and has a bad name, function and file; one whose own memory is bad. */
static void zones(int i)
{
    static struct ___tracy_source_location_data places[COUNT];
    places[i] = (struct ___tracy_source_location_data){names[i], names[i], names[i], 7, 0};
    TracyCZoneCtx good = ___tracy_emit_zone_begin(&places[i], 1);
    TracyCZoneCtx bad =
        ___tracy_emit_zone_begin((const struct ___tracy_source_location_data *)(uintptr_t)names[i], 1);
    ___tracy_emit_zone_end(bad);
    ___tracy_emit_zone_end(good);
}

int main(void)
{
    find_addresses();
    for (int i = 0; i < COUNT; i++) {
        zones(i);
        ___tracy_emit_messageL(names[i], 0);
        ___tracy_emit_plot(names[i], i);
        ___tracy_emit_frame_mark(names[i]);
        ___tracy_emit_frame_mark_start(names[i]);
        ___tracy_emit_frame_mark_end(names[i]);
        ___tracy_emit_memory_alloc_named(&blocks[i], 1, names[i]);
        ___tracy_fiber_enter(names[i]);
        TracyCZoneN(inside, "in a fiber", 1);
        TracyCZoneEnd(inside);
        ___tracy_fiber_leave();
    }
    TracyCMessageL("the last");
    return 0;
}
