/* The question before a session is closed whose events are in no file: save, discard, cancel. */
#pragma once
#include "host/viewer/app/page.h"

enum td_closing_stage {
    TD_CLOSING_NONE,
    TD_CLOSING_ASKS,
    TD_CLOSING_NAMES, /* the file */
    TD_CLOSING_SAVES
};

struct td_closing { /* all zero: nothing is asked */
    enum td_closing_stage stage;
    bool leaves; /* the window is to be closed, not only this page */
    bool focus;  /* the field of the name gets the keyboard */
    bool agreed; /* by a key */
    char path[4096];
    char trouble[300]; /* why the file could not be written; "": nothing */
};

enum td_closing_answer { TD_CLOSING_WAITS, TD_CLOSING_CLOSE, TD_CLOSING_STAYS };

void td_closing_ask(struct td_closing *closing, bool leaves);
/* While it asks, no other part of the window gets keys. */
void td_closing_key(struct td_closing *closing, const struct td_page *page, const struct td_key_press *press);
/* Draws the question, and does what was chosen. CLOSE: the page is to be closed; STAYS: nothing is. The question
 * has ended then. */
enum td_closing_answer td_closing_draw(struct td_closing *closing, const struct td_page *page,
                                       struct td_ui *ui);
