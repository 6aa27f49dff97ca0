#include "host/tools/files/output.h"
#include "host/base/interrupt.h"
#include "host/base/path.h"
#include "host/base/progress_bar.h"
#include "host/file/out_claim.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

int output_open(struct output *output, unsigned how, struct td_err *err)
{
    struct td_err why = {0};
    if (output->keep)
        td_interrupt_catch();
    output->how = how;
    output->file = td_out_file_open(output->path, how, &why);
    if (output->file)
        return 0;
    return td_fail(err, why.code, "%s%s", why.text,
                   why.code == TD_E_EXISTS ? "; use -f to overwrite it" : "");
}

const char *output_folder(struct output *output)
{
    const char *slash = strrchr(output->path, '/');
    const size_t bytes = slash == output->path ? 1 : slash ? (size_t)(slash - output->path) : 0;
    if (td_out_file_is_direct(output->file) || bytes >= sizeof output->folder)
        return NULL;
    snprintf(output->folder, sizeof output->folder, "%.*s", slash ? (int)bytes : 1,
             slash ? output->path : ".");
    return output->folder;
}

void output_close(struct output *output)
{
    td_out_file_close(output->file);
    output->file = NULL;
}

/* ---- one file ---- */

struct writing {
    struct td_progress bar;
    const volatile int *interrupts;
    int keep, direct, before;
};

/* With `keep`, only writing into a pipe can be stopped, because its reader may never take all of it. */
static int step_writing(void *self, uint64_t done, uint64_t total)
{
    const struct writing *w = self;
    int stop = w->bar.step(w->bar.self, done, total);
    return w->keep ? w->direct && *w->interrupts > w->before : stop;
}

static int write_to(const struct output *output, struct td_out_file *file, const struct td_trace *trace,
                    struct td_file_options *options, struct td_err *err)
{
    char name[300];
    struct td_progress_bar bar;
    struct writing w = {
        .interrupts = td_interrupt_count(), .keep = output->keep, .direct = td_out_file_is_direct(file)};
    w.before = *w.interrupts;
    snprintf(name, sizeof name, "writing %s", td_out_file_name(file));
    if (output->keep)
        w.bar = td_progress_bar_show(&bar, name, 0);
    else
        w.bar = td_progress_bar_begin(&bar, name, 0);
    options->progress = (struct td_progress){.step = step_writing, .self = &w};
    options->file = file;
    int rc = td_file_write(trace, td_out_file_name(file), options, err);
    options->file = NULL;
    options->progress = (struct td_progress){0};
    td_progress_bar_end(&bar);
    return rc;
}

/* Writes to a file that does not exist yet. */
static int write_new(struct output *output, const char *path, unsigned how, const struct td_trace *trace,
                     struct td_file_options *options, struct td_err *err)
{
    struct td_out_file *file = td_out_file_open(path, TD_OUT_NEW | how, err);
    int rc = file ? write_to(output, file, trace, options, err) : err->code;
    td_out_file_close(file);
    if (rc == 0)
        snprintf(output->saved, sizeof output->saved, "%s", path);
    return rc;
}

/* ---- the user's choice ---- */

/* Not in the background, where reading from the terminal would suspend the process. */
static bool can_ask(void)
{
    return isatty(STDIN_FILENO) && isatty(STDERR_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
}

/* Asks the user for a path. False: no answer. */
static bool ask_for_path(const struct output *output, const char *why, char *path, size_t room)
{
    char line[4096];
    const char *home = getenv("HOME");
    fprintf(stderr, "%s: %s\nWrite the trace to which new file instead (Enter: a temporary file)? ",
            output->command, why);
    fflush(stderr);
    tcflush(STDIN_FILENO, TCIFLUSH); /* discard what was typed before the question */
    ssize_t n = read(STDIN_FILENO, line, sizeof line - 1);
    if (n <= 0)
        fputc('\n', stderr);
    if (n <= 1)
        return false;
    line[n] = 0;
    line[strcspn(line, "\n")] = 0;
    int under_home = line[0] == '~' && line[1] == '/' && home;
    return snprintf(path, room, "%s%s", under_home ? home : "", line + under_home) < (int)room;
}

/* 0: the trace is in a file that the user named. */
static int save_where_the_user_says(struct output *output, const struct td_trace *trace,
                                    struct td_file_options *options, const struct td_err *why)
{
    struct td_err last = *why;
    char path[4200];
    int rc = TD_E_IO;
    while (rc < 0 && can_ask() && ask_for_path(output, last.text, path, sizeof path)) {
        last = (struct td_err){0};
        rc = write_new(output, path, 0, trace, options, &last);
    }
    return rc;
}

/* ---- folders for temporary files ---- */

/* The name of the output file without folder and suffix. */
static void base_name_of(const struct output *output, char *name, size_t room)
{
    const char *base = td_path_name(output->path);
    base = *base && strcmp(base, "-") != 0 ? base : "trace";
    const char *dot = strrchr(base, '.');
    snprintf(name, room, "%.*s", dot && dot > base ? (int)(dot - base) : (int)strlen(base), base);
}

/* 0: the trace is in one of these folders. */
static int save_anywhere(struct output *output, const struct td_trace *trace, struct td_file_options *options)
{
    const char *folders[] = {getenv("TMPDIR"), "/tmp", "/var/tmp", getenv("HOME"), ".", "/dev/shm"};
    char name[48], letters[TD_OUT_LETTERS + 1], path[4200];
    base_name_of(output, name, sizeof name);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        struct td_err unused = {0};
        if (!folders[i] || !*folders[i] || td_out_claim_letters(letters) < 0 ||
            snprintf(path, sizeof path, "%s/tendril-%s-%s.tracy", folders[i], name, letters) >=
                (int)sizeof path)
            continue;
        if (write_new(output, path, TD_OUT_PRIVATE, trace, options, &unused) == 0)
            return 0;
    }
    return TD_E_IO;
}

/* The trace is safe elsewhere while room is made for it. 0: it is in the output. */
static int save_in_room(struct output *output, const struct td_trace *trace, struct td_file_options *options)
{
    struct td_err unused = {0};
    char elsewhere[sizeof output->saved];
    if (!output->make_room || save_anywhere(output, trace, options) < 0)
        return TD_E_IO;
    output->make_room(output->room_self);
    output->make_room = NULL;
    snprintf(elsewhere, sizeof elsewhere, "%s", output->saved);
    output->file = td_out_file_open(output->path, output->how, &unused);
    const int rc = output->file ? write_to(output, output->file, trace, options, &unused) : TD_E_IO;
    output_close(output);
    if (rc < 0)
        return rc;
    unlink(elsewhere);
    snprintf(output->saved, sizeof output->saved, "%s", output->path);
    return 0;
}

/* ---- the trace ---- */

/* Writing to another file would fail, too. */
static bool is_hopeless(int code)
{
    return code == TD_E_NOMEM || code == TD_E_USAGE || code == TD_E_LIMIT;
}

int output_write(struct output *output, const struct td_trace *trace, struct td_file_options *options,
                 struct td_err *err)
{
    struct td_err why = {0};
    int rc = write_to(output, output->file, trace, options, &why);
    if (rc == 0)
        snprintf(output->saved, sizeof output->saved, "%s", output->path);
    output_close(output);
    if (rc == 0)
        return 0;
    if (!output->keep || is_hopeless(rc))
        return td_fail(err, rc, "%s", why.text);
    if (save_in_room(output, trace, options) == 0 ||
        (!output->saved[0] && save_where_the_user_says(output, trace, options, &why) == 0))
        return 0;
    if (output->saved[0] || save_anywhere(output, trace, options) == 0)
        return td_fail(err, TD_E_IO, "the trace is saved as '%s' instead: %s", output->saved, why.text);
    return td_fail(err, rc, "%s; no other folder could take the trace, which is lost", why.text);
}
