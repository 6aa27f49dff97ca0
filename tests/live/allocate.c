/* Allocates with every function that libtendril-malloc replaces. Allocations of main() itself have 1,000,000
 * bytes or more; those of the C library have fewer. */
#include "tests/live/expect.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { M = 1000000, THREADS = 4, ROUNDS = 20000, SHORT_LIVED = 300 };

/* Sizes that cannot be allocated; volatile, because compilers warn about constants of this size. */
static volatile size_t half = SIZE_MAX / 2, too_much = PTRDIFF_MAX;

static void *keep(void *memory)
{
    static void *volatile kept;
    EXPECT(memory != NULL);
    kept = memory;
    return kept;
}

static void each_function(void)
{
    void *memory;
    keep(malloc(M + 1)); /* never freed */
    free(keep(malloc(M + 2)));
    free(keep(calloc(3, M + 3)));
    char *grown = keep(malloc(M + 4));
    strcpy(grown, "kept");
    grown = keep(realloc(grown, 2 * M + 4)); /* may move */
    EXPECT(!strcmp(grown, "kept"));
    grown = keep(realloc(grown, M + 5));
    free(grown);
    grown = keep(calloc(5, M));
    EXPECT(realloc(grown, too_much) == NULL && grown[M] == 0); /* and the old block is unchanged */
    free(grown);
    free(keep(realloc(NULL, M + 6)));
    free(keep(reallocarray(NULL, 2, M + 7)));
    errno = 0;
    EXPECT(reallocarray(NULL, half, 3) == NULL && errno == ENOMEM);
    EXPECT(calloc(half, 3) == NULL && malloc(too_much) == NULL);
    free(keep(memalign(64, M + 8)));
    free(keep(aligned_alloc(4096, 256 * 4096)));
    EXPECT(posix_memalign(&memory, 256, M + 9) == 0 && ((uintptr_t)memory & 255) == 0);
    free(keep(memory));
    EXPECT(posix_memalign(&memory, 3, 1) == EINVAL);
    free(keep(valloc(M + 10)));
    free(keep(strdup("a copy")));
    free(NULL);
    EXPECT(malloc_usable_size(NULL) == 0);
    errno = EINTR;
    free(keep(malloc(M + 11)));
    EXPECT(errno == EINTR);
}

static void *churn(void *self)
{
    void *held[64] = {NULL};
    uint32_t seed = (uint32_t)(uintptr_t)self;
    for (int i = 0; i < ROUNDS; i++) {
        seed = seed * 1664525 + 1013904223;
        void **one = &held[seed >> 26];
        size_t bytes = (seed >> 8) % 3000;
        if (seed >> 20 & 1) {
            free(*one);
            *one = malloc(bytes);
        } else {
            *one = realloc(*one, bytes + 1);
        }
        EXPECT(*one != NULL);
    }
    for (int i = 0; i < 64; i++)
        free(held[i]);
    return NULL;
}

static void *short_life(void *nothing)
{
    free(keep(malloc(100)));
    return NULL;
}

static void many_threads(void)
{
    pthread_t threads[THREADS], one;
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, churn, (void *)(i + 1));
    for (int i = 0; i < SHORT_LIVED; i++) {
        if (pthread_create(&one, NULL, short_life, NULL) != 0)
            continue;
        if (i & 1)
            pthread_detach(one);
        else
            pthread_join(one, NULL);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* Children free blocks of the parent and get the same addresses as it does: the parent's trace has none of
 * it. */
static void children(void)
{
    void *memory = keep(malloc(M + 12));
    for (int i = 0; i < 4; i++) {
        pid_t child = fork();
        if (child == 0) {
            free(memory);
            for (int n = 0; n < 10000; n++)
                free(keep(malloc(64)));
            exit(0);
        }
        int status = -1;
        EXPECT(waitpid(child, &status, 0) == child && status == 0);
    }
    free(memory);
}

int main(void)
{
    each_function();
    many_threads();
    children();
    puts("done");
    return 0;
}
