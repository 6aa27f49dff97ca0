#include "host/client/watch/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef TD_WITH_SECCOMP
#include <seccomp.h>
#endif

#define CAPABILITY(name) (UINT64_C(1) << (name))

/* Of events, processes of others, their deleted files, files of others, names in the kernel; of large rings. */
#define OBSERVING                                                                                            \
    (CAPABILITY(CAP_PERFMON) | CAPABILITY(CAP_SYS_PTRACE) | CAPABILITY(CAP_CHECKPOINT_RESTORE) |             \
     CAPABILITY(CAP_DAC_READ_SEARCH) | CAPABILITY(CAP_SYSLOG) | CAPABILITY(CAP_IPC_LOCK))

bool td_watch_rights_keep_observing(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct sets[2];
    uint64_t kept = OBSERVING;
    /* Kernels before 5.8 ask for this one instead. */
    if (prctl(PR_CAPBSET_READ, CAP_PERFMON, 0, 0, 0) < 0)
        kept |= CAPABILITY(CAP_SYS_ADMIN);
    if (syscall(SYS_capget, &header, sets) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        sets[i].permitted &= (uint32_t)(kept >> 32 * i);
        sets[i].effective &= sets[i].permitted;
        sets[i].inheritable = 0;
    }
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(SYS_capset, &header, sets) == 0;
}

#ifdef TD_WITH_SECCOMP

/* What the client's threads call while they serve, and what the C library calls for them. */
static const int allowed[] = {
    /* files, of which open() is below */
    SCMP_SYS(read), SCMP_SYS(readv), SCMP_SYS(pread64), SCMP_SYS(write), SCMP_SYS(writev), SCMP_SYS(lseek),
    SCMP_SYS(close), SCMP_SYS(fstat), SCMP_SYS(stat), SCMP_SYS(lstat), SCMP_SYS(newfstatat), SCMP_SYS(statx),
    SCMP_SYS(access), SCMP_SYS(faccessat), SCMP_SYS(faccessat2), SCMP_SYS(readlink), SCMP_SYS(readlinkat),
    SCMP_SYS(getdents64), SCMP_SYS(dup), SCMP_SYS(fcntl), SCMP_SYS(ioctl), SCMP_SYS(memfd_create),
    SCMP_SYS(eventfd2), SCMP_SYS(pipe2),
    /* waiting */
    SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(select), SCMP_SYS(pselect6), SCMP_SYS(epoll_create1),
    SCMP_SYS(epoll_ctl), SCMP_SYS(epoll_wait), SCMP_SYS(epoll_pwait), SCMP_SYS(nanosleep),
    SCMP_SYS(clock_nanosleep), SCMP_SYS(futex), SCMP_SYS(sched_yield), SCMP_SYS(restart_syscall),
    /* the recorder's connection */
    SCMP_SYS(accept), SCMP_SYS(accept4), SCMP_SYS(recvfrom), SCMP_SYS(recvmsg), SCMP_SYS(sendto),
    SCMP_SYS(sendmsg), SCMP_SYS(shutdown), SCMP_SYS(setsockopt), SCMP_SYS(getsockopt), SCMP_SYS(getsockname),
    SCMP_SYS(getpeername),
    /* memory, also that of observed processes, to read */
    SCMP_SYS(mmap), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(mprotect), SCMP_SYS(madvise), SCMP_SYS(brk),
    SCMP_SYS(process_vm_readv),
    /* threads and signals */
    SCMP_SYS(set_robust_list), SCMP_SYS(rseq), SCMP_SYS(prctl), SCMP_SYS(membarrier), SCMP_SYS(exit),
    SCMP_SYS(exit_group), SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
    SCMP_SYS(sigaltstack), SCMP_SYS(tgkill), SCMP_SYS(gettid), SCMP_SYS(getpid), SCMP_SYS(getppid),
    SCMP_SYS(sched_getaffinity), SCMP_SYS(sched_setaffinity), SCMP_SYS(getcpu),
    /* what the machine is */
    SCMP_SYS(clock_gettime), SCMP_SYS(clock_getres), SCMP_SYS(gettimeofday), SCMP_SYS(time), SCMP_SYS(uname),
    SCMP_SYS(sysinfo), SCMP_SYS(getuid), SCMP_SYS(geteuid), SCMP_SYS(getgid), SCMP_SYS(getegid),
    SCMP_SYS(getrusage), SCMP_SYS(prlimit64), SCMP_SYS(getrandom)};

static bool add_rules(scmp_filter_ctx filter)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof allowed / sizeof *allowed; i++)
        rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0);
    const struct scmp_arg_cmp to_read = SCMP_A1(SCMP_CMP_MASKED_EQ, O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY),
                              at_read = SCMP_A2(SCMP_CMP_MASKED_EQ, O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY),
                              thread = SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD),
                              alive = SCMP_A1(SCMP_CMP_EQ, 0, 0);
    rc = rc ? rc : seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(open), 1, &to_read);
    rc = rc ? rc : seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1, &at_read);
    rc = rc ? rc : seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1, &thread);
    rc = rc ? rc : seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(kill), 1, &alive);
    /* A filter cannot see the flags of this one. Without it, the C library calls clone(). */
    rc = rc ? rc : seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    return rc == 0;
}

bool td_watch_rights_only_serve(void)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    const bool done = filter && seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1) == 0 &&
                      add_rules(filter) && seccomp_load(filter) == 0;
    if (filter)
        seccomp_release(filter);
    return done;
}

#else

bool td_watch_rights_only_serve(void)
{
    return false;
}

#endif
