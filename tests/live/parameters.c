/* `parameters COUNT` offers three parameters and prints each setting, until COUNT have come. With STOCK it is
 * a C++ program with Tracy's own client. */
#ifdef STOCK
#include "tracy/Tracy.hpp"
#define SETUP(index, name, type, value) TracyParameterSetup(index, name, (type) != 0, value)
#define REGISTER(callback, data)        TracyParameterRegister(callback, data)
#else
#include "tendril/client.h"
#include "tracy/TracyC.h"
#define SETUP(index, name, type, value) td_client_parameter_setup(index, name, type, value)
#define REGISTER(callback, data)        td_client_parameter_register(callback, data)
#endif

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int settings; /* changed by the client's thread */

static void set(void *data, uint32_t index, int32_t value)
{
    printf("%s %u %d\n", (const char *)data, index, value);
    fflush(stdout);
    __atomic_add_fetch(&settings, 1, __ATOMIC_RELEASE);
}

int main(int argc, char **argv)
{
    static char data[] = "set";
    int wanted = argc > 1 ? atoi(argv[1]) : 0;
    REGISTER(set, data);
    SETUP(0, "speed", 0, 42);
    SETUP(1, "verbose", 1, 0);
    SETUP(7, "a=b go", 2, 0);
    for (int i = 0; i < 2000 && __atomic_load_n(&settings, __ATOMIC_ACQUIRE) < wanted; i++)
        usleep(10000);
    return __atomic_load_n(&settings, __ATOMIC_ACQUIRE) != wanted;
}
