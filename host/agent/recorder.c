#include "host/agent/recorder.h"

#include "host/agent/child.h"
#include "host/agent/client_source.h"
#include "host/base/clock.h"
#include "host/base/process.h"
#include "host/transport/shm.h"
#include "host/wire/hello.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BOARD_START_MS     20000
#define BOARD_LOOK_MS      250
#define SYNC_EVERY_NS      50000000
#define SYNC_READS         24
#define SYNC_READS_AT_ENDS 200
#define CONNECT_WAIT_MS    "3000" /* how long an instrumented program waits for us at its start */
#define RUN_DIR_PREFIX     "tendril-run-"
#define GRACE_MS           3000 /* for a program whose board has died, or that was asked to stop */

struct recorder {
    const struct td_recorder_options *options;
    struct td_recorder_result *result;
    char run_dir[256]; /* the BAR file and copies of the kernels' ELFs */
    char bar_path[300];
    struct td_board board;
    struct td_child sim, program;
    struct td_transport *transport;
    struct td_hub *hub;
    struct td_trace *trace;
    struct td_board_source *source;
    struct td_client_source *client; /* NULL: not asked for, or over */
    int port;
    int board_gone;
    uint64_t t0;
    double ns_per_tick; /* one value for both sides: they are merged */
    int64_t next_sync_ns, deadline_ns;
    int asked_to_stop;
};

static void trouble(struct recorder *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The first trouble is the cause of those that follow. */
static void trouble(struct recorder *r, const char *format, ...)
{
    if (r->result->trouble[0])
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(r->result->trouble, sizeof r->result->trouble, format, args);
    va_end(args);
}

static void remove_run_dir(const char *path)
{
    DIR *dir = path[0] ? opendir(path) : NULL;
    if (!dir)
        return;
    for (struct dirent *e; (e = readdir(dir));)
        if (e->d_name[0] != '.')
            unlinkat(dirfd(dir), e->d_name, 0);
    closedir(dir);
    rmdir(path);
}

/* Folders of recorders that were killed: their names tell which process made them. */
static void remove_stale_dirs(const char *base)
{
    DIR *dir = opendir(base);
    if (!dir)
        return;
    for (struct dirent *e; (e = readdir(dir));) {
        int pid;
        char path[600];
        if (sscanf(e->d_name, RUN_DIR_PREFIX "%d-", &pid) != 1 || pid <= 0)
            continue;
        if (!td_process_gone(pid))
            continue;
        snprintf(path, sizeof path, "%s/%s", base, e->d_name);
        remove_run_dir(path);
    }
    closedir(dir);
}

/* Memory if the board fits into it (containers often have little), else a folder for temporary files. */
static const char *run_dir_base(const struct td_board *board)
{
    struct statvfs shm;
    uint64_t tiles = (uint64_t)board->chips * board->grid_width * board->grid_height;
    uint64_t wanted = tiles * board->l1_bytes + board->dram_banks * board->dram_bank_bytes / 4;
    if (access("/dev/shm", W_OK) == 0 && statvfs("/dev/shm", &shm) == 0 &&
        (uint64_t)shm.f_bavail * shm.f_bsize > wanted)
        return "/dev/shm";
    const char *base = getenv("TMPDIR");
    return base && *base ? base : "/tmp";
}

static int make_run_dir(struct recorder *r, struct td_err *err)
{
    const char *base = run_dir_base(&r->board);
    remove_stale_dirs(base);
    snprintf(r->run_dir, sizeof r->run_dir, "%s/" RUN_DIR_PREFIX "%d-XXXXXX", base, (int)getpid());
    if (!mkdtemp(r->run_dir)) {
        r->run_dir[0] = 0;
        return td_fail_errno(err, "cannot make a folder in %s", base);
    }
    snprintf(r->bar_path, sizeof r->bar_path, "%s/board.bar", r->run_dir);
    return 0;
}

static int start_board(struct recorder *r, struct td_err *err)
{
    const struct td_recorder_options *o = r->options;
    char path[4096];
    td_child_find("tensix_sim", path, sizeof path);
    const char *argv[24] = {path,     "--bar",          r->bar_path, "--board",
                            o->board, "--parent-death", "--clock",   o->insn_clock ? "insn" : "host"};
    int n = 8;
    const char *more[][2] = {
        {"--grid", o->grid}, {"--offset-ns", o->offset_ns}, {"--drift-ppm", o->drift_ppm}};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (more[i][1]) {
            argv[n++] = more[i][0];
            argv[n++] = more[i][1];
        }
    int rc = td_child_start(&r->sim, (char *const *)argv, NULL, 1, err);
    if (rc < 0)
        return rc;
    for (int waited_ms = 0; !r->transport; waited_ms += BOARD_LOOK_MS) {
        struct td_err why = {0};
        r->transport = td_shm_open(r->bar_path, BOARD_LOOK_MS, &why);
        if (!r->transport && !td_child_running(&r->sim))
            return td_fail(err, TD_E_GONE,
                           "the simulated board did not start; its own message above says why");
        if (!r->transport && waited_ms >= BOARD_START_MS)
            return td_fail(err, TD_E_TIMEOUT, "%s", why.text);
    }
    return td_board_of_transport(&r->board, r->transport, err);
}

static int start_source(struct recorder *r, struct td_err *err)
{
    const struct td_recorder_options *o = r->options;
    const char *dirs[17] = {r->run_dir};
    size_t dir_count = 1;
    for (size_t i = 0; i < o->elf_dir_count && dir_count < 16; i++)
        dirs[dir_count++] = o->elf_dirs[i];
    struct td_board_source_options so = {
        .policy = o->policy, .virtual_clock = o->insn_clock, .elf_dirs = dirs, .elf_dir_count = dir_count};
    r->source = td_board_source_create(r->transport, &r->board, &so, td_hub_dict(r->hub), err);
    if (!r->source)
        return err ? err->code : TD_E_NOMEM;
    return td_board_source_sync(r->source, SYNC_READS_AT_ENDS, err);
}

static int start_model(struct recorder *r, struct td_err *err)
{
    struct td_dict *dict = td_dict_create();
    r->trace = dict ? td_trace_create(dict) : NULL;
    r->hub = r->trace ? td_hub_create(dict) : NULL;
    if (!r->hub || td_hub_add_sink(r->hub, td_trace_sink(r->trace)) < 0)
        return td_fail(err, TD_E_NOMEM, "out of memory");
    return 0;
}

/* A TCP port that is free now. */
static int free_port(void)
{
    int port = 0;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof at;
    if (fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0 &&
        getsockname(fd, (struct sockaddr *)&at, &bytes) == 0)
        port = ntohs(at.sin_port);
    if (fd >= 0)
        close(fd);
    return port;
}

static int start_program(struct recorder *r, struct td_err *err)
{
    char bar[340], run[300], port[32];
    snprintf(bar, sizeof bar, "TENDRIL_BOARD=%s", r->bar_path);
    snprintf(run, sizeof run, "TENDRIL_RUN_DIR=%s", r->run_dir);
    snprintf(port, sizeof port, "TRACY_PORT=%d", r->port);
    const char *env[6] = {bar, run};
    if (r->client) {
        env[2] = port;
        env[3] = "TRACY_ONLY_LOCALHOST=1";
        env[4] = "TENDRIL_WAIT_CONNECT_MS=" CONNECT_WAIT_MS;
    }
    return td_child_start(&r->program, r->options->program, env, 0, err);
}

static int start_client(struct recorder *r, struct td_err *err)
{
    if (r->options->insn_clock)
        return 0;
    r->port = free_port();
    if (!r->port)
        return td_fail_errno(err, "no free TCP port on this machine");
    struct td_client_source_config config = {.port = r->port,
                                             .connect_ms = INT_MAX,
                                             .hub = r->hub,
                                             .t0_ticks = r->t0,
                                             .ns_per_tick = r->ns_per_tick};
    r->client = td_client_source_create(&config, err);
    return r->client ? 0 : err ? err->code : TD_E_NOMEM;
}

/* The board has died: nothing can come from its lanes any more. */
static void lose_board(struct recorder *r, const struct td_err *why)
{
    if (r->board_gone)
        return;
    r->board_gone = 1;
    char how[100] = "stopped answering";
    if (!td_child_running(&r->sim))
        td_child_failed(&r->sim, how, sizeof how);
    trouble(r, "the board %s (%s); the trace holds what was drained before", how, why->text);
    r->deadline_ns = td_mono_ns() + (int64_t)GRACE_MS * 1000000;
}

static int poll_board(struct recorder *r, size_t *taken, struct td_err *err)
{
    struct td_err why = {0};
    *taken = 0;
    if (r->board_gone)
        return 0;
    int rc = td_board_source_poll(r->source, taken, &why);
    int64_t now = td_mono_ns();
    if (rc == 0 && now >= r->next_sync_ns) {
        r->next_sync_ns = now + SYNC_EVERY_NS;
        rc = td_board_source_sync(r->source, SYNC_READS, &why);
        if (rc == 0 && !td_child_running(&r->sim))
            rc = td_fail(&why, TD_E_GONE, "its process ended");
    }
    if (rc == TD_E_GONE || rc == TD_E_TIMEOUT) {
        lose_board(r, &why);
        return 0;
    }
    return rc < 0 ? td_fail(err, rc, "%s", why.text) : 0;
}

/* What the client said of its process. */
static void take_welcome(struct recorder *r)
{
    const struct td_wire_welcome *w = td_client_source_welcome(r->client);
    struct td_client_counts counts = td_client_source_counts(r->client);
    struct td_trace_info *info = td_trace_info(r->trace);
    r->result->host_zones = counts.zones;
    r->result->host_messages = counts.messages;
    if (!w->pid)
        return;
    info->pid = w->pid;
    info->executable_time_s = w->exectime;
    info->timer_mul = w->timerMul;
    info->cpu_arch = w->cpuArch;
    info->cpu_id = w->cpuId;
    memcpy(info->cpu_vendor, w->cpuManufacturer, sizeof info->cpu_vendor);
    td_trace_set_string(&info->host_info, w->hostInfo);
}

static void end_client(struct recorder *r)
{
    if (!r->client)
        return;
    take_welcome(r);
    td_client_source_destroy(r->client);
    r->client = NULL;
}

/* Lets the program's own events in, or sleeps when there are none to wait for. */
static int pump_client(struct recorder *r, int wait_ms, struct td_err *err)
{
    struct pollfd fd = {.fd = r->client ? td_client_source_fd(r->client) : -1};
    if (r->client) {
        int limit = td_client_source_wait_ms(r->client);
        fd.events = td_client_source_events(r->client);
        wait_ms = limit >= 0 && limit < wait_ms ? limit : wait_ms;
    }
    if (wait_ms > 0 || fd.fd >= 0)
        poll(&fd, 1, wait_ms);
    if (!r->client)
        return 0;
    struct td_err why = {0};
    int rc = td_client_source_pump(r->client, &why);
    if (rc > 0)
        return 0;
    int connected = td_client_source_state(r->client) != TD_SOURCE_CONNECTING && rc != TD_E_TIMEOUT;
    end_client(r);
    if (rc == TD_E_NOMEM)
        return td_fail(err, rc, "%s", why.text);
    /* A program that dies takes its connection along: its exit tells more. */
    if (rc < 0 && connected && td_child_running(&r->program))
        trouble(r, "the program's own zones end early: %s", why.text);
    return 0;
}

/* Ctrl-C: the program is asked, then told. */
static void heed_interrupt(struct recorder *r)
{
    int wanted = *r->options->interrupted;
    if (!wanted || !r->program.pid)
        return;
    if (!r->asked_to_stop) {
        r->asked_to_stop = 1;
        kill(r->program.pid, SIGINT);
        r->deadline_ns = td_mono_ns() + (int64_t)GRACE_MS * 1000000;
    } else if (wanted > 1) {
        r->deadline_ns = 0;
    }
}

static int run_loop(struct recorder *r, struct td_err *err)
{
    int idle = 0;
    while (td_child_running(&r->program)) {
        size_t taken;
        int rc = poll_board(r, &taken, err);
        if (rc == 0)
            rc = pump_client(r, idle > 4 ? 1 : 0, err);
        if (rc < 0)
            return rc;
        idle = taken ? 0 : idle + 1;
        heed_interrupt(r);
        if ((r->asked_to_stop || r->board_gone) && td_mono_ns() >= r->deadline_ns)
            td_child_stop(&r->program, r->asked_to_stop ? 1000 : GRACE_MS);
    }
    /* What the program sent last is still in the socket. */
    int64_t until = td_mono_ns() + (int64_t)GRACE_MS * 1000000;
    while (r->client && td_client_source_state(r->client) != TD_SOURCE_CONNECTING && td_mono_ns() < until) {
        int rc = pump_client(r, 10, err);
        if (rc < 0)
            return rc;
    }
    end_client(r);
    return 0;
}

static void note_program(struct recorder *r)
{
    char how[120];
    int status = r->program.status;
    r->result->program_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (!td_child_failed(&r->program, how, sizeof how))
        return;
    if (r->asked_to_stop)
        trouble(r, "stopped by the user; the trace holds what ran until then");
    else
        trouble(r, "%s %s; its own message above says why, the trace shows what it did until then",
                r->options->program[0], how);
}

static int write_notes(struct recorder *r, struct td_err *err)
{
    const struct td_board_summary *s = td_board_source_summary(r->source);
    int rc = td_trace_note(r->trace, TD_NOTE_BOARD, "%s %" PRIu32 "x%" PRIu32, r->board.name,
                           r->board.grid_width, r->board.grid_height);
    if (rc == 0 && s->clock_error_ns >= 0)
        rc = td_trace_note(r->trace, TD_NOTE_CLOCK_ERROR_NS, "%.0f", s->clock_error_ns);
    const struct {
        const char *key;
        uint64_t value;
    } counts[] = {{TD_NOTE_LOST, s->lost_zones},
                  {TD_NOTE_LOST_OTHER, s->lost_other},
                  {TD_NOTE_STALLS, s->stalls},
                  {TD_NOTE_BAD_BYTES, s->bad_slots * 8}};
    for (size_t i = 0; rc == 0 && i < sizeof counts / sizeof *counts; i++)
        rc = td_trace_note(r->trace, counts[i].key, "%" PRIu64, counts[i].value);
    for (uint32_t i = 0; rc == 0 && i < s->faults; i++)
        rc = td_trace_note(r->trace, TD_NOTE_FAULT, "%s", td_board_source_fault(r->source, i));
    return rc < 0 ? td_fail(err, rc, "out of memory") : 0;
}

static int fill_info(struct recorder *r, struct td_err *err)
{
    struct td_trace_info *info = td_trace_info(r->trace);
    const char *name = strrchr(r->options->program[0], '/');
    name = name ? name + 1 : r->options->program[0];
    /* Virtual time: the same input gives the same bytes, so nothing of this run's date or process enters. */
    time_t now = r->options->insn_clock ? 0 : time(NULL);
    char capture[300], when[40] = "virtual time";
    struct tm tm;
    if (!r->options->insn_clock && localtime_r(&now, &tm))
        strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &tm);
    snprintf(capture, sizeof capture, "%.200s @ %s", name, when);
    info->capture_time_s = (uint64_t)now;
    info->resolution_ns = 1;
    if (info->timer_mul == 0)
        info->timer_mul = 1.0;
    if (td_trace_set_string(&info->capture_name, capture) < 0 ||
        td_trace_set_string(&info->program, name) < 0)
        return td_fail(err, TD_E_NOMEM, "out of memory");
    return 0;
}

static int finish(struct recorder *r, struct td_err *err)
{
    struct td_err why = {0};
    if (!r->board_gone && td_board_source_sync(r->source, SYNC_READS_AT_ENDS, &why) < 0)
        lose_board(r, &why);
    int rc = td_board_source_finish(r->source, r->board_gone, r->hub, r->t0, r->ns_per_tick, err);
    if (rc < 0)
        return rc;
    r->result->board = *td_board_source_summary(r->source);
    note_program(r);
    const char *missing = td_board_source_missing_image(r->source);
    if (r->result->board.faults)
        trouble(r, "a core stopped: %s", td_board_source_fault(r->source, 0));
    if (missing)
        trouble(r, "no ELF with build id %s: its zones have no names; name its folder with --elf DIR",
                missing);
    rc = fill_info(r, err);
    if (rc == 0)
        rc = write_notes(r, err);
    return rc < 0 ? rc : td_trace_finish(r->trace, err);
}

int td_recorder_run(const struct td_recorder_options *options, struct td_trace **trace,
                    struct td_recorder_result *result, struct td_err *err)
{
    struct recorder r = {.options = options, .result = result};
    memset(result, 0, sizeof *result);
    *trace = NULL;
    td_clock_init();
    r.t0 = td_host_ticks();
    /* What is wrong with the board's name or grid is said before anything starts. */
    int rc = td_board_load(&r.board, options->board, options->grid, NULL, err);
    if (rc == 0)
        rc = make_run_dir(&r, err);
    if (rc == 0)
        rc = start_board(&r, err);
    if (rc == 0)
        rc = start_model(&r, err);
    if (rc == 0)
        rc = start_source(&r, err);
    r.ns_per_tick = td_host_ns_per_tick(100);
    if (rc == 0)
        rc = start_client(&r, err);
    if (rc == 0)
        rc = start_program(&r, err);
    if (rc == 0) {
        rc = run_loop(&r, err);
        int ended = finish(&r, rc < 0 ? NULL : err); /* also after an error: keep what there is */
        if (rc == 0)
            rc = ended;
        else if (ended == 0) {
            trouble(&r, "%s", err ? err->text : "recording failed");
            rc = 0;
            if (err)
                memset(err, 0, sizeof *err);
        }
    }
    td_child_stop(&r.program, 1000);
    end_client(&r);
    td_board_source_destroy(r.source);
    td_transport_close(r.transport);
    td_child_stop(&r.sim, 1000);
    remove_run_dir(r.run_dir);
    td_hub_destroy(r.hub);
    if (rc == 0)
        *trace = r.trace;
    else
        td_trace_destroy(r.trace);
    return rc;
}
