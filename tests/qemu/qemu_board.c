#include "tests/qemu/qemu_board.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#define QEMU     "/usr/bin/qemu-system-riscv32"
#define FIRMWARE TD_BINARY_DIR "/boards/qemu_virt/probe.elf"
#define KERNELS  TD_BINARY_DIR "/tests/qemu_kernels"

static void exec_qemu(const struct qemu_board *q, const char *const *options)
{
    char chardev[200];
    snprintf(chardev, sizeof chardev, "socket,id=uart,path=%s,server=on,wait=off", q->socket);
    const char *argv[40] = {QEMU,   "-M",       "virt",  "-bios",   "none",        "-kernel", FIRMWARE,
                            "-smp", "5",        "-m",    "16",      "-display",    "none",    "-monitor",
                            "none", "-chardev", chardev, "-serial", "chardev:uart"};
    int n = 19;
    for (; options && *options && n < 39; options++)
        argv[n++] = *options;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execv(QEMU, (char *const *)argv);
    _exit(127);
}

struct qemu_board *qemu_start(const char *const *options)
{
    if (access(QEMU, X_OK) != 0 || access(FIRMWARE, R_OK) != 0) {
        print_message("skipped: there is no " QEMU " or no " FIRMWARE "\n");
        return NULL;
    }
    struct qemu_board *q = calloc(1, sizeof *q);
    assert_non_null(q);
    snprintf(q->folder, sizeof q->folder, "/tmp/tendril-qemu-XXXXXX");
    assert_non_null(mkdtemp(q->folder));
    snprintf(q->socket, sizeof q->socket, "%s/uart", q->folder);
    snprintf(q->where, sizeof q->where, "unix:%s", q->socket);
    q->pid = fork();
    assert_true(q->pid >= 0);
    if (q->pid == 0)
        exec_qemu(q, options);
    return q;
}

void qemu_open(struct qemu_board *q, const char *where, enum td_policy policy)
{
    struct td_err err = {0};
    for (int i = 0; i < QEMU_LANES; i++)
        lane_count_init(&q->lanes[i]);
    q->device = td_device_open(where ? where : q->where, &err);
    if (q->device)
        q->drain = td_drain_create(td_device_transport(q->device), td_device_board(q->device), policy, &err);
    if (!q->drain)
        fail_msg("%s", err.text);
}

void qemu_close(struct qemu_board *q)
{
    td_drain_destroy(q->drain);
    td_device_close(q->device);
    q->drain = NULL;
    q->device = NULL;
}

void qemu_kill(struct qemu_board *q)
{
    if (q->pid <= 0)
        return;
    kill(q->pid, SIGKILL);
    waitpid(q->pid, NULL, 0);
    q->pid = 0;
}

void qemu_stop(struct qemu_board *q)
{
    qemu_close(q);
    qemu_kill(q);
    char command[200];
    snprintf(command, sizeof command, "rm -rf '%s'", q->folder);
    assert_int_equal(system(command), 0);
    free(q);
}

const char *qemu_kernel(const char *kernel, uint32_t core)
{
    static char path[300];
    snprintf(path, sizeof path, KERNELS "/%s.HART%u.elf", kernel, core + 1);
    return path;
}

void qemu_prepare(struct qemu_board *q, uint32_t core, const char *kernel, uint32_t op, uint32_t arg)
{
    struct td_err err = {0};
    struct td_core_at at = {0, 0, 0, (uint16_t)core};
    if (td_device_load(q->device, at, qemu_kernel(kernel, core), &err) ||
        td_device_prepare(q->device, at, op, arg, &err))
        fail_msg("%s", err.text);
}

void qemu_prepare_all(struct qemu_board *q, const char *kernel, uint32_t op, uint32_t arg)
{
    for (uint32_t core = 0; core < QEMU_LANES; core++)
        qemu_prepare(q, core, kernel, op, arg);
}

static int on_words(void *self, const struct td_lane_at *at, const uint32_t *words, size_t slots,
                    struct td_err *err)
{
    struct qemu_board *q = self;
    return lane_count_words(&q->lanes[at->index], at, words, slots);
}

int qemu_poll(struct qemu_board *q, size_t *taken, struct td_err *err)
{
    struct td_err own = {0};
    int rc = td_drain_poll(q->drain, on_words, q, taken, err ? err : &own);
    if (rc && !err)
        fail_msg("%s", own.text);
    return rc;
}

void qemu_finish(struct qemu_board *q)
{
    struct td_err err = {0};
    if (td_drain_finish(q->drain, on_words, q, &err))
        fail_msg("%s", err.text);
    for (int i = 0; i < QEMU_LANES; i++)
        lane_count_finish(&q->lanes[i]);
}

int qemu_run(struct qemu_board *q, int drain, int *exit_code, struct td_err *err)
{
    if (td_device_launch(q->device, err))
        return err->code;
    if (!drain)
        return td_device_wait(q->device, 60000, exit_code, err);
    int rc, code = 0;
    if (exit_code)
        *exit_code = 0;
    do {
        struct td_err why = {0};
        size_t taken = 0;
        rc = qemu_poll(q, &taken, err);
        if (rc)
            return rc;
        if (taken == 0)
            nanosleep(&(struct timespec){0, 200000}, NULL);
        rc = td_device_wait(q->device, 0, &code, &why);
        if (exit_code && *exit_code == 0)
            *exit_code = code; /* each wait reports only the cores that it saw end */
        if (rc != TD_E_TIMEOUT)
            *err = why;
    } while (rc == TD_E_TIMEOUT);
    return rc;
}
