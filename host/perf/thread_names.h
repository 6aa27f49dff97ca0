/* What context switches say of the threads of all programs: their names, and most of their processes. So a thread that
 * has ended has a name, where /proc has none any more. The last TD_THREAD_NAMES numbers of threads are known: systems
 * count them up. For one thread. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define TD_THREAD_NAMES      16384u
#define TD_THREAD_NAME_BYTES 16 /* of the kernel's names, with the NUL */

/* All zero at first. */
struct td_thread_names {
    struct td_thread_name {
        uint32_t thread, process; /* process 0: not known */
        char name[TD_THREAD_NAME_BYTES];
    } at[TD_THREAD_NAMES];
};
/* process 0: not known. */
void td_thread_names_note(struct td_thread_names *names, uint32_t thread, uint32_t process, const char *name);
/* NULL: the thread is not known. */
const struct td_thread_name *td_thread_names_find(const struct td_thread_names *names, uint32_t thread);
