#include "host/client/symbols/jit_names.h"
#include "host/base/clock.h"
#include "host/client/platform/pool.h"
#include "host/perf/proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOK_NS 200000000 /* between two looks at a file */

static const struct td_perf_host memory = {td_pool_alloc, td_pool_free};

void td_jit_names_free(struct td_jit_names *names)
{
    for (unsigned i = 0; i < TD_JIT_PROCESSES; i++)
        td_functions_destroy(names->at[i].functions);
    *names = (struct td_jit_names){.next = 0};
}

/* The process's number as it sees it itself: in a container that is the last one. */
static uint32_t own_number(uint32_t process)
{
    char path[48], text[2048];
    snprintf(path, sizeof path, "/proc/%u/status", process);
    const char *line = td_proc_text(path, text, sizeof text) ? strstr(text, "\nNSpid:") : NULL;
    uint32_t number = process;
    for (const char *at = line ? line + sizeof "\nNSpid:" - 1 : "\n"; *at == '\t' || *at == ' ';) {
        char *end;
        const unsigned long value = strtoul(at, &end, 10);
        number = end != at && value ? (uint32_t)value : number;
        at = end != at ? end : "\n";
    }
    return number;
}

static void look_at(struct td_jit_process *entry)
{
    char paths[2][64], proc[32];
    struct stat st;
    snprintf(proc, sizeof proc, "/proc/%u", entry->process);
    const uint32_t user = stat(proc, &st) == 0 ? st.st_uid : geteuid();
    snprintf(paths[0], sizeof paths[0], "%s/root/tmp/perf-%u.map", proc, own_number(entry->process));
    snprintf(paths[1], sizeof paths[1], "/tmp/perf-%u.map",
             entry->process); /* it stays after the process's end */
    entry->looked_ns = td_mono_ns();
    for (int i = 0; i < 2; i++) {
        struct td_functions *functions = td_functions_of_jit(&memory, paths[i], user, &entry->bytes);
        if (!functions)
            continue;
        td_functions_destroy(entry->functions);
        entry->functions = functions;
        return;
    }
}

static struct td_jit_process *entry_of(struct td_jit_names *names, uint32_t process)
{
    for (unsigned i = 0; i < TD_JIT_PROCESSES; i++)
        if (names->at[i].process == process)
            return &names->at[i];
    struct td_jit_process *entry = &names->at[names->next++ % TD_JIT_PROCESSES];
    td_functions_destroy(entry->functions);
    *entry = (struct td_jit_process){.process = process};
    look_at(entry);
    return entry;
}

bool td_jit_names_find(struct td_jit_names *names, uint32_t process, uint64_t address,
                       struct td_function *function)
{
    struct td_jit_process *entry = entry_of(names, process);
    if (entry->functions && td_functions_find(entry->functions, address, function))
        return true;
    if (td_mono_ns() - entry->looked_ns < LOOK_NS)
        return false;
    look_at(entry);
    return entry->functions && td_functions_find(entry->functions, address, function);
}
