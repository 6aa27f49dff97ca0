/* tendril capture --daemon: records each program that announces itself into a file of its own, each by a child
 * process, `tendril capture`. So damaged data, a program that stalls or the memory of one recording cannot harm
 * the others; and if the daemon is killed, recordings continue and are saved. One thread. */
#pragma once
#include "host/base/options.h"
#include "host/tools/recording/retention.h"

struct capture_daemon_options {
    const char *folder;      /* is made if it does not exist */
    struct td_words filters; /* of names: globs, or /REGEX/; none: all */
    struct retention retention;
    int quiet;                    /* 1: print only what went wrong */
    const char *const *arguments; /* for each `tendril capture`, in addition to address and file; NULL at the
                                     end */
};

/* Runs until a signal asks it to stop, then saves all recordings. 0, or a negative enum td_e: TD_E_EXISTS:
 * another daemon uses the folder. */
int capture_daemon_run(const struct capture_daemon_options *options, struct td_err *err);
