/* Commands of programs while the window shows no trace: on the welcome page, or where a trace could not be read. For
 * the loop that draws. */
#pragma once
#include <stdbool.h>

struct td_requests;
struct td_ui;

struct td_bare {
    struct td_ui *ui;
    void (*draw)(void *self); /* a frame */
    void *self;
    bool quit, discards; /* what clients ask for */
};

/* Answers each request: state, screenshot and quit do what they do with a trace, the others are errors. True: a frame
 * is to be drawn. */
bool td_bare_step(struct td_bare *bare, const struct td_requests *requests);
