#include "host/base/interrupt.h"

#include <signal.h>
#include <stddef.h>

/* A signal handler can reach nothing but globals. */
static volatile int count;

static void on_signal(int number)
{
    count++;
}

const volatile int *td_interrupt_count(void)
{
    return &count;
}

void td_interrupt_catch(void)
{
    struct sigaction action = {.sa_handler = on_signal}, before;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}
