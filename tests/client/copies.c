/* A program that exports its client and loads a library with a copy of the client. The library uses functions that
 * the program itself does not call. */
#include "tracy/TracyC.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    void (*mark)(void) = NULL;
    int (*port)(void) = NULL;
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library) {
        *(void **)&mark = dlsym(library, "plugin_mark");
        *(void **)&port = dlsym(library, "plugin_port");
    }
    if (!mark || !port)
        return 1;
    TracyCZoneN(zone, "of the program", 1);
    mark();
    TracyCZoneEnd(zone);
    printf("%d %d\n", td_client_port(), port());
    for (int i = 0; i < 3; i++) /* nothing of the client ends with the library */
        free(malloc(123457));
    dlclose(library);
    TracyCMessageL("after the library");
    return 0;
}
