/* Functions that the modules of the client library share.
 *
 *   api_*.c     the markers: write records into queues (queue.h)
 *   mark.c      writes records that have no way of their own (compose.c makes them)
 *   replayed.c      those that later connections must see again
 *   queue.h     queues of records; record.h one record
 *   start.c     start, end, fork; fork_locks.c what a fork waits for; epoch.c the clock and when it began
 *   names.c     names of threads and of the program
 *   settings.c  build settings and environment variables
 *   listen.c    ports, announcements, greetings
 *   session.c   the client's own thread: sends, answers, ends
 *   drain.c     takes records from all queues in their order
 *   encode*.c   records -> items of the protocol
 *   announced.c     addresses that the peer has been told
 *   answer.c    queries -> answers; callbacks.c what the program is asked
 *   wire_keys.h      names of libraries that were unloaded: unloaded.c, wire_keys.c
 *   safe_copy.c      reading memory that may be gone
 *   welcome.c   what the client says of itself; system.c what it says of the machine
 *   frame_image.c     frame images
 *   shutdown.c    the last items of a session; save.c a session into a file
 *   crash*.c    fatal signals; stack.c call stacks; symbols.h what their addresses mean
 */
#ifndef TD_HOST_CLIENT_CLIENT_H
#define TD_HOST_CLIENT_CLIENT_H
#include "host/client/queue.h"
#include "host/wire/hello.h"
#include "host/wire/pack.h"
#include <stdatomic.h>

/* start.c. All of it is thread-safe. */
void td_client_start(void); /* once a process; later calls return at once */

/* epoch.c: when the client began (td_client_begin_ticks). */
void td_epoch_begin(void); /* now; before all others, once */
void td_epoch_is_late(void);
int td_client_began_late(void); /* 1: markers before the session's start were dropped */
uint64_t td_client_epoch(void); /* Unix seconds of the start */

/* thread.c (td_client_thread_id) */
void td_thread_forked(void); /* in the child: it is another one now */

/* fork_locks.c: mutexes whose holders must not be interrupted by a fork, in the order in which they may be held
 * at a time. Whoever holds one has signals blocked (td_signals_block), as handlers have markers. */
enum td_fork_lock {
    TD_FORK_LOCK_CALLBACKS,
    TD_FORK_LOCK_LOCKS,    /* a lock gets its context: each is announced once */
    TD_FORK_LOCK_UNLOADED, /* libraries that left (wire_keys.h) */
    TD_FORK_LOCK_REPLAYED,
    TD_FORK_LOCK_NAMES,
    TD_FORK_LOCK_COUNT
};
void td_fork_lock_acquire(enum td_fork_lock lock);
void td_fork_lock_release(enum td_fork_lock lock);
void td_fork_locks_before_fork(void);
void td_fork_locks_after_fork(void);

/* names.c */
void td_client_thread_ends(uint32_t thread);
void td_client_forget_ended_threads(void); /* on demand: nobody has been told of them */
/* Threads that the program named since the last call, as many as there is room for; returns how many. */
size_t td_client_renamed_threads(uint32_t *threads, size_t room);
void td_client_program_name(char *name, size_t room);

/* mark.c. Writes any record: `fields` are its words from 1 on, the text is copied, the stack has `frames`
 * addresses. Ordered kinds get their number. */
struct td_mark {
    uint32_t kind, frames;
    uint64_t fields[5];
    const char *text;
    size_t bytes; /* cut at TD_WIRE_TEXT_MAX */
    const uint64_t *stack;
    uint64_t time; /* 0: now */
};
void td_mark_record(struct td_mark *mark);
/* The short way for a kind of thread's records that is one word and a text: `word` without the count. time 0:
 * none. */
void td_mark_text(uint32_t kind, uint64_t word, const char *text, size_t bytes, uint64_t time);
/* The same for what later connections must see, too (on demand). */
void td_mark_replayed(struct td_mark *mark);

/* compose.c: a record from its parts. Its length in words; *overflow_text gets memory for a text that is too long
 * for it. 0: no memory. */
unsigned td_compose_measure(struct td_mark *mark, void **overflow_text);
/* All but word 0 and the order. */
void td_compose_fill(uint64_t *record, const struct td_mark *mark, void *overflow_text);

/* replayed.c */
/* What the record is about: of a kind's records about the same the last one is kept. */
uint64_t td_replayed_about(const struct td_mark *mark);
void td_replayed_add_locked(const struct td_mark *mark, uint64_t about); /* under TD_FORK_LOCK_REPLAYED */
void td_replayed_forget_lock(uint32_t id);
/* Lines of application information that the connection did not get, since there were too many before it. */
unsigned td_replayed_left_out(void);
void td_replayed_forked(void); /* in the child, under the lock: nobody goes through them there */
/* 1: something that was kept has a name in that memory. */
int td_replayed_refers(uint64_t start, uint64_t end);
/* Makes the connection the one that events are for, and goes through everything kept, in order: nothing comes
 * twice or not at all. *since: records with times before it are of the time before. */
int td_replayed_connect(uint32_t live, int64_t *since, int (*each)(void *self, const struct td_rec *rec),
                        void *self);
extern atomic_uint td_frame_count; /* marks of the main frame set so far */

/* session_state.c: how far the session is. */
enum td_client_state {
    TD_CLIENT_STARTING,
    TD_CLIENT_LISTENING,
    TD_CLIENT_CONNECTED, /* handshake done */
    TD_CLIENT_OVER       /* the session ended, or there is no port: events are thrown away */
};
void td_session_enter(enum td_client_state next); /* session.c says */
int td_session_state(void);                       /* enum td_client_state */

/* session.c */
int td_session_start(void); /* 0, or not: no thread could be made */
int td_session_port(void);
/* Drains and ends the session; bounded in time; returns when the thread has ended. `last`: the process ends,
 * too, and with it what nobody wanted. */
void td_session_end(int last);
/* For a signal handler: what it has to say, then the end; waits so long for it. */
struct td_crash_report {
    const char *text; /* lives as long as the program */
    int64_t time;
    uint32_t thread, frames;
    uint64_t stack[TD_REC_STACK_MAX];
};
void td_session_crashed(const struct td_crash_report *crash, int wait_ms);
void td_session_forked(void); /* in the child */

/* listen.c. Used by the session's thread. */
int td_listen_open(int *port);                  /* a listening socket and its port, or -1: no port is free */
void td_listen_announce(int port, int seconds); /* that the client is there so long; -1: it goes */

/* welcome.c */
void td_welcome_fill(struct td_wire_welcome *welcome, double ns_per_tick, int64_t begin, int64_t end);
uint64_t td_welcome_resolution(void);

/* announced.c. Keys that the peer has been told, each with a number (0 at first). */
struct td_announced;
enum td_announced_kind {
    TD_ANNOUNCED_TEXT,
    TD_ANNOUNCED_PLOT,       /* its name */
    TD_ANNOUNCED_FRAME_NAME, /* that of a frame set */
    TD_ANNOUNCED_THREAD,
    TD_ANNOUNCED_SRCLOC,
    TD_ANNOUNCED_LOCK,      /* its threads and how often it is held */
    TD_ANNOUNCED_LOCK_USER, /* lock << 32 | thread: it has waited for it or had it */
    TD_ANNOUNCED_POOL,
    TD_ANNOUNCED_FRAMES,    /* frame sets with starts: starts without their end */
    TD_ANNOUNCED_IMAGE,     /* frames of the main set that have an image */
    TD_ANNOUNCED_FIBER,     /* zones open in it */
    TD_ANNOUNCED_GPU_STACK, /* context << 32 | thread: zones open */
    TD_ANNOUNCED_CODE,      /* addresses of call stacks: their mapping */
    TD_ANNOUNCED_SYMBOL,    /* functions: their bytes and mapping (answer_code.c) */
    TD_ANNOUNCED_FILE       /* hashes of names of source files */
};
uint64_t td_announced_hash(const void *data, size_t bytes); /* of what is no address, as a key */
struct td_announced *td_announced_create(void);
void td_announced_destroy(struct td_announced *announced);
void td_announced_add(struct td_announced *announced, enum td_announced_kind kind, uint64_t key);
int td_announced_has(const struct td_announced *announced, enum td_announced_kind kind, uint64_t key);
/* The i-th key that was told and its kind; 0: there are not so many. */
int td_announced_at(const struct td_announced *announced, size_t i, enum td_announced_kind *kind,
                    uint64_t *key);
/* Its number, which the caller may change until the next call; NULL: not told. */
uint32_t *td_announced_value(struct td_announced *announced, enum td_announced_kind kind, uint64_t key);

/* encode.c. One encoder a session; used by the session's thread only. */
struct td_gpu;
struct td_wire_keys;
struct td_encoder {
    const struct td_wire_release *release;
    struct td_packer *packer;
    struct td_announced *announced;
    int (*send)(void *self, const uint8_t *bytes, size_t count); /* not 0: the peer is gone */
    void *self;
    int (*before_frame)(struct td_encoder *encoder); /* NULL, or sends what must come before the open frame */
    uint32_t thread;                                 /* of the last ThreadContext; 0 none */
    uint32_t open_zones, session;
    int64_t thread_time, serial_time, gpu_time; /* the last of each clock */
    int64_t since;                              /* records from before this time are not for this peer */
    uint32_t frame_offset;
    struct td_gpu *gpu;
    struct td_wire_keys *keys;  /* NULL: no library that left was asked for yet */
    int lost_discards;          /* memory discards that the release has no item for */
    uint32_t lost_gpu_contexts; /* the release's numbers are too narrow for */
    uint64_t lost_lock_events;  /* of more threads than a lock may have */
    struct {
        uint64_t zones, others;
        uint32_t thread; /* of the first of `zones` */
    } unmatched;
    struct {
        char *name; /* NULL: none is on the way */
        uint32_t bytes, have;
    } transfer;            /* of a source file's name */
    uint32_t called_bytes; /* of functions that were named though no call stack has them */
};
int td_encoder_init(struct td_encoder *encoder, const struct td_wire_release *release); /* 0, -1: no memory */
void td_encoder_finish(struct td_encoder *encoder);
/* `queue`: where it comes from; its time has been put right. 0, or -1 when sending failed. */
int td_encode(struct td_encoder *encoder, struct td_thread_queue *queue, const struct td_rec *rec);
/* encode_zones.c. Takes begins and ends of zones from the queue as long as nothing else comes, at most so
 * many; returns how many. What it leaves, td_encode() takes. */
int td_encode_zones(struct td_encoder *encoder, struct td_thread_queue *queue, int most);
/* encoder.c. Room for `bytes` in the open frame, sending what is there if it must; NULL when sending failed.
 * Then td_encode_put. */
uint8_t *td_encode_room(struct td_encoder *encoder, size_t bytes);
void td_encode_put(struct td_encoder *encoder, const uint8_t *end);
int td_encode_flush(struct td_encoder *encoder); /* sends the open frame; 0 or -1 */
/* What the program did wrong and a peer would give up at was left out; the end of the session says so. Not
 * where it may belong to the time before the session. */
void td_encode_unmatched(struct td_encoder *encoder, const struct td_thread_queue *queue,
                         const struct td_rec *rec);
/* The text that the next item takes, at p; room is the caller's. */
uint8_t *td_encode_text(struct td_encoder *encoder, uint8_t *p, const void *text, size_t bytes);
int td_encode_app_info(struct td_encoder *encoder, const char *text);
/* encode_ordered.c: records with a place in the order of all. p has room; NULL: nothing to send. */
uint8_t *td_encode_ordered(struct td_encoder *encoder, uint8_t *p, struct td_thread_queue *queue,
                           const struct td_rec *rec);
uint8_t *td_encode_gpu(struct td_encoder *encoder, uint8_t *p, struct td_thread_queue *queue,
                       const struct td_rec *rec);
void td_gpu_destroy(struct td_gpu *gpu);
#define TD_ENCODE_ITEM_MAX 96 /* more than any item without variable bytes, with what stands before it */

/* drain.c. Takes what all queues hold; returns the number of records, or -1 when sending failed. `rest` gets 1
 * when records are there that could not be taken yet. */
int td_client_drain(struct td_encoder *encoder, int *rest);
void td_client_drain_discard(void);
void td_client_drain_forked(void);

/* shutdown.c. What the end of a session has to say (losses, a crash), and its last item. 0, or -1. */
int td_shutdown_put(struct td_encoder *encoder);
int td_shutdown_terminate(struct td_encoder *encoder);
void td_shutdown_crashed(const struct td_crash_report *why);

/* save.c: a session that goes to a file ($TENDRIL_SAVE, TRACY_SAVE_NO_SEND) instead of a peer. */
int td_save_is_on(void);
void td_save_failed(int error); /* there is no session: says so if it was to be saved */
int td_save_begin(struct td_encoder *encoder, int64_t init_end); /* the file, or -1 */
/* Now and then while the session goes on: names that changed, and what is known of addresses in code by now.
 * 0, or -1 when writing failed. */
int td_save_step(struct td_encoder *encoder);
/* Answers what is left to answer, then ends the session; `failed`: says so instead. */
void td_save_end(struct td_encoder *encoder, int failed);

/* safe_copy.c. 1: the bytes were there. */
int td_safe_copy(uint64_t address, void *to, size_t bytes);
/* A text up to its NUL, `room` or unreadable memory; returns the bytes. */
size_t td_safe_copy_text(uint64_t address, char *to, size_t room);

/* answer.c. 0 answered, 1 the peer ends the session, 2 it asks for the end (Disconnect), -1 sending failed.
 */
int td_answer(struct td_encoder *encoder, const uint8_t *query);

/* callbacks.c: what the program registered. */
void td_call_parameter(uint32_t idx, int32_t value);
char *td_call_source(const char *filename, size_t *size); /* NULL; else td_pool_free() it */

/* text_file.c. A small file's text: 1; 0 if there is none. */
int td_client_read_text(const char *path, char *text, size_t room);

/* system.c. Both send nothing where the system does not tell; -1 when sending failed. */
int td_system_send_topology(struct td_encoder *encoder);
struct td_load_sample {
    uint64_t busy, all;
    int64_t next_ms;
};
int td_system_send_load(struct td_encoder *encoder, struct td_load_sample *load, int64_t now_ms);

/* frame_image.c */
struct td_frame_image {
    uint32_t frame;
    uint16_t width, height;
    uint8_t flip;
    uint8_t pixels[]; /* red, green, blue, anything */
};
/* width * height / 2 bytes */
void td_frame_image_pack(const struct td_frame_image *image, uint8_t *to);

/* stack.c: the call stack from the function on that has the marker, innermost first, at most `most` addresses
 * (cut at TD_REC_STACK_MAX); returns how many. `caller`: TD_CALLER of the function that the program calls,
 * which is TD_MARKER. Nothing allocates. */
uint32_t td_stack_walk(uint64_t *stack, int most, const void *caller);
/* The same from this very address on, which is no return address; 0: it is not met. */
uint32_t td_stack_walk_from(uint64_t *stack, int most, uint64_t first);
#define TD_CALLER __builtin_extract_return_addr(__builtin_return_address(0))
#define TD_MARKER __attribute__((noinline))

/* code_named.c: addresses and source files that the session names. */
void td_code_saw(struct td_encoder *encoder, uint64_t address); /* about to be told */
void td_code_names_file(struct td_encoder *encoder, const char *file, size_t bytes);
int td_code_file_is_named(const struct td_encoder *encoder, const char *file);

/* answer_code.c (symbols.h says what stands behind it). Frames and symbols are answered when they have been
 * looked up, by td_answer_found(), everything else at once. 0, or -1 when sending failed. */
int td_answer_frame(struct td_encoder *encoder, uint64_t address);
int td_answer_symbol(struct td_encoder *encoder, uint64_t address);
int td_answer_found(struct td_encoder *encoder, int hurry);
int td_answer_code(struct td_encoder *encoder, uint64_t address, uint32_t bytes);
void td_code_transfer_begins(struct td_encoder *encoder, uint64_t bytes);
void td_code_transfer_goes_on(struct td_encoder *encoder, uint64_t low, uint32_t high);
int td_answer_source_code(struct td_encoder *encoder, uint32_t id);
int td_answer_sends_code(void);
uint64_t td_answer_program_time(void); /* Unix seconds of the program's file; 0: no sources are sent */

/* Layout of the memory that ___tracy_alloc_srcloc() makes. */
struct td_srcloc_block {
    uint32_t bytes;
    char data[];
};
#endif
