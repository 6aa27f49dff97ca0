/* The panel `cpus`: what the processors ran. */
#pragma once
struct td_err;
struct td_view;

/* The command `runs`: shows the runs of a thread, "1234", or of a process, "process 55", and lists them; NULL: of none.
 * TD_E_USAGE: the text is neither. */
int td_cpus_follow(struct td_view *view, const char *text, struct td_err *err);
