/* Menus: of the right button, of the button in the bar, and those that are parts of them. An entry is a line of commands
 * (drive/commands.h), so that it does what a key or a script does. A menu is made here; the panel `menu` draws it, and
 * does the commands. */
#pragma once
#include "host/query/sums/marks.h"

#include <stdbool.h>

struct td_view;

#define TD_MENU_ENTRIES 80
#define TD_MENU_TEXT    120
#define TD_MENU_LINE    500

struct td_menu_entry {
    char text[TD_MENU_TEXT];
    const char *keys;        /* that do the same; NULL: none */
    char line[TD_MENU_LINE]; /* "": a heading */
    enum { TD_MENU_PLAIN, TD_MENU_OFF, TD_MENU_ON } mark;
    bool separated; /* a line above it */
    bool on_zone;   /* the menu's zone is selected first */
    bool opens;     /* a menu in the place of this one */
};

struct td_menu {             /* the state of the panel `menu`; all zero: closed */
    float x, y;              /* its corner, if it fits there */
    float left, top, column; /* as it was drawn: its corner, and the width of a column */
    int rows;                /* of a column */
    int count, chosen;       /* chosen: entry at the mouse or the keyboard; -1: none */
    float mouse_x, mouse_y;  /* where the mouse was when an entry was chosen last */
    bool separates;          /* the next entry gets a line above it */
    struct td_zone_ref zone; /* that entries are about */
    struct td_menu_entry entries[TD_MENU_ENTRIES];
};

/* Opens an empty menu with its corner at the place. */
struct td_menu *td_menu_begin(struct td_view *view, float x, float y);
void td_menu_head(struct td_menu *menu, const char *text);
void td_menu_separate(struct td_menu *menu);
/* Adds an entry whose line is of printf()'s kind. NULL: there is no room; it is left out. */
struct td_menu_entry *td_menu_add(struct td_menu *menu, const char *text, const char *keys, const char *line,
                                  ...) __attribute__((format(printf, 4, 5)));
/* The text as one word of a command. Returns `to`. */
#define TD_MENU_WORD 420
const char *td_menu_word(char to[TD_MENU_WORD], const char *text);

/* What is under the mouse in the timeline, at the mouse: a zone, a row, a marked range, or the timeline itself. */
void td_menu_at_mouse(struct td_view *view);
/* Of the selected zone, else of the timeline: for the keyboard. */
void td_menu_of_choice(struct td_view *view);
/* The menus that have a name: NULL: there are no more. */
const char *td_menu_name(int index);
/* Adds the entries of the index-th of them. */
void td_menu_fill(struct td_view *view, int index, struct td_menu *menu);
/* Shows the menu of that name where the last one was; false: there is none of that name. */
bool td_menu_show(struct td_view *view, const char *name);
/* The menu of the button in the bar. */
void td_menu_of_bar(struct td_view *view, float x, float y);
