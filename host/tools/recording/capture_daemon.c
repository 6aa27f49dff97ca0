#include "host/tools/recording/capture_daemon.h"
#include "host/agent/child.h"
#include "host/agent/client/announced_clients.h"
#include "host/base/clock.h"
#include "host/base/config.h"
#include "host/base/interrupt.h"
#include "host/base/path.h"
#include "host/base/plain_text.h"
#include "host/base/regex.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOCK_NAME       ".tendril-capture.lock"
#define CAPTURES_MAX    64    /* at a time */
#define STEP_MS         100   /* between looks at the children */
#define GRACE_MS        250   /* for the recorder that started the program, which connects at once */
#define RETENTION_MS    60000 /* between looks at the folder */
#define RETRY_MS        5000  /* after the first recording that failed; doubles up to RETRY_MAX_MS */
#define RETRY_MAX_MS    300000
#define FORGET_MS       60000 /* after a program was last heard or recorded */
#define ARGUMENTS_MAX   200
#define EXIT_VERSION    1 /* of `tendril capture` */
#define EXIT_NO_PROGRAM 3

/* A program that is recorded, was recorded, or is to be recorded. */
struct seen_program {
    uint32_t ipv4;
    uint16_t port;
    uint64_t pid;
    int64_t started_s; /* by its announcement, in the daemon's clock */
    char name[64], host[TD_ANNOUNCED_HOST];
    int64_t heard_ms, not_before_ms;
    int64_t retry_ms;
    bool done; /* recorded, or it cannot be */
    struct td_child child;
    char *path;
};

struct capture_daemon {
    const struct capture_daemon_options *options;
    struct td_announced_list *announced;
    struct td_regex *regexes[TD_WORDS_MAX]; /* by filter; NULL: a glob */
    char program[4096];                     /* tendril */
    int lock;
    struct seen_program *seen[TD_ANNOUNCED_MAX];
    size_t seen_count, capture_count;
    bool is_full;    /* it was reported that there are CAPTURES_MAX */
    char kept[4096]; /* it was reported that this file stays */
};

/* ---- which programs ---- */

static int compile_filters(struct capture_daemon *d, struct td_err *err)
{
    const struct td_words *filters = &d->options->filters;
    for (size_t i = 0; i < filters->count; i++) {
        const char *filter = filters->words[i];
        size_t n = strlen(filter);
        if (n < 2 || filter[0] != '/' || filter[n - 1] != '/')
            continue;
        char *pattern = strndup(filter + 1, n - 2);
        int rc = pattern ? td_regex_compile(pattern, &d->regexes[i], err) : td_fail_no_memory(err, NULL);
        free(pattern);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static bool has_match(const struct td_regex *regex, const char *name)
{
    char *replaced = NULL;
    int rc = td_regex_replace(regex, name, "", &replaced);
    free(replaced);
    return rc == 1;
}

static bool is_wanted(const struct capture_daemon *d, const char *name)
{
    const struct td_words *filters = &d->options->filters;
    for (size_t i = 0; i < filters->count; i++)
        if (d->regexes[i] ? has_match(d->regexes[i], name) : fnmatch(filters->words[i], name, 0) == 0)
            return true;
    return filters->count == 0;
}

/* ---- the programs seen ---- */

/* Two announcements are of one process if they agree in its number and nearly in its start. */
static bool is_same_process(const struct seen_program *p, const struct td_announced_client *c)
{
    int64_t started_s = c->heard_ms / 1000 - c->active_s, apart = started_s - p->started_s;
    return p->ipv4 == c->ipv4 && p->port == c->port && p->pid == c->pid && apart >= -5 && apart <= 5 &&
           !strcmp(p->name, c->program);
}

static struct seen_program *find_program(const struct capture_daemon *d, const struct td_announced_client *c)
{
    for (size_t i = 0; i < d->seen_count; i++)
        if (is_same_process(d->seen[i], c))
            return d->seen[i];
    return NULL;
}

static void free_program(struct seen_program *p)
{
    free(p->path);
    free(p);
}

static struct seen_program *add_program(struct capture_daemon *d, const struct td_announced_client *c)
{
    if (d->seen_count == sizeof d->seen / sizeof *d->seen)
        return NULL; /* until others are forgotten */
    struct seen_program *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->ipv4 = c->ipv4;
    p->port = c->port;
    p->pid = c->pid;
    p->started_s = c->heard_ms / 1000 - c->active_s;
    p->not_before_ms = c->begin_ms + GRACE_MS;
    memcpy(p->name, c->program, sizeof p->name);
    memcpy(p->host, c->host, sizeof p->host);
    d->seen[d->seen_count++] = p;
    return p;
}

static void forget_programs(struct capture_daemon *d, int64_t now_ms)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->seen_count; i++) {
        struct seen_program *p = d->seen[i];
        if (p->child.pid || now_ms - p->heard_ms <= FORGET_MS)
            d->seen[kept++] = p;
        else
            free_program(p);
    }
    d->seen_count = kept;
}

/* ---- recordings ---- */

__attribute__((format(printf, 2, 3))) static void print_event(const struct capture_daemon *d,
                                                              const char *format, ...)
{
    char text[1000];
    va_list args;
    if (d->options->quiet)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    puts(TD_PLAIN(text));
    fflush(stdout);
}

static void start_capture(struct capture_daemon *d, struct seen_program *p, int64_t now_ms)
{
    char port[8];
    const char *argv[ARGUMENTS_MAX + 16];
    size_t n = 0;
    struct td_err err = {0};
    if (retention_file_name(d->options->folder, p->name, p->pid, &p->path, &err) < 0)
        return;
    snprintf(port, sizeof port, "%u", p->port);
    argv[n++] = d->program;
    argv[n++] = "capture";
    argv[n++] = "--quiet";
    argv[n++] = "--wait=10";
    argv[n++] = "-a";
    argv[n++] = p->host;
    argv[n++] = "-p";
    argv[n++] = port;
    argv[n++] = "-o";
    argv[n++] = p->path;
    for (const char *const *more = d->options->arguments; *more && n < ARGUMENTS_MAX; more++)
        argv[n++] = *more;
    argv[n] = NULL;
    static const char *const env[] = {TD_CONFIG_VARIABLE "=none", NULL}; /* options are in argv */
    if (td_child_start(&p->child, (char *const *)argv, env, 1, &err) < 0) {
        fprintf(stderr, "tendril capture: %s\n", err.text);
        p->not_before_ms = now_ms + RETRY_MS;
        return;
    }
    d->capture_count++;
    print_event(d, "recording %s (process %llu at %s:%u) to %s", p->name, (unsigned long long)p->pid, p->host,
                p->port, p->path);
}

/* Its own error line, if any, is on standard error already. */
static void end_capture(struct capture_daemon *d, struct seen_program *p, int64_t now_ms)
{
    struct stat st;
    char how[100];
    d->capture_count--;
    d->is_full = false;
    p->heard_ms = now_ms;
    bool saved = stat(p->path, &st) == 0;
    int code = WIFEXITED(p->child.status) ? WEXITSTATUS(p->child.status) : -1;
    p->done = saved || code == EXIT_VERSION;
    if (saved)
        print_event(d, "saved %s: %.1f MB", p->path, (double)st.st_size / 1e6);
    else if (td_child_has_failed(&p->child, how, sizeof how) && code > EXIT_NO_PROGRAM)
        fprintf(stderr, "tendril capture: %s is not recorded: the recorder %s\n", TD_PLAIN(p->name), how);
    p->retry_ms = p->retry_ms ? 2 * p->retry_ms : RETRY_MS;
    if (p->retry_ms > RETRY_MAX_MS)
        p->retry_ms = RETRY_MAX_MS;
    p->not_before_ms = now_ms + p->retry_ms;
    p->child = (struct td_child){0};
    free(p->path);
    p->path = NULL;
}

/* True: a recording has ended. */
static bool look_at_captures(struct capture_daemon *d, int64_t now_ms)
{
    bool ended = false;
    for (size_t i = 0; i < d->seen_count; i++)
        if (d->seen[i]->child.pid && !td_child_is_running(&d->seen[i]->child)) {
            end_capture(d, d->seen[i], now_ms);
            ended = true;
        }
    return ended;
}

static void start_captures(struct capture_daemon *d, int64_t now_ms)
{
    for (size_t i = 0; i < td_announced_count(d->announced); i++) {
        const struct td_announced_client *c = td_announced_at(d->announced, i);
        struct seen_program *p = find_program(d, c);
        if (!p && is_wanted(d, c->program))
            p = add_program(d, c);
        if (!p)
            continue;
        p->heard_ms = now_ms;
        if (p->done || p->child.pid || now_ms < p->not_before_ms)
            continue;
        if (d->capture_count < CAPTURES_MAX)
            start_capture(d, p, now_ms);
        else if (!d->is_full)
            fprintf(stderr, "tendril capture: %d programs are recorded; further ones wait\n", CAPTURES_MAX);
        d->is_full = d->capture_count == CAPTURES_MAX;
    }
}

/* ---- the folder ---- */

static bool is_being_written(void *self, const char *path)
{
    const struct capture_daemon *d = self;
    for (size_t i = 0; i < d->seen_count; i++)
        if (d->seen[i]->path && !strcmp(d->seen[i]->path, path))
            return true;
    return false;
}

static void print_deleted(void *self, const char *path)
{
    print_event(self, "deleted %s", path);
}

/* Once for each file. */
static void print_kept(void *self, const char *path, uint64_t bytes)
{
    struct capture_daemon *d = self;
    if (!strcmp(d->kept, path))
        return;
    snprintf(d->kept, sizeof d->kept, "%s", path);
    fprintf(
        stderr,
        "tendril capture: %s stays, because it is the newest trace; with its %.1f MB, the files take more "
        "than --keep-size\n",
        TD_PLAIN(path), (double)bytes / 1e6);
}

static int open_folder(struct capture_daemon *d, struct td_err *err)
{
    char path[4096];
    if (td_folder_make(d->options->folder, err) < 0)
        return err->code;
    int n = snprintf(path, sizeof path, "%s/" LOCK_NAME, d->options->folder);
    if (n < 0 || (size_t)n >= sizeof path)
        return td_fail(err, TD_E_USAGE, "the path of the folder is too long");
    d->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (d->lock < 0)
        return td_fail_errno(err, "cannot write to %s", d->options->folder);
    if (flock(d->lock, LOCK_EX | LOCK_NB) != 0)
        return td_fail(err, TD_E_EXISTS, "another `tendril capture --daemon` uses %s", d->options->folder);
    return 0;
}

/* ---- the loop ---- */

static int run_loop(struct capture_daemon *d, struct td_err *err)
{
    const volatile int *interrupts = td_interrupt_count();
    int64_t retention_ms = 0;
    while (!*interrupts) {
        struct pollfd fd = {td_announced_fd(d->announced), POLLIN, 0};
        poll(&fd, 1, STEP_MS);
        int64_t now_ms = td_mono_ms();
        if (td_announced_take(d->announced, now_ms, err) < 0)
            return err->code;
        if (look_at_captures(d, now_ms) || now_ms >= retention_ms) {
            retention_ms = now_ms + RETENTION_MS;
            const struct retention_calls calls = {d, is_being_written, print_deleted, print_kept};
            if (retention_apply(&d->options->retention, d->options->folder, &calls, err) < 0)
                return err->code;
        }
        forget_programs(d, now_ms);
        start_captures(d, now_ms);
    }
    return 0;
}

static void signal_captures(const struct capture_daemon *d)
{
    for (size_t i = 0; i < d->seen_count; i++)
        if (d->seen[i]->child.pid)
            kill(d->seen[i]->child.pid, SIGTERM);
}

/* Each signal to this process is one to each recorder: the second lets it save at once. */
static void save_all(struct capture_daemon *d)
{
    const volatile int *interrupts = td_interrupt_count();
    int sent = 0;
    while (d->capture_count) {
        if (!sent || *interrupts > sent) {
            signal_captures(d);
            sent = *interrupts ? *interrupts : 1;
        }
        poll(NULL, 0, STEP_MS);
        look_at_captures(d, td_mono_ms());
    }
}

static void close_daemon(struct capture_daemon *d)
{
    for (size_t i = 0; i < d->seen_count; i++)
        free_program(d->seen[i]);
    for (size_t i = 0; i < TD_WORDS_MAX; i++)
        td_regex_free(d->regexes[i]);
    td_announced_close(d->announced);
    if (d->lock >= 0)
        close(d->lock);
    free(d);
}

int capture_daemon_run(const struct capture_daemon_options *options, struct td_err *err)
{
    struct capture_daemon *d = calloc(1, sizeof *d);
    if (!d)
        return td_fail_no_memory(err, "for recording programs");
    d->options = options;
    d->lock = -1;
    td_interrupt_catch();
    td_child_find("tendril", d->program, sizeof d->program);
    int rc = compile_filters(d, err);
    rc = rc ? rc : open_folder(d, err);
    if (rc == 0 && !(d->announced = td_announced_open(0, NULL, NULL, err)))
        rc = err->code;
    if (rc == 0) {
        print_event(d, "waiting for programs; their traces go to %s", options->folder);
        rc = run_loop(d, err);
        save_all(d);
    }
    close_daemon(d);
    return rc;
}
