/* What panels and commands want of the window around a view, and of the loop that draws (drive/driver.h). */
#pragma once
#include <stdbool.h>

enum td_wish {
    TD_WISH_NONE,
    TD_WISH_OPEN,  /* the welcome page */
    TD_WISH_CLOSE, /* this page, after a question if it is not saved */
    TD_WISH_RECONNECT,
    TD_WISH_SCALE,   /* another scale, among the settings */
    TD_WISH_SETTINGS /* the settings were changed: use and keep them */
};

struct td_wishes { /* all zero: none */
    enum td_wish page;
    char *png, *drawing; /* files to write; NULL: none */
    bool quit;
    bool discards; /* the end asks no question about sessions that are in no file */
};
