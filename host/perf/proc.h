/* What /proc says about processes and threads. Nothing allocates. Thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The name of a thread or process of the machine ("kworker/0:1"). False: it has ended. */
bool td_proc_name(uint32_t thread, char *name, size_t room);
/* The process of a thread. 0: it has ended. */
uint32_t td_proc_process(uint32_t thread);
/* The value of a line "KEY:\tNUMBER" of the text of a file like /proc/N/status. */
bool td_proc_status_number(const char *text, const char *key, uint64_t *value);
/* Lists the threads of a process (0: the calling one), at most `most`. Returns how many there are, or -errno. */
int td_proc_threads(uint32_t process, uint32_t *threads, unsigned most);
/* Lists the processes of the machine, likewise. */
int td_proc_processes(uint32_t *processes, unsigned most);
/* Lists the processes that a process has started, and those that they have, likewise. `parents`: room for as many
 * numbers. At most `most` are returned. */
int td_proc_descendants(uint32_t process, uint32_t *processes, uint32_t *parents, unsigned most);
/* A number in a file of one line ("/proc/sys/kernel/perf_event_paranoid"). False: unreadable. */
bool td_proc_number(const char *path, int64_t *value);
/* Reads at most room - 1 bytes of the file and ends them with a NUL. False: empty or unreadable. */
bool td_proc_text(const char *path, char *text, size_t room);
