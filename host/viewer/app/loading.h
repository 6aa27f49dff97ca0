/* A trace file that a thread reads while the window shows what has been read.
 *
 *   open; start; loop { get_state; GROWS: read the model } until ENDED; stop reading the model; begin_finish;
 *   loop { get_state } until DONE; finish; ...; close
 *
 * The functions are for the viewer's thread. */
#pragma once
#include "host/file/load.h"

#include <stdbool.h>

struct td_loading;

/* What several pages may show: traces, each of which is read once, and pages with sessions. All zero: none yet. */
struct td_page;
struct td_loadings {
    struct td_loading *first;
    struct td_page *live; /* see page.h */
};

enum td_loading_state {
    TD_LOADING_OPENS, /* no model yet */
    TD_LOADING_GROWS, /* the model may be read */
    TD_LOADING_ENDED, /* the file was read; td_loading_begin_finish() is to be called */
    TD_LOADING_DONE,  /* the model is finished, or an error ended that; td_loading_finish() is to be called */
    TD_LOADING_FINISHED
};

/* `options` is copied, but not its text. `shared`: where others find it, or it is found; NULL: it is read for one page.
 * Each user calls the functions below as if there were no other. NULL: *err says why, such as that there is no such file. */
struct td_loading *td_loading_open(const char *path, const struct td_load_options *options,
                                   struct td_loadings *shared, struct td_err *err);
/* Starts to read, once. 0, or TD_E_IO: there is no thread. */
int td_loading_start(struct td_loading *loading, struct td_err *err);
enum td_loading_state td_loading_get_state(const struct td_loading *loading);
/* The part that was read, 0 to 1; below 0: the file's size is not known. */
double td_loading_part(const struct td_loading *loading);
/* The model: from TD_LOADING_GROWS on; valid until td_loading_close(), or until td_loading_finish() fails. */
struct td_trace *td_loading_trace(const struct td_loading *loading);
/* In TD_LOADING_ENDED, when the user reads the model no more, once: lets the thread finish it when no user does. */
void td_loading_begin_finish(struct td_loading *loading);
/* From TD_LOADING_ENDED on, when nothing reads the model: waits until it is finished. 0, or the reason why there
 * is none. */
int td_loading_finish(struct td_loading *loading, struct td_err *err);
/* The version of the file's contents. After td_loading_finish(). */
uint32_t td_loading_version(const struct td_loading *loading);
/* What is missing of a damaged file, one line; "": nothing. After td_loading_finish(). */
const char *td_loading_salvaged(const struct td_loading *loading);
/* Stops reading, and destroys the model, if there is no other user. `begun`: this user has called
 * td_loading_begin_finish(). NULL is allowed. */
void td_loading_close(struct td_loading *loading, bool begun);
