/* A fatal signal: the crash becomes an event, what is queued is sent, then the signal takes its course. */
#ifndef TRACY_ENABLE
#define TRACY_ENABLE
#endif
#include "host/client/client.h"
#include "host/base/clock.h"

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

/* A full block would mean locks and malloc, which may be what crashed: then the report is left out. */
static void report(const char *text)
{
    struct td_producer *mine = &td_producer;
    if (mine->end - mine->cur < 2)
        return;
    struct td_rec *rec = mine->cur;
    rec[0].kind = TD_ITEM_CrashReport;
    rec[0].bytes = 0;
    rec[0].time = (int64_t)td_host_ticks();
    rec[0].a = (uintptr_t)text;
    rec[1] = rec[0];
    rec[1].kind = TD_ITEM_Crash;
    td_queue_publish(mine, rec + 2);
}

static void on_fatal(int signal_number)
{
    if (!atomic_flag_test_and_set(&crashing)) {
        for (size_t i = 0; i < COUNT; i++)
            if (fatal[i].signal == signal_number)
                report(fatal[i].text);
        td_session_crashed(SEND_MS);
    }
    /* Its default action again: a faulting instruction comes back by itself, a sent signal is sent again. */
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void td_crash_install(void)
{
    struct sigaction action = {.sa_handler = on_fatal};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < COUNT; i++) {
        struct sigaction before;
        if (sigaction(fatal[i].signal, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(fatal[i].signal, &action, NULL);
    }
}
