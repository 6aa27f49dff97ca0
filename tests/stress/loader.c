/* Loads a library that contains the whole client, marks and unloads it, again and again. Links no client.
 * Usage: stress_loader LIBRARY ROUNDS WAIT_MS DEPTH */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return found;
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    for (int i = 0; i < atoi(argv[2]); i++) {
        void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        void (*mark)(int, int);
        int (*wait_connected)(int);
        *(void **)&mark = symbol(library, "plugin_mark");
        *(void **)&wait_connected = symbol(library, "plugin_wait_connected");
        int wait_ms = atoi(argv[3]);
        if (wait_ms && !wait_connected(wait_ms))
            return 3;
        mark(100, atoi(argv[4]));
        if (dlclose(library) != 0)
            return 4;
    }
    return 0;
}
