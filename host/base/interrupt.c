#include "host/base/interrupt.h"

#include <signal.h>
#include <stddef.h>

/* A signal handler can reach nothing but globals. */
static volatile int count, user_count;

static void on_signal(int number)
{
    count++;
}

static void on_user_signal(int number)
{
    user_count++;
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

const volatile int *td_user_signal_count(void)
{
    return &user_count;
}

void td_user_signal_catch(void)
{
    struct sigaction action = {.sa_handler = on_user_signal};
    sigaction(SIGUSR1, &action, NULL);
}
