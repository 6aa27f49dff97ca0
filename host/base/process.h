/* This process and others of this machine. Thread-safe. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True: no process of this number exists, or it is a zombie. */
bool td_process_gone(uint32_t pid);
/* How long the process has existed, by a clock that nobody sets; -1: unknown. */
int64_t td_process_age_ns(uint32_t pid);
/* The number of the process's parent; 0: unknown. */
uint32_t td_process_parent(uint32_t pid);
/* Writes the id of this machine's boot; "": unknown. */
void td_process_boot(char *to, size_t bytes);
/* A hash of this machine's boot and of this process's PID namespace: processes with the same value see the
 * same process numbers. Never 0. */
uint32_t td_process_machine(void);
/* Writes the folder of this process's program, without a slash at its end. False: unknown, or too long. */
bool td_process_folder(char *folder, size_t bytes);
/* A file or folder that is found by its place, next to the program or to the file `from` (NULL: the program), may
 * be used: it is there, and belongs to the user, to root, or to the owner of that file. In a folder such as /tmp,
 * another user may have put it there. */
bool td_process_trusts(const char *path, const char *from);
/* Writes the path of a file or folder that is at `name` from the program's folder. False: the path is too long, what is
 * there may not be used, or access() does not allow `rights`. */
bool td_process_find(const char *name, int rights, char *path, size_t bytes);
/* Bytes of this process that are in memory, and the peak of these (either pointer may be NULL). 0:
 * unknown. */
void td_process_memory(uint64_t *resident, uint64_t *peak);
