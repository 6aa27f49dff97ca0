/* The processes that are observed: their threads, names and mappings of code, from /proc and from the kernel's
 * records. What a process was is known for a while after its end. For one thread. */
#pragma once
#include "host/perf/perf.h"

/* Reads what /proc has of a process and its threads, with `children` also of those that it started; 0: of all
 * processes. Others are read when they are seen. */
void td_processes_look(uint32_t process, bool children);
/* The process that is watched, with those that it starts. Its threads are named without it. */
void td_processes_set_main(uint32_t process);
/* The functions of struct td_observed. */
bool td_processes_is_watched(uint32_t process);
bool td_processes_news(const struct td_perf_record *record);
uint64_t td_processes_address(uint32_t process, uint64_t address);
void td_processes_thread_name(uint32_t thread, char *name, size_t room);
uint32_t td_processes_of(uint32_t thread, char *name, size_t room);
