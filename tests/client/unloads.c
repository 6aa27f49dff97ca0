/* A program that loads libraries with markers and unloads them again: client_unloads MODE COUNT LIBRARY...
 * Each library marks COUNT times. Prints the address of each.
 *   plain   one after the other
 *   slow    the same with a pause after each, so that what was marked is sent before the next
 *   busy    while two threads mark all the time
 *   exit    the last one is unloaded at the program's end
 *   stay    unloads none of them
 *   fork    then once more in a child with a session of its own, at the port in $CHILD_PORT
 *   demand  then, once a peer is connected, the second half of them again */
#include "tests/client/forked.h"
#include "tracy/TracyC.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int over;
static void *last_library;

static void *mark_on(void *nothing)
{
    while (!atomic_load(&over)) {
        TracyCZoneN(zone, "busy", 1);
        TracyCMessageL("busy");
        TracyCZoneEnd(zone);
        usleep(50);
    }
    return nothing;
}

static void unload_last(void)
{
    if (last_library)
        dlclose(last_library);
}

/* For GPU zones of the libraries. */
static void begin_context(void)
{
    ___tracy_emit_gpu_new_context_serial((struct ___tracy_gpu_new_context_data){0, 1, 9, 0, 2});
}

static void *run(const char *path, int count)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void (*mark)(int) = NULL;
    if (library)
        *(void **)&mark = dlsym(library, "plugin_mark");
    if (!mark) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    Dl_info info;
    if (dladdr(*(void **)&mark, &info))
        printf("%p\n", info.dli_fbase);
    mark(count);
    return library;
}

static void run_all(const char *mode, int count, char **paths)
{
    for (; *paths; paths++) {
        void *library = run(*paths, count);
        if (!strcmp(mode, "exit") && !paths[1])
            last_library = library;
        else if (strcmp(mode, "stay") != 0)
            dlclose(library);
        if (!strcmp(mode, "slow"))
            usleep(30000);
    }
    fflush(stdout);
}

static int child(int count, char **paths)
{
    run_all("plain", count, paths);
    pid_t pid = fork();
    if (pid == 0) {
        is_child = 1;
        setenv("TRACY_PORT", getenv("CHILD_PORT"), 1);
        ___tracy_startup_profiler();
        begin_context();
        run_all("plain", count, paths);
        exit(td_client_wait_connected(20000) ? 0 : 1);
    }
    int status;
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    const char *mode = argv[1];
    int count = atoi(argv[2]);
    pthread_t threads[2];
    int busy = !strcmp(mode, "busy");
    begin_context();
    atexit(unload_last);
    for (int i = 0; busy && i < 2; i++)
        pthread_create(&threads[i], NULL, mark_on, NULL);
    if (!strcmp(mode, "fork"))
        return child(count, argv + 3);
    run_all(mode, count, argv + 3);
    atomic_store(&over, 1);
    for (int i = 0; busy && i < 2; i++)
        pthread_join(threads[i], NULL);
    if (!strcmp(mode, "demand")) {
        if (!td_client_wait_connected(20000))
            return 3;
        run_all(mode, count, argv + 3 + (argc - 3) / 2);
    }
    return 0;
}
