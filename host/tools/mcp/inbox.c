#include "host/tools/mcp/inbox.h"
#include "host/base/clock.h"
#include "host/base/grow.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define WAITING_MOST 64 /* messages; a client with more has to wait */
#define READ_BYTES   65536

struct inbox_item {
    cJSON *message;
    enum mcp_problem problem;
};

struct mcp_inbox {
    struct mcp *m;
    int fd, wake; /* wake: an eventfd; what the thread waits for has changed */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t has_more;
    struct inbox_item waiting[WAITING_MOST];
    size_t count;
    bool has_ended, is_closed;
    const cJSON *running; /* its id; NULL: nothing runs */
    int64_t until_ns;     /* of what runs */
    /* Of the thread. */
    char *line;
    size_t bytes, room;
    bool is_too_long, is_read; /* is_read: to its end */
};

/* ---- the thread ---- */

/* Removes a request that waits, or stops the one that runs. */
static void cancel(struct mcp_inbox *inbox, const cJSON *id)
{
    if (inbox->running && cJSON_Compare(inbox->running, id, 1))
        mcp_stop(inbox->m, false);
    for (size_t i = 0; i < inbox->count; i++) {
        const cJSON *own = cJSON_GetObjectItemCaseSensitive(inbox->waiting[i].message, "id");
        if (!own || !cJSON_Compare(own, id, 1))
            continue;
        cJSON_Delete(inbox->waiting[i].message);
        inbox->count--;
        memmove(inbox->waiting + i, inbox->waiting + i + 1, (inbox->count - i) * sizeof *inbox->waiting);
        return;
    }
}

static void take_line(struct mcp_inbox *inbox, const char *line, size_t bytes, bool is_too_long)
{
    struct inbox_item item = {.problem = MCP_TOO_LONG};
    if (!is_too_long && strspn(line, " \t\r") >= bytes)
        return;
    if (!is_too_long)
        item.message = mcp_parse(line, bytes, &item.problem);
    pthread_mutex_lock(&inbox->lock);
    const cJSON *cancelled = mcp_cancelled(item.message);
    if (cancelled) {
        cancel(inbox, cancelled);
        cJSON_Delete(item.message);
    } else {
        inbox->waiting[inbox->count++] = item;
        pthread_cond_signal(&inbox->has_more);
    }
    pthread_mutex_unlock(&inbox->lock);
}

static bool is_full(struct mcp_inbox *inbox)
{
    pthread_mutex_lock(&inbox->lock);
    const bool full = inbox->count == WAITING_MOST;
    pthread_mutex_unlock(&inbox->lock);
    return full;
}

/* The whole lines that were read, while there is room for their messages. */
static void take_lines(struct mcp_inbox *inbox)
{
    size_t at = 0;
    char *end;
    while (!is_full(inbox) && (end = memchr(inbox->line + at, '\n', inbox->bytes - at))) {
        *end = 0;
        take_line(inbox, inbox->line + at, (size_t)(end - inbox->line) - at, inbox->is_too_long);
        inbox->is_too_long = false;
        at = (size_t)(end - inbox->line) + 1;
    }
    inbox->bytes -= at;
    memmove(inbox->line, inbox->line + at, inbox->bytes);
    if (inbox->bytes > MCP_MESSAGE_BYTES && !memchr(inbox->line, '\n', inbox->bytes)) {
        inbox->is_too_long = true;
        inbox->bytes = 0;
    }
}

/* False: the end. */
static bool read_more(struct mcp_inbox *inbox)
{
    ssize_t n = -1;
    errno = ENOMEM;
    if (td_grow(&inbox->line, &inbox->room, inbox->bytes + READ_BYTES + 1, 1) == 0)
        n = read(inbox->fd, inbox->line + inbox->bytes, READ_BYTES);
    if (n < 0)
        return errno == EINTR || errno == EAGAIN;
    inbox->bytes += (size_t)n;
    return n > 0;
}

/* Until the request that runs has used its time; -1: without an end. */
static int wait_ms(struct mcp_inbox *inbox)
{
    pthread_mutex_lock(&inbox->lock);
    const bool runs = inbox->running && inbox->until_ns;
    const int64_t left = runs ? td_ms_until(inbox->until_ns) : -1;
    if (runs && left <= 0) {
        mcp_stop(inbox->m, true);
        inbox->until_ns = 0;
    }
    pthread_mutex_unlock(&inbox->lock);
    return runs && left > 0 ? (int)(left < 60000 ? left + 1 : 60000) : -1;
}

/* Takes what can be taken. True: no message will follow. */
static bool take_rest(struct mcp_inbox *inbox)
{
    take_lines(inbox);
    if (!inbox->is_read || (inbox->bytes && memchr(inbox->line, '\n', inbox->bytes)) || is_full(inbox))
        return false;
    if (inbox->bytes) /* a last line without its end */
        take_line(inbox, inbox->line, inbox->bytes, inbox->is_too_long);
    inbox->bytes = 0;
    return true;
}

static void *read_messages(void *self)
{
    struct mcp_inbox *inbox = self;
    bool goes = true;
    while (goes) {
        struct pollfd files[] = {{.fd = inbox->wake, .events = POLLIN},
                                 {.fd = inbox->is_read || is_full(inbox) ? -1 : inbox->fd, .events = POLLIN}};
        uint64_t wakes;
        poll(files, 2, wait_ms(inbox));
        if (files[0].revents && read(inbox->wake, &wakes, sizeof wakes) < 0 && errno != EINTR)
            break;
        if (files[1].revents && !read_more(inbox))
            inbox->is_read = true;
        const bool ended = take_rest(inbox);
        pthread_mutex_lock(&inbox->lock);
        inbox->has_ended |= ended;
        goes = !inbox->is_closed;
        pthread_cond_signal(&inbox->has_more);
        pthread_mutex_unlock(&inbox->lock);
    }
    return NULL;
}

/* ---- the server's thread ---- */

static void wake(struct mcp_inbox *inbox)
{
    const uint64_t one = 1;
    while (write(inbox->wake, &one, sizeof one) < 0 && errno == EINTR)
        ;
}

struct mcp_inbox *mcp_inbox_open(struct mcp *m, int fd, struct td_err *err)
{
    struct mcp_inbox *inbox = calloc(1, sizeof *inbox);
    if (!inbox) {
        td_fail_no_memory(err, NULL);
        return NULL;
    }
    *inbox = (struct mcp_inbox){.m = m, .fd = fd, .wake = eventfd(0, EFD_CLOEXEC)};
    pthread_mutex_init(&inbox->lock, NULL);
    pthread_cond_init(&inbox->has_more, NULL);
    const int failed = inbox->wake < 0 ? errno : pthread_create(&inbox->thread, NULL, read_messages, inbox);
    if (!failed)
        return inbox;
    errno = failed;
    td_fail_errno(err, "cannot start to read messages");
    if (inbox->wake >= 0)
        close(inbox->wake);
    free(inbox);
    return NULL;
}

bool mcp_inbox_take(struct mcp_inbox *inbox, cJSON **message, enum mcp_problem *problem)
{
    struct mcp *m = inbox->m;
    pthread_mutex_lock(&inbox->lock);
    while (!inbox->count && !inbox->has_ended)
        pthread_cond_wait(&inbox->has_more, &inbox->lock);
    const bool is_there = inbox->count != 0;
    if (is_there) {
        *message = inbox->waiting[0].message;
        *problem = inbox->waiting[0].problem;
        inbox->count--;
        memmove(inbox->waiting, inbox->waiting + 1, inbox->count * sizeof *inbox->waiting);
        inbox->running = cJSON_GetObjectItemCaseSensitive(*message, "id");
        inbox->until_ns = m->most.seconds > 0 ? td_mono_ns() + (int64_t)(m->most.seconds * 1e9) : 0;
        __atomic_store_n(&m->job.cancelled, 0, __ATOMIC_RELAXED);
        __atomic_store_n(&m->is_late, 0, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&inbox->lock);
    wake(inbox);
    return is_there;
}

void mcp_inbox_forget(struct mcp_inbox *inbox)
{
    pthread_mutex_lock(&inbox->lock);
    inbox->running = NULL;
    pthread_mutex_unlock(&inbox->lock);
}

void mcp_inbox_close(struct mcp_inbox *inbox)
{
    if (!inbox)
        return;
    pthread_mutex_lock(&inbox->lock);
    inbox->is_closed = true;
    pthread_mutex_unlock(&inbox->lock);
    wake(inbox);
    pthread_join(inbox->thread, NULL);
    for (size_t i = 0; i < inbox->count; i++)
        cJSON_Delete(inbox->waiting[i].message);
    pthread_mutex_destroy(&inbox->lock);
    pthread_cond_destroy(&inbox->has_more);
    close(inbox->wake);
    free(inbox->line);
    free(inbox);
}
