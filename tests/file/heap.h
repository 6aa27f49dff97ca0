/* How much memory our code holds; for programs that are linked with heap.c and --wrap. What a library
 * gives and we free (strdup) is counted out only. */
#ifndef TD_TESTS_FILE_HEAP_H
#define TD_TESTS_FILE_HEAP_H

long heap_used(void);
/* The most that was held since the last call. */
long heap_peak(void);
#endif
