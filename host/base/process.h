/* Other processes of this machine. Thread-safe. */
#ifndef TD_HOST_BASE_PROCESS_H
#define TD_HOST_BASE_PROCESS_H
#include <stddef.h>
#include <stdint.h>

/* 1 if no process of this number runs: none is there, or it is dead and waits to be collected. */
int td_process_gone(uint32_t pid);
/* A number of this machine since it was started, and of the process numbers that count here (containers have
 * their own). Never 0. */
uint32_t td_process_machine(void);
/* The folder of this process's program, without a slash at its end: 1; 0: it cannot be told, or is too long.
 */
int td_process_folder(char *folder, size_t bytes);
/* Bytes of this process that are in memory, and the most that were (either may be NULL); 0: not known. */
void td_process_memory(uint64_t *resident, uint64_t *peak);
#endif
