/* Writes the trace of a live session to a file, in a thread. A trace that still grows is copied first: the file
 * has what had arrived when the copy was made. For the viewer's thread. */
#pragma once
#include "host/agent/client/session_facts.h"
#include "host/file/file.h"

struct td_save_options {
    char path[4096];
    enum td_file_packing packing;
    int level;    /* of Zstd; 0: the default */
    bool replace; /* an older file of that name */
};

struct td_saving;

enum td_saving_state {
    TD_SAVING_COPIES, /* the trace must not be finished yet */
    TD_SAVING_WRITES,
    TD_SAVING_DONE,
    TD_SAVING_FAILED
};

/* `trace`: finished, or filled by another thread. It must stay until td_saving_close(). NULL: *err says why. */
struct td_saving *td_saving_start(const struct td_trace *trace, const struct td_session_facts *facts,
                                  const struct td_save_options *options, struct td_err *err);
enum td_saving_state td_saving_get_state(const struct td_saving *saving);
/* 0 to 1. */
double td_saving_part(const struct td_saving *saving);
/* In TD_SAVING_DONE and TD_SAVING_FAILED: a line for the user. */
const char *td_saving_text(const struct td_saving *saving);
/* Stops writing, and waits for the thread. NULL is allowed. */
void td_saving_close(struct td_saving *saving);
