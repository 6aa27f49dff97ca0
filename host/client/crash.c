/* A fatal signal: the crash becomes an event, what is queued is sent, then the signal takes its course. */
#include "host/client/client.h"
#include "host/client/switches.h"

#include <signal.h>
#include <unistd.h>

#define SEND_MS 3000

static const struct {
    int signal;
    const char *text;
} fatal[] = {
    {SIGILL, "Illegal instruction (SIGILL)"},
    {SIGFPE, "Arithmetic error (SIGFPE)"},
    {SIGSEGV, "Invalid memory reference (SIGSEGV)"},
    {SIGBUS, "Bus error (SIGBUS)"},
    {SIGABRT, "Abort (SIGABRT)"},
};
#define COUNT (sizeof fatal / sizeof *fatal)

static atomic_flag crashing = ATOMIC_FLAG_INIT;
static struct td_crash crash; /* beside the queues: one of them may be what the crash interrupted */
static struct sigaction before[COUNT];
static int installed[COUNT];

static void on_fatal(int signal_number)
{
    if (!atomic_flag_test_and_set(&crashing)) {
        crash.time = (int64_t)td_client_ticks();
        crash.thread = td_client_thread_id();
        for (size_t i = 0; i < COUNT; i++)
            if (fatal[i].signal == signal_number)
                crash.text = fatal[i].text;
        crash.frames = td_stack_walk(crash.stack, TD_REC_STACK_MAX, TD_CALLER);
        td_session_crashed(&crash, SEND_MS);
    }
    /* Its default action again: a faulting instruction comes back by itself, a sent signal is sent again. */
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void td_crash_install(void)
{
    struct sigaction action = {.sa_handler = on_fatal};
    sigemptyset(&action.sa_mask);
    if (td_switch(TD_SWITCH_NO_CRASH_HANDLER) || td_client_option("TENDRIL_NO_CRASH_HANDLER", 0))
        return;
    for (size_t i = 0; i < COUNT; i++) {
        if (installed[i] || sigaction(fatal[i].signal, NULL, &before[i]) != 0 ||
            before[i].sa_handler != SIG_DFL)
            continue;
        installed[i] = sigaction(fatal[i].signal, &action, NULL) == 0;
    }
}

void td_crash_remove(void)
{
    for (size_t i = 0; i < COUNT; i++) {
        struct sigaction now;
        if (installed[i] && sigaction(fatal[i].signal, NULL, &now) == 0 && now.sa_handler == on_fatal)
            sigaction(fatal[i].signal, &before[i], NULL);
        installed[i] = 0;
    }
}
