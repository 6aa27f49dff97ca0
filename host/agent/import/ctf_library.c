#include "host/agent/import/ctf_library.h"

#include <dlfcn.h>
#include <string.h>

#define LIBRARY "libbabeltrace2.so.0"

struct td_bt_functions td_bt;

int td_ctf_library_load(struct td_err *err)
{
    const struct {
        const char *name;
        void *to;
    } functions[] = {
#define TD_X(name) {#name, &td_bt.name},
        TD_BT_FUNCTIONS(TD_X)
#undef TD_X
    };
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        return td_fail(err, TD_E_NOTFOUND, "CTF traces are read by " LIBRARY ", which is not here: %s",
                       dlerror());
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(library, functions[i].name);
        if (!found)
            return td_fail(err, TD_E_NOTFOUND, LIBRARY " has no %s", functions[i].name);
        memcpy(functions[i].to, &found, sizeof found);
    }
    return 0;
}
