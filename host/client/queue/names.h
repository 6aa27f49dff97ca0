/* Names of threads and of the program. Any thread. */
#ifndef TD_HOST_CLIENT_QUEUE_NAMES_H
#define TD_HOST_CLIENT_QUEUE_NAMES_H
#include <stddef.h>
#include <stdint.h>

void td_client_thread_ends(uint32_t thread);
void td_client_forget_ended_threads(void); /* on demand: nobody has been told of them */
/* Threads that the program named since the last call, as many as there is room for; returns how many. */
size_t td_client_renamed_threads(uint32_t *threads, size_t room);
void td_client_program_name(char *name, size_t room);
#endif
