/* How much memory our code holds; for programs that are linked with heap.c and --wrap. What a library gives
 * and we free (strdup) is counted out only. */
#ifndef TD_TESTS_FILE_HEAP_H
#define TD_TESTS_FILE_HEAP_H

struct heap {
    long before;
};

void heap_begin(struct heap *heap);
/* The most that was held at once since then, and all that was touched of large blocks that are freed again.
 */
long heap_held(const struct heap *heap);
#endif
