/* Names of threads and of the program. tendril/client.h has the functions that set them. Thread-safe. A
 * thread's name is the one that the program gave it, else the system's, which is taken when the thread
 * ends. */
#pragma once
#include <stddef.h>
#include <stdint.h>

void td_client_thread_ends(uint32_t thread);
void td_client_forget_ended_threads(void); /* on demand: their events are of before the connection */
/* Stores the ids of threads that were named since the last call, at most `room`; returns their number. */
size_t td_client_renamed_threads(uint32_t *threads, size_t room);
void td_client_program_name(char *name, size_t room); /* ends with a NUL, cut to `room` */
