/* What the files of client_space.h share: client_space.c has the processes of a trace, their threads and names,
 * client_space_rows.c changes the numbers and names in rows. */
#pragma once
#include "host/agent/client/client_space.h"
#include "host/event/map.h"

#define TD_SPACE_NUMBERS     4096u /* processes have numbers modulo this one in ids and addresses */
#define TD_SPACE_LABEL_BYTES 80

struct td_client_machine {
    char name[160];
    const struct td_client_space *reporter[TD_CLIENT_REPORTS];
    struct td_client_space *observer; /* NULL: none */
    bool has_base;
    uint32_t cpu_base;
};

struct td_client_spaces {
    struct td_dict *dict;
    struct td_client_space **all;
    size_t count, capacity;
    size_t marking; /* how many of them are no observers */
    struct td_client_machine **machines;
    size_t machine_count, machine_capacity;
    struct td_map threads; /* id in the trace -> 1 + number of the process */
    struct td_map locks;   /* ids in the trace */
    struct td_map names;   /* hash of a program's name -> the last number in a label */
    uint32_t next_lock, next_category;
    uint32_t cpu_end; /* 1 + the greatest number of a processor so far */
    struct td_client_serials serials;
    uint32_t code_count; /* address spaces of boards' kernels */
};

struct td_client_space {
    struct td_client_spaces *spaces;
    struct td_client_machine *machine;
    uint32_t number;
    bool is_apart; /* some numbers differ from the process's own */
    bool is_first; /* of those that are no observers: its names are the process's own */
    bool observes;
    char label[TD_SPACE_LABEL_BYTES];
    struct td_map threads; /* id of the process -> index in `thread_ids` */
    uint64_t *thread_ids;
    size_t thread_count, thread_capacity;
    struct td_map categories;
    uint32_t *tracks; /* of threads and fibers, while it is the only process */
    size_t track_count, track_capacity;
    struct td_map has_track;
    uint32_t base_set; /* 1 + its number; 0: not made yet */
};

/* Is `id`, of the trace, a thread of this process? */
bool td_client_space_owns(const struct td_client_space *space, uint64_t id);
/* "LABEL: name"; the name itself while there is one process. An observer names threads with their process.
 * UINT32_MAX: no memory. */
uint32_t td_client_space_label_before(const struct td_client_space *space, struct td_dict *dict,
                                      uint32_t string);
