/* The file dialog of the desktop, as a program of its own (zenity or kdialog), so that the window goes on meanwhile. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct td_file_dialog { /* all zero: not open */
    pid_t pid;          /* 0: it is not open */
    int from;           /* what it prints */
    char text[4096];
    size_t used;
};

/* False: there is none, such as without a display. An open one stays. */
bool td_file_dialog_open(struct td_file_dialog *dialog);
/* True: the user has chosen a file, which is in `text`. To be called some times a second; waits for nothing. */
bool td_file_dialog_step(struct td_file_dialog *dialog);
/* Ends it. */
void td_file_dialog_close(struct td_file_dialog *dialog);
