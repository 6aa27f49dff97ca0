/* What a client asks about the processes that it observes, where these are others than its own: only tendril-watch
 * has such a client (host/client/watch). The functions are called by the session's thread; open() and
 * origin() by the resolver's, too. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct td_code_map;
struct td_perf_record;

struct td_observed {
    int pid;        /* the process; negative: all of the machine */
    bool children;  /* and the processes that it starts */
    uint64_t since; /* seconds since 1970: only older source files are sent */
    /* Whether the process is one of these. */
    bool (*watches)(uint32_t process);
    /* The address that the trace has for an address of a process. */
    uint64_t (*address)(uint32_t process, uint64_t address);
    /* Takes a record of kind TD_PERF_PROCESS. True: its thread has a new name. */
    bool (*news)(const struct td_perf_record *record);
    void (*thread_name)(uint32_t thread, char *name, size_t room);
    /* The thread's process and that one's name; 0: not known. */
    uint32_t (*process)(uint32_t thread, char *name, size_t room);
    int (*open)(const struct td_code_map *map); /* the mapping's file; negative: it is missing */
    /* The process that the mapping was first seen in; the trace has its addresses there plus *moved. 0: none. */
    uint32_t (*origin)(const struct td_code_map *map, uint64_t *moved);
};
/* NULL: the client's own process is observed. */
const struct td_observed *td_client_observed(void);
void td_observe(const struct td_observed *observed); /* before the client starts */
