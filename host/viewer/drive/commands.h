/* What the user, scripts and other programs can ask the viewer to do: the same commands for keys, the line
 * after `:`, --command and --listen. A command is a line of TD_VIEW_COMMANDS and a function in commands.c. */
#pragma once
#include "host/viewer/drive/request.h"

#include <stdbool.h>

struct td_view;
struct td_key_press;

/* X(name, arguments, least, most, help): `least` and `most` count the arguments; of more words than `most`, the rest
 * are joined with spaces to the last one. */
/* clang-format off */
#define TD_VIEW_COMMANDS(X)                                                                                  \
    X(goto,       "TIME",                1, 1, "move this time to the middle")                                \
    X(zoom,       "[A..B]",              0, 1, "show this range; without it: the marked range, else the selected zone") \
    X(fit,        "",                    0, 0, "show the whole trace")                                        \
    X(find,       "[NAME]",              0, 1, "search for zones by a part of their name; without it: end the search") \
    X(next,       "",                    0, 0, "select the next match of the search")                         \
    X(previous,   "",                    0, 0, "select the previous match")                                   \
    X(select,     "[TRACK TIME]",        0, 2, "select the innermost zone of a track at a time; without them: none") \
    X(open,       "PANELS",              1, 1, "open a panel, or several with commas between them")                                                \
    X(copy,       "PANEL [lines|csv|json|text]", 1, 2, "copy what a panel lists; the reply to a program has it, too") \
    X(column,     "PANEL TITLE",         2, 2, "list a column of a panel, or leave it out")                   \
    X(dock,       "PANEL left|bottom|right", 2, 2, "move a panel to another edge of the window")               \
    X(swap,       "EDGE EDGE",           2, 2, "exchange the tabs of two edges of the window: left, bottom, right")  \
    X(fill,       "PANEL",               1, 1, "let a panel fill the window, or no longer")                    \
    X(arrange,    "",                    0, 0, "put all tabs and edges of panels where they were at first")    \
    X(close,      "PANEL",               1, 1, "close a panel")                                               \
    X(limit,      "all|visible|marked",  1, 1, "choose what tables and histograms count")                     \
    X(mark,       "[A..B|selected]",     0, 1, "mark a range of time, or that of the selected zone; without it: none") \
    X(note,       "[A..B] [TEXT]",       0, 2, "add a note to a range; without it: to the marked or visible one") \
    X(notes,      "next|previous|edit",  1, 1, "go to the next or previous note; type the text of the chosen one")                             \
    X(view,       "NAME|save NAME|remove NAME", 1, 2, "show a saved view: range, search, filter and rows; save the present one; remove one") \
    X(lanes,      "[FILTER]",            0, 1, "show these lanes only; without it: all lanes and rows")       \
    X(group,      "place|kind|kernel|flat", 1, 1, "group the cores by chip and tile, by kind, by kernel, or not at all") \
    X(pin,        "ROW",                 1, 1, "keep a row, or a group and its rows, above the others")       \
    X(unpin,      "[ROW]",               0, 1, "no longer; without it: none is kept there")                   \
    X(hide,       "ROW",                 1, 1, "hide a row, or all rows of a group")                          \
    X(show,       "[ROW]",               0, 1, "show it again; without it: all rows")                         \
    X(order,      "[TRACK;TRACK...]",    0, 1, "put these tracks, or their tiles, first; without it: the order of the grid") \
    X(only,       "ROW",                 1, 1, "hide all rows but this one, or those of this group")          \
    X(move,       "ROW up|down|first|last", 2, 2, "move a row among those of its group")                      \
    X(ghosts,     "ROW on|off|auto",     2, 2, "show the sampled functions of a thread, or hide them; auto: as the setting ghosts says") \
    X(join,       "PLOT PLOT",           2, 2, "draw a plot in the row of another one")                       \
    X(split,      "PLOT",                1, 1, "give a plot a row of its own again, or all plots of its row") \
    X(collapse,   "[ROW]",               0, 1, "close a group; without it: all tiles or threads")             \
    X(expand,     "[ROW]",               0, 1, "open a group; without it: all of them")                       \
    X(compare,    "FILE|this",           1, 1, "compare with another trace, or this one with itself")         \
    X(between,    "[BEFORE] [NOW]",      0, 2, "compare ranges only: sections or notes by name, all, or A..B; without them: all") \
    X(beside,     "[FILE]",              0, 1, "show a source file as both compared traces have it; without it: the list of names again") \
    X(set,        "NAME [VALUE]",        1, 2, "choose a value of a setting of the panel options, or the next one") \
    X(runs,       "[THREAD|TRACK|process PROCESS]", 0, 1, "show the runs of a thread, by its number or track, or of a process on the processors; without it: of none") \
    X(playback,   "ACTION|FRAME",        1, 1, "play the images of the frames: play, pause, next, previous, faster, slower, size, follow, loop") \
    X(critical,   "[TRACK A..B]",        0, 2, "show what a track did or waited for in a range, over wakeups; without it: in the selected zone or wait") \
    X(memory,     "PAGE|pool|address [VALUE]", 1, 2, "show a page of the panel memory: allocations, active, map, stacks; a pool; an address") \
    X(messages,   "all|none|only TRACK|TRACK", 1, 2, "list the messages of all threads, of none, of one; of a thread, too, or no longer") \
    X(samples,    "[NAME]",              0, 1, "list the functions that were sampled in zones of this name; without it: in all") \
    X(describe,   "[TEXT]",              0, 1, "describe the trace; without it: no longer")                   \
    X(path,       "[REGEX;REPLACEMENT]", 0, 1, "say where source files are on this machine; without it: where the trace says") \
    X(frame,      "N|next|previous",     1, 1, "go to a frame of the chosen set, by its number")               \
    X(frameset,   "NAME|next|with NAME|alone", 1, 2, "choose a set of frames; show a second one in the strip above the timeline, or none") \
    X(drift,      "CONTEXT auto|NS [OFFSET]", 2, 3, "set how a GPU context's clock drifts, in ns for each s")  \
    X(symbol,     "NAME",                1, 1, "show the source and the code of a function, by its name or address") \
    X(source,     "FILE[:LINE]",         1, 1, "show a source file that the trace names, or the end of its name") \
    X(cpu,        "NAME|off",            1, 1, "what instructions cost on that processor, in the panel source")     \
    X(listing,    "FILE",                1, 1, "write what the panel source shows, or has picked, to a file") \
    X(code,       "WORD [VALUE]",        1, 2, "the panel source: bytes, registers, calls, inlined, file, att, on or off; show both, text or code; lines A..B or range A..B to pick them; at ADDRESS; callers") \
    X(sweep,      "[STEPS|stop]",        0, 1, "count the marked or visible range in steps, one after the other") \
    X(flame,      "WORD [VALUE]",        1, 2, "show the flame graph: samples, zones, tracks, together, upwards, icicle, operation, range; difference now, before or off; search, zoom, around a name; reset") \
    X(chip,       "MEASURE",             1, 1, "show the chips, coloured by busy, wait, lost, zones, longest, end, found or noc") \
    X(operation,  "N|next|previous",     1, 1, "show the operation of a launch in the panel operations, and its range") \
    X(layout,     "1|2|3|4",             1, 1, "choose a layout: Explore, Cores, Find, Record")               \
    X(focus,      "next|previous",       1, 1, "move the keyboard to the next or previous region")            \
    X(back,       "",                    0, 0, "go back to the selection and the range before")               \
    X(forward,    "",                    0, 0, "go forward again")                                            \
    X(manual,     "[PANEL]",             0, 1, "show what the manual says of a panel; without it: of the one with the keyboard") \
    X(search,     "",                    0, 0, "type what to search for")                                     \
    X(palette,    "",                    0, 0, "find commands, panels, tracks, zones and settings by a part of their names") \
    X(prompt,     "[TEXT]",              0, 1, "begin a command with this text")                              \
    X(menu,       "[NAME]",              0, 1, "open a menu: bar, panels, layouts, frames, rows, group, time; without it: that of the selected zone") \
    X(clipboard,  "TEXT",                1, 1, "copy this text")                                              \
    X(welcome,    "",                    0, 0, "open another trace, or connect to a program")                 \
    X(track,      "TRACK",               1, 1, "select a track and go to it")                                 \
    X(screenshot, "FILE.png",            1, 1, "write a picture of the window")                               \
    X(export,     "FILE.svg|pdf",        1, 1, "write the visible timeline as a drawing")                     \
    X(state,      "",                    0, 0, "report range, selection and panels, as the reply to a program") \
    X(controls,   "",                    0, 0, "report what can be clicked, and where, as the reply to a program") \
    X(frames,     "",                    0, 0, "report what the frames since the last report cost, as the reply to a program") \
    X(quit,       "[discard]",           0, 1, "close the viewer; discard: also if a session is in no file")
/* clang-format on */

struct td_view_command {
    const char *name, *arguments, *help;
    int least, most;
};

/* NULL: there are no more. */
const struct td_view_command *td_view_command_at(size_t index);
/* The command of that name, or the only one that begins so; NULL: none. */
const struct td_view_command *td_view_command_named(const char *name);
/* The error for a name that no command has. */
int td_view_command_unknown(const char *name, struct td_err *err);
/* Whether it takes so many arguments: 0, or TD_E_USAGE. */
int td_view_command_check(const struct td_view_command *command, const struct td_script_words *words,
                          struct td_err *err);

/* Does it. `result` gets the fields of a reply, and may be NULL. 0, or a negative enum td_e with the reason in
 * *err. Pictures, and the end, are left to the loop that draws (driver.h). */
int td_view_run(struct td_view *view, const struct td_script_words *words, cJSON *result, struct td_err *err);
/* The same for a line of text with one command. */
int td_view_command_line(struct td_view *view, const char *line, struct td_err *err);
/* The command of a key; false: it has none. */
bool td_view_command_key(struct td_view *view, const struct td_key_press *press);
/* The index-th value that an argument could have (0: the first); NULL: there are no more. */
const char *td_view_limit_word(size_t index); /* of the command limit; NULL: there are no more */
const char *td_view_command_value(const struct td_view *view, const char *command, size_t index);
