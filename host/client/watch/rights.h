/* What tendril-watch may do: it is the one program that is given more rights than its user, and it reads files and
 * memory of processes that it does not know. */
#pragma once
#include <stdbool.h>

/* Gives up every capability of the calling thread but those for observing, also for programs that it would start.
 * Called before there are threads. False: the kernel refuses; nothing has changed. */
bool td_watch_rights_keep_observing(void);
/* From here on, no thread of the process can open events, sockets or files to write, start programs or processes,
 * or change other processes: such calls fail with EPERM. False: the kernel or this build has no filters; nothing
 * has changed. */
bool td_watch_rights_only_serve(void);
