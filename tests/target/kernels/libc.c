/* newlib on a core without a heap. */
#include "tendril/tendril.h"
#include "tests/target/kernels/test_regs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void deep(int depth)
{
    ZoneScopedN("deep");
    if (depth == 0)
        exit(3);
    if (depth > 0)
        deep(depth - 1);
}

int main(void)
{
    char text[40];
    volatile size_t bytes = 10;
    void *block = malloc(bytes);
    TEST_NOTE = block == NULL && errno == ENOMEM;
    snprintf(text, sizeof text, "%s %05d %c", "abc", 42, 'z');
    TEST_NOTE = strcmp(text, "abc 00042 z") == 0;
    TEST_NOTE = fopen("/nothing", "r") == NULL;
    puts("puts");
    fprintf(stderr, "stderr %u\n", 4000000000u);
    write(1, "one", 3);
    write(1, " line\n", 6);
    for (int i = 0; i < 200; i++)
        putchar('a' + i % 26);
    putchar('\n');
    deep(3);
    return 0;
}
