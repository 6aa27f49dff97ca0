/* Serves one session: a program's events go to one viewer or recorder. On demand, sessions follow each
 * other. A peer can delay the client for a bounded time only: 2 s for the greeting, and at the program's
 * end TENDRIL_EXIT_WAIT_MS without progress. */
#include "host/client/session/session.h"
#include "host/base/err.h"
#include "host/base/clock.h"
#include "host/client/collect/collect.h"
#include "host/client/encode/answer.h"
#include "host/client/encode/drain.h"
#include "host/client/encode/encoder.h"
#include "host/client/encode/shutdown.h"
#include "host/client/encode/system.h"
#include "host/client/platform/client_api.h"
#include "host/client/platform/crash_thread.h"
#include "host/client/platform/epoch.h"
#include "host/client/platform/pool.h"
#include "host/client/platform/session_state.h"
#include "host/client/platform/settings.h"
#include "host/client/queue/frame_image.h"
#include "host/client/queue/names.h"
#include "host/client/queue/queue.h"
#include "host/client/queue/record.h"
#include "host/client/queue/replayed.h"
#include "host/client/session/listen.h"
#include "host/client/session/save.h"
#include "host/client/session/welcome.h"
#include "host/client/symbols/resolver.h"
#include "host/wire/items.h"

#include <stdbool.h>
#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define GREET_MS      2000
#define CROWDED_MS    250
#define ANNOUNCE_MS   3000
#define KEEP_ALIVE_MS 5000
#define ASK_MS        300   /* longest wait for a peer's first query */
#define NAP_MS        100   /* longest wait before the queues are drained again */
#define IMAGES_MS     20    /* wait before offered frame images are packed, after some were */
#define NO_IMAGES_MS  250   /* the same after none were */
#define REST_MS       100   /* at the end, for records that other threads are writing */
#define LAST_WORDS_MS 60000 /* for a peer's queries after the end */
#define TAKES_BYTES   4096  /* progress: a peer takes at least this within TENDRIL_EXIT_WAIT_MS */
#define QUERIES       4096
#define SEND_BUFFER   (1 << 20) /* the system's: answers wait for the events in it */
#define BUSY          8192      /* after so many records, drain again at once */

static atomic_int port, ending, done, is_last, has_begun;
static atomic_int wake_fd = -1, listen_fd = -1, session_fd = -1;
static _Atomic(int64_t) ending_ms; /* since when `ending` is set */
static pthread_t thread;
static int64_t init_end;

/* A connected peer. */
struct peer {
    int fd, gone;
    uint64_t sent, taken; /* bytes; `taken` at progress_ms */
    int64_t progress_ms, asked_ms;
    int64_t end_ms; /* since when the session ends; 0: it does not, or only because the program does */
    int exit_wait_ms;
    size_t have; /* bytes of queries */
    uint8_t queries[QUERIES * TD_WIRE_QUERY_BYTES];
};

/* The one session. It is static so that a forked child can reach the memory that it inherits. */
static struct {
    struct peer *peer;
    struct td_encoder encoder;
} session;

int td_session_port(void)
{
    return atomic_load(&port);
}

/* Waits for the descriptor, or for the end of the program. */
static int wait_for(int fd, short events, int64_t ms)
{
    int is_ending = atomic_load(&ending);
    struct pollfd fds[3] = {
        {fd, events, 0}, {td_collect_fd(), POLLIN, 0}, {is_ending ? -1 : wake_fd, POLLIN, 0}};
    int n = poll(fds, 3, ms < 0 ? 0 : (int)ms);
    if (fds[1].revents)
        td_collect_gather(td_mono_ms(), true);
    if ((n < 0 && errno != EINTR) || (fds[0].revents | fds[1].revents | fds[2].revents) & POLLNVAL) {
        /* The program closed descriptors that are not its own, or may not poll: do not spin. */
        nanosleep(&(struct timespec){0, NAP_MS * 1000000}, NULL);
        return 0;
    }
    return n > 0 ? fds[0].revents : 0;
}

static bool has_pending_connection(void)
{
    struct pollfd knock = {listen_fd, POLLIN, 0};
    return poll(&knock, 1, 0) > 0;
}

/* Whether the program's end waits for a connection: on demand always, else if there was none. */
static bool may_wait_for_peer(void)
{
    return td_setting_value(TD_SETTING_NO_EXIT);
}

/* Reads all bytes, or fails. A silent peer gets less time while another connection waits, and when the
 * program wants to end. */
static int read_all(int fd, uint8_t *to, size_t bytes, int64_t until_ms)
{
    int64_t began_ms = td_mono_ms();
    while (bytes) {
        ssize_t n = recv(fd, to, bytes, MSG_DONTWAIT);
        if (n > 0) {
            to += n;
            bytes -= (size_t)n;
            continue;
        }
        if (n == 0 || (errno != EAGAIN && errno != EINTR))
            return TD_E_GONE;
        if (td_mono_ms() >= until_ms || (td_mono_ms() - began_ms > CROWDED_MS && has_pending_connection()))
            return TD_E_GONE;
        int64_t left_ms = until_ms - td_mono_ms();
        wait_for(fd, POLLIN, left_ms < CROWDED_MS / 2 ? left_ms : CROWDED_MS / 2);
        if (atomic_load(&ending) && !may_wait_for_peer() && td_mono_ms() + 200 < until_ms)
            until_ms = td_mono_ms() + 200;
    }
    return 0;
}

static const struct td_wire_release *greet_peer(int fd)
{
    uint8_t hello[TD_WIRE_HELLO_BYTES];
    uint32_t protocol;
    if (read_all(fd, hello, sizeof hello, td_mono_ms() + GREET_MS) != 0 ||
        td_wire_get_hello(hello, &protocol) != 0)
        return NULL;
    const struct td_wire_release *release = td_welcome_release(protocol);
    uint8_t status = TD_WIRE_STATUS_WELCOME;
    if (!release)
        status = TD_WIRE_STATUS_MISMATCH;
    else if (td_session_state() == TD_CLIENT_OVER)
        status = TD_WIRE_STATUS_NOT_AVAILABLE;
    if (send(fd, &status, 1, MSG_NOSIGNAL) != 1 || status != TD_WIRE_STATUS_WELCOME)
        return NULL;
    struct td_wire_welcome welcome;
    td_welcome_fill(&welcome, init_end);
    welcome.flags = td_welcome_flags(release);
    td_wire_put_clock(&welcome, (uint64_t)td_client_ticks());
    uint8_t bytes[2048];
    td_wire_put_welcome(bytes, release, &welcome);
    /* Fits into any socket's buffer. */
    return send(fd, bytes, release->welcome_bytes, MSG_NOSIGNAL) == (ssize_t)release->welcome_bytes ? release
                                                                                                    : NULL;
}

static void receive_queries(struct peer *peer)
{
    while (peer->have < sizeof peer->queries) {
        ssize_t n =
            recv(peer->fd, peer->queries + peer->have, sizeof peer->queries - peer->have, MSG_DONTWAIT);
        if (n > 0) {
            peer->have += (size_t)n;
            peer->asked_ms = td_mono_ms();
            continue;
        }
        if (n == 0 || (errno != EAGAIN && errno != EINTR))
            peer->gone = 1;
        return;
    }
}

/* Bytes that were sent and that the peer's machine has not acknowledged. */
static int in_transit(const struct peer *peer)
{
    int bytes = 0;
    return ioctl(peer->fd, SIOCOUTQ, &bytes) == 0 ? bytes : 0;
}

/* While the program runs, a peer may be slow. Once the session ends, it must take TAKES_BYTES within the
 * wait. What counts is what it acknowledges, because the system's buffer may hold all that is sent in that
 * time. */
static bool is_too_slow(struct peer *peer)
{
    int64_t now = td_mono_ms(), end = peer->end_ms;
    if (!end && atomic_load(&ending))
        end = atomic_load(&ending_ms);
    if (!end && atomic_load(&td_queue_stopped))
        end = peer->end_ms = now;
    if (!end)
        return 0;
    uint64_t taken = peer->sent - (uint64_t)in_transit(peer);
    if (taken - peer->taken >= TAKES_BYTES) {
        peer->taken = taken;
        peer->progress_ms = now;
    }
    return now - (peer->progress_ms > end ? peer->progress_ms : end) > peer->exit_wait_ms;
}

/* The encoder's send. Reads queries while it waits: the peer may be waiting for room to send one. */
static int send_all(void *self, const uint8_t *bytes, size_t count)
{
    struct peer *peer = self;
    while (count && !peer->gone) {
        ssize_t n = send(peer->fd, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0) {
            bytes += n;
            count -= (size_t)n;
            peer->sent += (uint64_t)n;
            continue;
        }
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            peer->gone = 1;
        td_frame_image_pack_offered();
        td_collect_gather(td_mono_ms(), false);
        short events = POLLOUT | (peer->have < sizeof peer->queries ? POLLIN : 0);
        int64_t wait_ms = td_collect_wait_ms(td_mono_ms(), NAP_MS);
        if (wait_for(peer->fd, events, wait_ms) & POLLIN && !peer->gone) {
            receive_queries(peer);
            peer->gone = 0; /* the peer may have closed its sending side only */
        }
        if (is_too_slow(peer))
            peer->gone = 1;
    }
    return peer->gone ? TD_E_GONE : 0;
}

/* Answers all queries that have arrived, or asks the resolver. Returns as td_answer(), 0 when there are
 * none. */
static int answer_all(struct td_encoder *encoder, struct peer *peer)
{
    size_t at = 0;
    int what = 0;
    while (!what && peer->have - at >= TD_WIRE_QUERY_BYTES && td_resolver_has_room()) {
        uint8_t query[TD_WIRE_QUERY_BYTES];
        memcpy(query, peer->queries + at, sizeof query);
        at += sizeof query;
        what = td_answer(encoder, query);
        td_collect_gather(td_mono_ms(), false);
    }
    peer->have -= at;
    memmove(peer->queries, peer->queries + at, peer->have);
    return what == 1 || td_answer_found(encoder, atomic_load(&ending)) == 0 ? what : TD_E_GONE;
}

/* As td_client_drain(). What is sent before the peer has asked for names ahead, or for those of the first events,
 * has no names in the recording of a recorder that is killed then, so it is little. */
static int drain(struct td_encoder *encoder, struct peer *peer, int *rest)
{
    const int taken = td_client_drain(encoder, rest);
    if (taken <= 0 || !encoder->is_new)
        return taken;
    encoder->is_new = false;
    if (td_encode_flush(encoder) != 0)
        return TD_E_GONE;
    for (int64_t until = td_mono_ms() + ASK_MS; !peer->have && !peer->gone && td_mono_ms() < until;)
        if (wait_for(peer->fd, POLLIN, NAP_MS) & POLLIN)
            receive_queries(peer);
    return taken;
}

/* Events flow until the program ends or too many wait (0), or the peer ends or asks for the end of the
 * session (1, 2), or is gone. */
static int run_session(struct td_encoder *encoder, struct peer *peer)
{
    int nap = 1, rest;
    int64_t said = td_mono_ms();
    struct td_load_sample load = {0};
    while (!atomic_load(&ending) && !atomic_load(&td_queue_stopped)) {
        int taken = drain(encoder, peer, &rest);
        int collected = taken < 0 ? 0 : td_collect_send(encoder, td_mono_ms(), false);
        receive_queries(peer);
        int what = answer_all(encoder, peer);
        int busy = taken || td_packer_used(encoder->packer);
        if (taken < 0 || collected < 0 || what || (!taken && peer->gone))
            return what ? what : TD_E_GONE;
        if (busy)
            said = td_mono_ms();
        if (td_mono_ms() - said > KEEP_ALIVE_MS) {
            td_encode_put(encoder,
                          td_wire_put_KeepAlive(td_packer_at(encoder->packer), encoder->release, NULL));
            said = td_mono_ms();
        }
        if (td_system_send_load(encoder, &load, td_mono_ms()) != 0)
            return TD_E_GONE;
        if (taken < BUSY && td_encode_flush(encoder) != 0)
            return TD_E_GONE;
        /* What the kernel observes comes at its own times, for which td_collect_wait_ms() ends the wait. */
        nap = taken || td_resolver_pending() ? 1 : nap * 2 > NAP_MS ? NAP_MS : nap * 2;
        if (!busy)
            wait_for(peer->fd, POLLIN, td_collect_wait_ms(td_mono_ms(), nap));
    }
    return 0;
}

/* Drains the queues until they are empty, also of what other threads are writing. Returns as answer_all(). */
static int drain_all(struct td_encoder *encoder, struct peer *peer)
{
    int64_t until = td_mono_ms() + REST_MS;
    int taken, rest, what = 0;
    while ((taken = drain(encoder, peer, &rest)) >= 0 && what != 1) {
        if (taken)
            until = td_mono_ms() + REST_MS;
        receive_queries(peer);
        if ((what = answer_all(encoder, peer)) < 0)
            return TD_E_GONE;
        if (!taken && (!rest || td_mono_ms() > until))
            return what;
        if (!taken)
            nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    return taken < 0 ? TD_E_GONE : what;
}

/* Sends all that was marked, then Terminate. Further markers are dropped, so this ends. */
static int finish_session(struct td_encoder *encoder, struct peer *peer)
{
    td_queue_set_live(0);
    td_collect_stop();
    peer->end_ms = td_mono_ms();
    int what = drain_all(encoder, peer);
    if (what < 0 || what == 1 || td_collect_session_ends(encoder) != 0 || td_shutdown_put(encoder) != 0)
        return TD_E_GONE;
    return td_shutdown_terminate(encoder);
}

/* Waits until the peer has taken everything, and answers its last queries. */
static void answer_final_queries(struct td_encoder *encoder, struct peer *peer)
{
    int64_t until = td_mono_ms() + LAST_WORDS_MS;
    peer->asked_ms = td_mono_ms();
    while (td_mono_ms() < until && td_mono_ms() - peer->asked_ms <= peer->exit_wait_ms) {
        int what = answer_all(encoder, peer);
        if ((what && what != 2) || td_encode_flush(encoder) != 0 || peer->gone)
            return;
        if (in_transit(peer)) {
            if (is_too_slow(peer))
                return;
            peer->asked_ms = td_mono_ms();
            until = peer->asked_ms + LAST_WORDS_MS;
        }
        struct pollfd fd = {peer->fd, POLLIN, 0};
        poll(&fd, 1, td_resolver_pending() ? 1 : 100);
        receive_queries(peer);
    }
}

static int replay_record(void *self, const struct td_rec *rec)
{
    struct td_encoder *encoder = self;
    struct td_thread_queue queue = {.ordered = td_record_infos[rec->kind].ordered};
    return td_encode(encoder, &queue, rec);
}

/* On demand: from here on events are for this peer. It gets the replayed records from before. */
static int begin_on_demand(struct td_encoder *encoder, struct peer *peer)
{
    static uint32_t live;
    td_client_drain_discard();
    td_client_forget_ended_threads();
    (void)td_collect_begin(false);
    atomic_store(&td_queue_stopped, 0);
    encoder->frame_offset = atomic_load(&td_frame_count);
    uint64_t message[TD_WIRE_ONDEMAND_BYTES / 8] = {encoder->frame_offset, td_client_ticks()};
    if (send_all(peer, (const uint8_t *)message, sizeof message) != 0)
        return TD_E_GONE;
    live = live + 1 < TD_CLIENT_OFF ? live + 1 : 1;
    int64_t since;
    int failed = td_replayed_connect(live, &since, replay_record, encoder);
    encoder->since = since;
    return failed;
}

static void serve_peer(struct peer *peer, const struct td_wire_release *release)
{
    struct td_encoder *encoder = &session.encoder;
    session.peer = peer;
    if (td_encoder_init(encoder, release) != 0)
        return;
    encoder->send = send_all;
    encoder->self = peer;
    encoder->is_new = true;
    td_collect_session_begins();
    td_session_enter(TD_CLIENT_CONNECTED);
    int how = td_setting_value(TD_SETTING_ON_DEMAND) ? begin_on_demand(encoder, peer) : 0;
    if (how == 0)
        how = td_system_send_topology(encoder);
    if (how == 0)
        how = run_session(encoder, peer);
    if ((how == 0 || how == 2) && finish_session(encoder, peer) == 0)
        answer_final_queries(encoder, peer);
    td_collect_close();
    td_resolver_forget();
    td_encoder_finish(encoder);
    session.peer = NULL;
}

/* 1: there was a session. */
static int accept_peer(int fd)
{
    int yes = 1, buffer = SEND_BUFFER;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
    const struct td_wire_release *release = greet_peer(fd);
    struct peer *peer = release ? td_pool_alloc(sizeof *peer) : NULL;
    if (!peer)
        return 0;
    *peer = (struct peer){.fd = fd};
    atomic_store(&session_fd, fd);
    peer->exit_wait_ms = td_setting_value(TD_SETTING_EXIT_WAIT_MS);
    serve_peer(peer, release);
    atomic_store(&session_fd, -1);
    td_queue_set_live(0);
    td_session_enter(td_setting_value(TD_SETTING_ON_DEMAND) ? TD_CLIENT_LISTENING : TD_CLIENT_OVER);
    td_client_drain_discard();
    td_pool_free(peer);
    return 1;
}

/* Packs offered frame images. Returns the wait until the next call, at most `most_ms`. */
static int64_t look_for_images(int64_t most_ms)
{
    int64_t wait_ms = td_frame_image_pack_offered() ? IMAGES_MS : NO_IMAGES_MS;
    if (wait_ms == NO_IMAGES_MS)
        td_frame_image_give_spare();
    return td_client_is_live() && wait_ms < most_ms ? wait_ms : most_ms;
}

static void listen_loop(void)
{
    int64_t begin = td_mono_ms(), next = begin;
    while (!atomic_load(&ending) || (may_wait_for_peer() && td_session_state() == TD_CLIENT_LISTENING)) {
        int listening = td_session_state() == TD_CLIENT_LISTENING;
        if (listening && td_mono_ms() >= next) {
            td_listen_announce(td_session_port(), (int)((td_mono_ms() - begin) / 1000));
            next = td_mono_ms() + ANNOUNCE_MS;
        }
        td_collect_gather(td_mono_ms(), false);
        int64_t wait_ms = look_for_images(listening ? next - td_mono_ms() : ANNOUNCE_MS);
        wait_ms = td_collect_wait_ms(td_mono_ms(), wait_ms);
        if (!(wait_for(listen_fd, POLLIN, wait_ms) & POLLIN))
            continue;
        int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0) {
            nanosleep(&(struct timespec){0, NAP_MS * 1000000}, NULL); /* perhaps no descriptors are free */
            continue;
        }
        if (listening)
            td_listen_announce(td_session_port(), -1);
        next = td_mono_ms();
        int served = accept_peer(fd);
        close(fd);
        if (served && atomic_load(&ending)) /* on demand: that was the last */
            break;
    }
    if (td_session_state() == TD_CLIENT_LISTENING)
        td_listen_announce(td_session_port(), -1);
}

static void save_session(void)
{
    struct td_encoder *encoder = &session.encoder;
    int rest, fd = td_save_begin(encoder, init_end);
    if (fd < 0)
        return;
    atomic_store(&session_fd, fd);
    td_collect_session_begins();
    td_session_enter(TD_CLIENT_CONNECTED);
    int64_t since, until;
    int failed =
        td_setting_value(TD_SETTING_ON_DEMAND) ? td_replayed_connect(1, &since, replay_record, encoder) : 0;
    struct td_load_sample load = {0};
    while (!failed && !atomic_load(&ending)) {
        int taken = td_client_drain(encoder, &rest);
        failed = taken < 0 || td_collect_send(encoder, td_mono_ms(), false) < 0 ||
                 td_system_send_load(encoder, &load, td_mono_ms()) != 0 || td_save_step(encoder) != 0 ||
                 (taken < BUSY && td_encode_flush(encoder) != 0);
        if (!taken)
            wait_for(-1, 0, td_collect_wait_ms(td_mono_ms(), NAP_MS));
    }
    td_queue_set_live(0);
    td_collect_stop();
    for (until = td_mono_ms() + REST_MS; !failed;) {
        int taken = td_client_drain(encoder, &rest);
        failed = taken < 0;
        if (taken)
            until = td_mono_ms() + REST_MS;
        if (!taken && (!rest || td_mono_ms() > until))
            break;
    }
    failed = failed || td_collect_session_ends(encoder) != 0;
    td_save_end(encoder, failed);
    td_collect_close();
    close(atomic_exchange(&session_fd, -1));
    td_encoder_finish(encoder);
}

static void *session_main(void *nothing)
{
    pthread_setname_np(pthread_self(), "tendril client");
    td_signals_stay_blocked();
    td_collect_thread(td_client_thread_id());
    int at = 0, fd = td_save_is_on() ? TD_E_NOTFOUND : td_listen_open(&at);
    atomic_store(&listen_fd, fd);
    atomic_store(&has_begun, 1); /* the collector opens its descriptors after the socket has one */
    td_welcome_measure();
    if (td_save_is_on()) {
        save_session();
    } else if (fd >= 0) {
        atomic_store(&port, at);
        td_session_enter(TD_CLIENT_LISTENING);
        listen_loop();
        close(fd);
    }
    td_session_enter(TD_CLIENT_OVER);
    td_collect_close();
    td_queue_set_live(0);
    if (!atomic_load(&is_last))
        td_client_drain_discard();
    atomic_store(&port, 0);
    td_resolver_end();
    atomic_store(&done, 1);
    return nothing;
}

int td_session_start(void)
{
    init_end = (int64_t)td_host_ticks();
    atomic_store(&ending, 0);
    atomic_store(&done, 0);
    atomic_store(&has_begun, 0);
    td_session_enter(TD_CLIENT_STARTING);
    wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = wake_fd < 0 ? errno : pthread_create(&thread, NULL, session_main, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!failed && !td_setting_value(TD_SETTING_ON_DEMAND)) {
        while (!atomic_load(&has_begun)) /* the events leave it out */
            nanosleep(&(struct timespec){0, 20000}, NULL);
        (void)td_collect_begin(false);
    }
    if (failed) {
        close(atomic_exchange(&wake_fd, -1));
        td_save_failed(failed);
    }
    return failed;
}

static void ask_for_end(void)
{
    atomic_store(&ending_ms, td_mono_ms());
    atomic_store(&ending, 1);
    uint64_t one = 1;
    if (write(wake_fd, &one, sizeof one) < 0)
        return; /* the thread checks `ending` a little later without it */
}

void td_session_end(int last)
{
    td_crash_wait();
    atomic_store(&is_last, last);
    ask_for_end();
    pthread_join(thread, NULL);
    close(atomic_exchange(&wake_fd, -1));
}

void td_session_crashed(const struct td_crash_report *why, int wait_ms)
{
    td_shutdown_crashed(why);
    if (td_session_state() != TD_CLIENT_CONNECTED)
        return;
    ask_for_end();
    for (int i = 0; i < wait_ms / 10 && !atomic_load(&done); i++)
        nanosleep(&(struct timespec){0, 10000000}, NULL);
}

void td_session_forked(void)
{
    int fds[] = {atomic_exchange(&listen_fd, -1), atomic_exchange(&session_fd, -1),
                 atomic_exchange(&wake_fd, -1)};
    for (int i = 0; i < 3; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    td_resolver_forked();
    td_collect_forked();
    td_session_enter(TD_CLIENT_OVER);
}
