/* How much memory our code holds, in programs that are linked with heap.c and --wrap. Blocks that a library
 * allocates and we free (strdup) are only subtracted. */
#pragma once

struct heap {
    long before;
};

void heap_begin(struct heap *heap);
/* The most bytes held at once since heap_begin(), plus all touched bytes of large blocks that were freed
 * since. */
long heap_held(const struct heap *heap);
