/* The handler reports the crash, waits until it is sent with all that is queued, then passes the signal to
 * the handler before it. It may interrupt any code, so it neither allocates nor locks. */
#include "host/client/crash/crash.h"
#include "host/client/crash/crash_text.h"
#include "host/client/crash/report.h"
#include "host/client/platform/client_api.h"
#include "host/client/platform/crash_thread.h"
#include "host/client/platform/safe_copy.h"
#include "host/client/platform/session_state.h"
#include "host/client/platform/settings.h"
#include "host/client/queue/records.h"
#include "host/client/symbols/resolver.h"
#include "host/client/symbols/stack.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define SEND_MS 20000 /* at most, for sending what is queued */

static const int fatal[] = {
#if defined(__aarch64__) || defined(__riscv)
    SIGTRAP, /* __builtin_trap() */
#endif
    SIGILL,  SIGFPE, SIGSEGV, SIGBUS, SIGABRT, SIGPIPE};
#define COUNT (sizeof fatal / sizeof *fatal)

static td_crash_sender *send_report;
static struct td_crash_report crash; /* not in a queue: the crash may have interrupted a write to it */
static struct sigaction before[COUNT];
static atomic_int installed[COUNT];
static sigjmp_buf broken_stack;
static volatile sig_atomic_t walking;

static void nap_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* ---- the call stack ---- */

struct crash_place {
    greg_t *pc, *sp;
};

static struct crash_place place_in(void *context)
{
    ucontext_t *c = context;
#if defined(__x86_64__)
    return (struct crash_place){&c->uc_mcontext.gregs[REG_RIP], &c->uc_mcontext.gregs[REG_RSP]};
#elif defined(__aarch64__)
    return (struct crash_place){(greg_t *)&c->uc_mcontext.pc, (greg_t *)&c->uc_mcontext.regs[30]};
#elif defined(__riscv)
    return (struct crash_place){(greg_t *)&c->uc_mcontext.__gregs[REG_PC],
                                (greg_t *)&c->uc_mcontext.__gregs[REG_RA]};
#else
#error "where are the program counter and the stack pointer of a signal's context?"
#endif
}

/* The program called an address that is not code. Walks the stack as if that call had returned. */
static void walk_from_caller(struct crash_place at)
{
    greg_t pc = *at.pc, sp = *at.sp;
    uint64_t back = 0;
    unsigned first = pc != 0;
    crash.stack[0] = (uint64_t)pc;
#if defined(__aarch64__) || defined(__riscv) /* the link register */
    back = (uint64_t)sp;
#else
    if (td_safe_copy((uint64_t)sp, &back, sizeof back))
        *at.sp = sp + 8;
#endif
    *at.pc = (greg_t)(back - 1);
    if (back)
        td_stack_walk_from(crash.stack + first, (int)(TD_REC_STACK_MAX - first), back - 1);
    *at.pc = pc;
    *at.sp = sp;
}

/* Walks from the instruction that raised the signal. A broken stack may make the walk fault. */
static void walk_stack(void *context)
{
    struct crash_place at = place_in(context);
    if (sigsetjmp(broken_stack, 1) == 0) {
        walking = 1;
        if (!td_stack_walk_from(crash.stack, TD_REC_STACK_MAX, (uint64_t)*at.pc))
            walk_from_caller(at);
    }
    walking = 0;
    while (crash.frames < TD_REC_STACK_MAX && crash.stack[crash.frames])
        crash.frames++;
}

/* ---- other threads ---- */

static atomic_int frozen;

static void wait_while_frozen(int signal_number)
{
    (void)signal_number;
    while (atomic_load(&frozen))
        nap_ms(10);
}

static uint32_t number_in(const char *text)
{
    uint32_t value = 0;
    for (; *text >= '0' && *text <= '9'; text++)
        value = 10 * value + (uint32_t)(*text - '0');
    return value;
}

/* Stops all other threads, so that they neither change what a core dump shows nor end the program. The
 * client's own threads block the signal. */
static void freeze_others(uint32_t self)
{
    struct entry {
        uint64_t inode, next;
        uint16_t bytes;
        uint8_t type;
        char name[];
    };
    char list[4096] __attribute__((aligned(8)));
    int with = td_setting_value(TD_SETTING_CRASH_SIGNAL) ? td_setting_value(TD_SETTING_CRASH_SIGNAL) : SIGPWR;
    struct sigaction action = {.sa_handler = wait_while_frozen, .sa_flags = SA_RESTART};
    long tasks = syscall(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (tasks < 0 || sigaction(with, &action, NULL) != 0)
        return;
    atomic_store(&frozen, 1);
    long got;
    while ((got = syscall(SYS_getdents64, tasks, list, sizeof list)) > 0)
        for (long at = 0; at < got;) {
            const struct entry *entry = (const void *)(list + at);
            uint32_t thread = number_in(entry->name);
            if (thread && thread != self)
                syscall(SYS_tgkill, getpid(), thread, with);
            at += entry->bytes;
        }
    syscall(SYS_close, tasks);
}

/* ---- the signal ---- */

static size_t index_of(int signal_number)
{
    size_t i = 0;
    while (i + 1 < COUNT && fatal[i] != signal_number)
        i++;
    return i;
}

/* Restores the handler before this one. An instruction that faulted will fault again; a signal that was
 * sent is sent again with its information. */
static void pass_on(int signal_number, siginfo_t *info)
{
    sigaction(signal_number, &before[index_of(signal_number)], NULL);
    int comes_again = info->si_code > 0 && signal_number != SIGPIPE && signal_number != SIGABRT;
    if (!comes_again)
        syscall(SYS_rt_tgsigqueueinfo, getpid(), td_client_thread_id(), signal_number, info);
}

static void report_crash(int signal_number, siginfo_t *info, void *context, uint32_t self)
{
    static char text[TD_CRASH_TEXT_MAX];
    if (td_session_state() != TD_CLIENT_CONNECTED)
        return;
    freeze_others(self);
    td_crash_text(text, signal_number, info);
    crash.time = (int64_t)td_client_ticks();
    crash.thread = self;
    crash.text = text;
    if (!td_setting_value(TD_SETTING_NO_CALLSTACK))
        walk_stack(context);
    send_report(&crash, SEND_MS);
}

static void on_fatal(int signal_number, siginfo_t *info, void *context)
{
    td_resolver_rescue();
    uint32_t self = td_client_thread_id(), first = td_crash_is_of(self);
    if (!first) {
        report_crash(signal_number, info, context, self);
        td_crash_is_told();
        if (before[index_of(signal_number)].sa_handler != SIG_DFL)
            atomic_store(&frozen, 0); /* the program's handler may let it continue */
    } else if (first == self && walking) {
        siglongjmp(broken_stack, 1);
    } else if (first != self) {
        td_crash_wait();
    }
    pass_on(signal_number, info);
}

/* ---- installing ---- */

void td_crash_install(td_crash_sender *send)
{
    send_report = send;
    if (td_setting_value(TD_SETTING_NO_CRASH_HANDLER) || td_setting_value(TD_SETTING_SIGNALS_ALONE))
        return;
    for (size_t i = 0; i < COUNT; i++) {
        struct sigaction action = {.sa_sigaction = on_fatal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
        if (fatal[i] == SIGSEGV || fatal[i] == SIGBUS)
            action.sa_flags |= SA_NODEFER; /* walking the stack may raise one */
        if (!installed[i] && sigaction(fatal[i], NULL, &before[i]) == 0 && before[i].sa_handler != SIG_IGN)
            installed[i] = sigaction(fatal[i], &action, NULL) == 0;
    }
    td_crash_stacks(installed[index_of(SIGSEGV)]);
    td_setting_value(TD_SETTING_CRASH_SIGNAL); /* reads the environment now, not in the handler */
    uint64_t primed;
    td_stack_walk_from(&primed, 1, 0); /* the unwinder initialises itself now, not in the handler */
    td_crash_thread_begins();
}

void td_crash_remove(void)
{
    for (size_t i = 0; i < COUNT; i++) {
        struct sigaction now;
        if (installed[i] && sigaction(fatal[i], NULL, &now) == 0 && now.sa_sigaction == on_fatal)
            sigaction(fatal[i], &before[i], NULL);
        installed[i] = 0;
    }
    td_crash_stacks(0);
    td_crash_thread_ends();
}
