/* The welcome page: opens a file by its path or from the recent ones, and connects to a program by its
 * address, from the addresses of before, or from those that announce themselves in the network. */
#pragma once
#include "host/viewer/app/recent.h"
#include "host/viewer/ui/imgui_shim.h"

struct td_welcome;

/* What the user wants; `text` is a path or host. */
struct td_welcome_choice {
    enum { TD_WELCOME_NOTHING, TD_WELCOME_OPEN, TD_WELCOME_CONNECT } what;
    char text[TD_RECENT_BYTES];
    int port;
};

/* `port`: of programs, and where announcements arrive; 0: 8086. NULL: no memory. */
struct td_welcome *td_welcome_create(int port);
void td_welcome_destroy(struct td_welcome *welcome); /* NULL is allowed */
/* Reads the lists anew, and gives the field of the path the keyboard. */
void td_welcome_enter(struct td_welcome *welcome);
/* The trouble with the last choice; "": none. */
void td_welcome_tell(struct td_welcome *welcome, const char *trouble);
/* Takes announcements; to be called some times a second. True: the lists have changed. */
bool td_welcome_step(struct td_welcome *welcome);
/* Takes keys and draws, below `inset`. */
void td_welcome_draw(struct td_welcome *welcome, struct td_ui *ui, float inset,
                     struct td_welcome_choice *choice);
