#include "host/perf/thread_names.h"

#include <string.h>

void td_thread_names_note(struct td_thread_names *names, uint32_t thread, uint32_t process, const char *name)
{
    struct td_thread_name *entry = &names->at[thread % TD_THREAD_NAMES];
    if (!thread)
        return;
    if (entry->thread != thread)
        *entry = (struct td_thread_name){.thread = thread};
    if (process)
        entry->process = process;
    const size_t bytes = strnlen(name, sizeof entry->name - 1);
    memcpy(entry->name, name, bytes);
    entry->name[bytes] = 0;
}

const struct td_thread_name *td_thread_names_find(const struct td_thread_names *names, uint32_t thread)
{
    const struct td_thread_name *entry = &names->at[thread % TD_THREAD_NAMES];
    return thread && entry->thread == thread && entry->name[0] ? entry : NULL;
}
