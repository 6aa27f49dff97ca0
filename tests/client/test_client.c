/* Programs with markers, and what a recorder receives from them. */
#include "host/client/include/tracy/TracyC.h"
#include "tests/client/run_marked.h"
#include "tests/wire/event_log.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

struct run {
    struct event_log log;
    struct td_client_counts counts;
    struct td_err err;
    int going, status;
};

static void check_log(const struct run *run)
{
    if (event_log_fault(&run->log))
        fail_msg("%s", event_log_fault(&run->log));
    assert_int_equal(run->counts.ignored, 0);
    assert_int_equal(run->counts.unnamed, 0);
}

static void begin(struct run *run, const char *mode)
{
    *run = (struct run){0};
    event_log_init(&run->log);
    run->going = run_marked(mode, run->log.hub, &run->counts, &run->status, &run->err);
    check_log(run);
}

static void end(struct run *run)
{
    event_log_finish(&run->log);
}

static void ended_well(const struct run *run)
{
    if (run->going != 0 || run->status != 0)
        fail_msg("collected %d (%s), exit status %x", run->going, run->err.text, (unsigned)run->status);
}

/* Checks the order without keeping two million zones. */
struct order {
    uint64_t next[8], begun[8], ended[8];
    int wrong;
};

static int check_order(void *self, const struct td_event *events, size_t count, struct td_err *err)
{
    struct order *order = self;
    for (size_t i = 0; i < count; i++) {
        const struct td_event *event = &events[i];
        if (event->kind > TD_EVENT_ZONE_VALUE || event->track >= 8)
            continue;
        order->begun[event->track] += event->kind == TD_EVENT_ZONE_BEGIN;
        order->ended[event->track] += event->kind == TD_EVENT_ZONE_END;
        if (event->kind == TD_EVENT_ZONE_VALUE)
            order->wrong += event->value.u64 != order->next[event->track]++;
    }
    return 0;
}

static void a_million_zones_of_each_of_two_threads_arrive_in_order(void **state)
{
    struct order order = {0};
    struct td_dict *dict = td_dict_create();
    struct td_hub *hub = td_hub_create(dict);
    assert_int_equal(td_hub_add_sink(hub, (struct td_sink){.events = check_order, .self = &order}), 0);
    struct td_client_counts counts;
    struct td_err err = {0};
    int status;
    int going = run_marked("two", hub, &counts, &status, &err);
    if (going != 0)
        fail_msg("%s", err.text);
    assert_int_equal(status, 0);
    assert_int_equal(counts.zones, 2000000);
    assert_int_equal(counts.time_bent, 0);
    assert_int_equal(order.wrong, 0);
    int full = 0;
    for (uint32_t i = 0; i < td_dict_track_count(dict); i++) {
        assert_int_equal(order.begun[i], order.ended[i]);
        assert_int_equal(order.begun[i], order.next[i]);
        const char *name = td_dict_text(dict, td_dict_get_track(dict, i)->name);
        full += order.begun[i] == 1000000 && (!strcmp(name, "first") || !strcmp(name, "second"));
    }
    assert_int_equal(full, 2);
    td_hub_destroy(hub);
    td_dict_destroy(dict);
}

static int format_of_plot(const struct event_log *log, const char *name)
{
    for (uint32_t i = 0; i < td_dict_plot_count(log->dict); i++)
        if (!strcmp(td_dict_text(log->dict, td_dict_get_plot(log->dict, i)->name), name))
            return td_dict_get_plot(log->dict, i)->format;
    return -1;
}

static void everything_that_is_marked_arrives(void **state)
{
    struct run run;
    begin(&run, "all");
    ended_well(&run);
    const struct event_log *log = &run.log;
    assert_int_equal(event_log_zones_on(log, "Main thread", NULL), 80);
    assert_int_equal(event_log_zones(log, "all"), 40); /* two zones without a name show their function */
    assert_int_equal(event_log_zones(log, "named"), 20);
    assert_int_equal(event_log_zones(log, "made"), 20);
    assert_int_equal(event_log_zones(log, "absent"), 0);
    assert_int_equal(event_log_named(log, TD_EVENT_ZONE_TEXT, "one"), 20);
    assert_int_equal(event_log_named(log, TD_EVENT_ZONE_TEXT, "two"), 20);
    assert_int_equal(event_log_named(log, TD_EVENT_ZONE_TEXT, "absent"), 0);
    assert_int_equal(event_log_named(log, TD_EVENT_ZONE_NAME, "renamed"), 20);
    assert_int_equal(log->kinds[TD_EVENT_ZONE_VALUE], 20);
    assert_int_equal(log->kinds[TD_EVENT_ZONE_COLOR], 20);
    assert_int_equal(event_log_named(log, TD_EVENT_MESSAGE, "literal"), 20);
    assert_int_equal(event_log_named(log, TD_EVENT_MESSAGE, "red literal"), 20);
    assert_int_equal(event_log_named(log, TD_EVENT_MESSAGE, "copied"), 20);
    assert_int_equal(event_log_named(log, TD_EVENT_MESSAGE, "green copy"), 20);
    assert_int_equal(run.counts.messages, 81);
    size_t longest = 0;
    for (size_t i = 0; i < log->count; i++)
        if (log->events[i].kind == TD_EVENT_MESSAGE &&
            td_dict_text_bytes(log->dict, log->events[i].subject) > longest)
            longest = td_dict_text_bytes(log->dict, log->events[i].subject);
    assert_int_equal(longest, 65530);
    assert_int_equal(event_log_named(log, TD_EVENT_PLOT, "bytes"), 20);
    assert_int_equal(event_log_named(log, TD_EVENT_PLOT, "ratio"), 20);
    assert_int_equal(event_log_named(log, TD_EVENT_PLOT, "ratio32"), 20);
    assert_int_equal(format_of_plot(log, "bytes"), TracyPlotFormatMemory);
    assert_int_equal(format_of_plot(log, "ratio"), TracyPlotFormatWatt);
    assert_int_equal(event_log_named(log, TD_EVENT_FRAME, ""), 20 + 2); /* with the two that begin the set */
    assert_int_equal(event_log_named(log, TD_EVENT_FRAME, "physics"), 20);
    assert_int_equal(event_log_named(log, TD_EVENT_FRAME_START, "audio"), 20);
    assert_int_equal(event_log_named(log, TD_EVENT_FRAME_END, "audio"), 20);
    assert_int_equal(event_log_named(log, TD_EVENT_APP_INFO, "about this run"), 1);
    for (uint32_t i = 1; i < td_dict_srcloc_count(log->dict); i++)
        if (!strcmp(event_log_location(log, i), "named")) {
            const struct td_srcloc *srcloc = td_dict_get_srcloc(log->dict, i);
            assert_int_equal(srcloc->color, 0x112233);
            assert_non_null(strstr(td_dict_text(log->dict, srcloc->file), "marked.c"));
            assert_string_equal(td_dict_text(log->dict, srcloc->function), "all");
        }
    end(&run);
}

static void threads_that_come_and_go_keep_their_zones(void **state)
{
    struct run run;
    begin(&run, "short");
    ended_well(&run);
    assert_int_equal(run.counts.zones, 100 * (200 + 199)); /* 1, 2, 3, 1, 2, 3 ... threads in 200 rounds */
    assert_int_equal(event_log_zones_on(&run.log, "short", "short zone"), run.counts.zones);
    end(&run);
}

static void frames_marked_by_many_threads_come_in_the_order_of_their_times(void **state)
{
    struct run run;
    begin(&run, "frames");
    ended_well(&run);
    assert_int_equal(run.counts.frames, 8000);
    assert_int_equal(run.counts.time_bent, 0);
    end(&run);
}

static void a_program_that_ends_inside_zones_ends_its_session(void **state)
{
    struct run run;
    begin(&run, "open");
    assert_int_equal(run.going, 0);
    assert_true(WIFEXITED(run.status) && WEXITSTATUS(run.status) == 5);
    assert_int_equal(run.counts.open_zones, 2);
    assert_int_equal(event_log_zones(&run.log, "still open"), 1);
    end(&run);
}

struct victim {
    const struct event_log *log;
    pid_t pid;
};

/* Kills it once all that it marks is here; its last zone comes last, when it has its name. */
static void kill_at_the_last_zone(void *self, struct td_client_counts counts)
{
    struct victim *victim = self;
    if (victim->pid && event_log_zones(victim->log, "inner unfinished") == 1) {
        kill(victim->pid, SIGKILL);
        victim->pid = 0;
    }
}

static void of_a_killed_program_everything_sent_is_kept_and_the_loss_is_said(void **state)
{
    static const char *const environment[] = {"TENDRIL_WAIT_CONNECT_MS=60000", NULL};
    struct run run = {0};
    event_log_init(&run.log);
    int port = free_port();
    pid_t pid = start_marked("killed", port, NULL, environment);
    struct victim victim = {&run.log, pid};
    run.going = collect_watched(run.log.hub, port, kill_at_the_last_zone, &victim, &run.counts, &run.err);
    run.status = wait_marked(pid, 60000);
    check_log(&run);
    assert_int_equal(run.going, TD_E_GONE);
    assert_non_null(strstr(run.err.text, "12 zones, 10 messages"));
    assert_true(WIFSIGNALED(run.status) && WTERMSIG(run.status) == SIGKILL);
    assert_int_equal(event_log_zones(&run.log, "done"), 10);
    assert_int_equal(run.counts.open_zones, 2);
    end(&run);
}

static void a_crash_is_an_event_and_the_signal_still_kills(void **state)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    print_message("skipped: the sanitizer takes the signal itself\n");
    return;
#endif
    struct run run;
    begin(&run, "crash");
    assert_int_equal(run.going, 0);
    assert_true(WIFSIGNALED(run.status) && WTERMSIG(run.status) == SIGSEGV);
    assert_int_equal(event_log_zones(&run.log, "done"), 10);
    assert_int_equal(run.counts.crashes, 1);
    assert_int_equal(event_log_named(&run.log, TD_EVENT_CRASH,
                                     "Invalid memory reference.\nAddress not mapped to object.\n"
                                     "Fault address: 0x0\n"),
                     1);
    end(&run);
}

static void a_forked_child_says_nothing_and_ends_by_itself(void **state)
{
    struct run run;
    begin(&run, "fork");
    assert_int_equal(run.going, 0);
    assert_true(WIFEXITED(run.status) && WEXITSTATUS(run.status) == 7);
    assert_int_equal(event_log_zones(&run.log, "before"), 1);
    assert_int_equal(event_log_zones(&run.log, "after"), 10);
    assert_int_equal(run.counts.zones, 11);
    assert_int_equal(run.counts.frames, 0);
    end(&run);
}

static void without_a_connection_or_a_port_a_program_runs_and_ends_as_ever(void **state)
{
    int port = free_port();
    assert_int_equal(wait_marked(start_marked("all", port, NULL, NULL), 60000), 0);
    int input;
    pid_t first = start_marked("linger", port, &input, NULL);
    static const char *const environment[] = {"TENDRIL_WAIT_CONNECT_MS=100", NULL};
    assert_int_equal(wait_marked(start_marked("all", port, NULL, environment), 60000), 0);
    close(input);
    assert_int_equal(wait_marked(first, 60000), 0);
}

static void a_program_may_wait_at_its_end_for_someone_to_connect(void **state)
{
    static const char *const environment[] = {"TRACY_NO_EXIT=1", NULL};
    struct event_log log;
    event_log_init(&log);
    int port = free_port();
    pid_t pid = start_marked("all", port, NULL, environment);
    poll(NULL, 0, 300); /* long enough for it to be at its end; if not, it is collected as well */
    struct td_client_counts counts;
    struct td_err err = {0};
    assert_int_equal(collect(log.hub, port, &counts, &err), 0);
    assert_int_equal(counts.zones, 80);
    assert_int_equal(counts.unnamed, 0);
    assert_int_equal(wait_marked(pid, 60000), 0);
    event_log_finish(&log);
}

/* As in stock's client: of the time before, a connection only gets what is replayed to each; one is enough. */
static void on_demand_too(void **state)
{
    static const char *const environment[] = {"TRACY_NO_EXIT=1", "TRACY_ON_DEMAND=1", NULL};
    struct event_log log;
    event_log_init(&log);
    int port = free_port();
    pid_t pid = start_marked("all", port, NULL, environment);
    poll(NULL, 0, 1000); /* it is at its end, or comes to it in the session */
    assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
    struct td_client_counts counts;
    struct td_err err = {0};
    assert_int_equal(collect(log.hub, port, &counts, &err), 0);
    assert_int_equal(event_log_named(&log, TD_EVENT_APP_INFO, "about this run"), 1);
    assert_int_equal(wait_marked(pid, 60000), 0);
    event_log_finish(&log);
}

/* 1 if a process listens at the port of an address of this machine other than 127.0.0.1. */
static int listens_elsewhere(int port)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int connected = connect(fd, (struct sockaddr *)&at, sizeof at) == 0;
    close(fd);
    return connected;
}

static int listens_here(int port)
{
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int connected = connect(fd, (struct sockaddr *)&at, sizeof at) == 0;
    close(fd);
    return connected;
}

static void only_this_machine_may_connect_unless_it_is_asked_for(void **state)
{
    static const struct {
        const char *environment[3];
        int elsewhere;
    } cases[] = {{{NULL}, 0},
                 {{"TENDRIL_LISTEN=any", NULL}, 1},
                 {{"TENDRIL_LISTEN=any", "TRACY_ONLY_IPV4=1", NULL}, 1},
                 {{"TENDRIL_LISTEN=any", "TRACY_ONLY_LOCALHOST=1", NULL}, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int port = free_port(), input;
        pid_t pid = start_marked("linger", port, &input, cases[i].environment);
        int64_t until = td_mono_ms() + 60000;
        while (!listens_here(port) && td_mono_ms() < until)
            poll(NULL, 0, 10);
        assert_int_equal(listens_elsewhere(port), cases[i].elsewhere);
        close(input);
        assert_int_equal(wait_marked(pid, 60000), 0);
    }
}

static void a_waiting_program_announces_itself_on_this_machine(void **state)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), yes = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(TD_WIRE_PORT)};
    if (bind(fd, (struct sockaddr *)&at, sizeof at) != 0) {
        print_message("skipped: UDP port %d is taken\n", TD_WIRE_PORT);
        close(fd);
        return;
    }
    int port = free_port(), input, heard = 0, gone = 0;
    pid_t pid = start_marked("linger", port, &input, NULL);
    for (int64_t until = td_mono_ms() + 60000; td_mono_ms() < until && !gone;) {
        struct td_wire_broadcast message = {0};
        struct pollfd wait = {fd, POLLIN, 0};
        if (poll(&wait, 1, 100) <= 0 || recv(fd, &message, sizeof message, 0) < 20 ||
            message.listenPort != port)
            continue; /* packed and little-endian, and its fields are where the compiler puts them */
        assert_int_equal(message.broadcastVersion, 3);
        assert_int_equal(message.protocolVersion, 69);
        assert_int_equal(message.pid, pid);
        assert_string_equal(message.programName, "client_marked");
        heard += message.activeTime >= 0;
        gone = message.activeTime < 0;
        if (heard == 1 && input >= 0) {
            close(input);
            input = -1;
        }
    }
    assert_true(heard && gone);
    close(fd);
    assert_int_equal(wait_marked(pid, 60000), 0);
}

static void a_stop_asked_for_ends_the_session_and_not_the_program(void **state)
{
    struct event_log log;
    event_log_init(&log);
    int port = free_port(), input;
    pid_t pid = start_marked("linger", port, &input, NULL);
    struct td_err err = {0};
    struct td_client_source_config config = {
        .port = port, .connect_ms = 60000, .hub = log.hub, .t0_ticks = 0, .ns_per_tick = 1};
    struct td_client_source *source = td_client_source_create(&config, &err);
    assert_non_null(source);
    int going, asked = 0;
    while ((going = td_client_source_pump(source, &err)) == 1) {
        if (!asked && td_client_source_counts(source).zones > 20) {
            td_client_source_ask_end(source);
            asked = 1;
        }
        poll(NULL, 0, 1);
    }
    if (going != 0)
        fail_msg("%s", err.text);
    assert_int_equal(td_client_source_get_state(source), TD_SOURCE_OVER);
    assert_int_equal(td_client_source_pump(source, &err), 0);
    td_client_source_destroy(source);
    assert_null(event_log_fault(&log));
    assert_true(event_log_zones(&log, "lingering") > 20);
    event_log_finish(&log);
    /* One session a program: a later peer gets a refusal. */
    struct td_client_counts counts;
    struct td_err later = {0};
    event_log_init(&log);
    assert_int_equal(collect(log.hub, port, &counts, &later), TD_E_GONE);
    assert_non_null(strstr(later.text, "already given"));
    event_log_finish(&log);
    close(input);
    assert_int_equal(wait_marked(pid, 60000), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_million_zones_of_each_of_two_threads_arrive_in_order),
        cmocka_unit_test(everything_that_is_marked_arrives),
        cmocka_unit_test(threads_that_come_and_go_keep_their_zones),
        cmocka_unit_test(frames_marked_by_many_threads_come_in_the_order_of_their_times),
        cmocka_unit_test(a_program_that_ends_inside_zones_ends_its_session),
        cmocka_unit_test(of_a_killed_program_everything_sent_is_kept_and_the_loss_is_said),
        cmocka_unit_test(a_crash_is_an_event_and_the_signal_still_kills),
        cmocka_unit_test(a_forked_child_says_nothing_and_ends_by_itself),
        cmocka_unit_test(without_a_connection_or_a_port_a_program_runs_and_ends_as_ever),
        cmocka_unit_test(a_program_may_wait_at_its_end_for_someone_to_connect),
        cmocka_unit_test(on_demand_too),
        cmocka_unit_test(only_this_machine_may_connect_unless_it_is_asked_for),
        cmocka_unit_test(a_waiting_program_announces_itself_on_this_machine),
        cmocka_unit_test(a_stop_asked_for_ends_the_session_and_not_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
