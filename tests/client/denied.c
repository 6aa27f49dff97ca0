/* Runs a program that may not make some system calls: seccomp answers EPERM for them, as containers' lists
 * do. Usage: client_denied NAME[,NAME...] PROGRAM [ARGUMENT...]. 77: this machine has no seccomp filters. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST 64

static const struct {
    const char *name;
    int number;
} calls[] = {
#define CALL(name)                                                                                           \
    {                                                                                                        \
#name, SYS_##name                                                                                    \
    }
    CALL(process_vm_readv),
    CALL(pipe2),
    CALL(perf_event_open),
    CALL(ptrace),
    CALL(memfd_create),
    CALL(madvise),
    CALL(mincore),
    CALL(prctl),
    CALL(socket),
    CALL(bind),
    CALL(listen),
    CALL(accept4),
    CALL(setsockopt),
    CALL(sendto),
    CALL(recvfrom),
    CALL(ioctl),
    CALL(eventfd2),
    CALL(clock_nanosleep),
    CALL(openat),
    CALL(pread64),
    CALL(newfstatat),
    CALL(fstat),
    CALL(uname),
    CALL(sysinfo),
    CALL(getcwd),
    CALL(readlinkat),
    CALL(getdents64),
    CALL(sched_getaffinity),
    CALL(sched_yield),
    CALL(sigaltstack),
    CALL(tgkill),
    CALL(membarrier),
    CALL(getrandom),
    CALL(sendmmsg),
#ifdef SYS_poll
    CALL(poll),
    CALL(stat),
    CALL(readlink),
#endif
    CALL(ppoll),
};

static int number_of(const char *name)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (!strcmp(calls[i].name, name))
            return calls[i].number;
    return -1;
}

/* After the loader's work, before the client's start. */
__attribute__((constructor)) static void deny(void)
{
    char list[1024];
    const char *denied = getenv("TD_DENIED");
    struct sock_filter filter[2 * MOST + 2] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    unsigned short count = 1;
    snprintf(list, sizeof list, "%s", denied ? denied : "");
    for (char *name = strtok(list, ","); name && count < 2 * MOST; name = strtok(NULL, ",")) {
        int number = number_of(name);
        if (number < 0) {
            fprintf(stderr, "client_denied: %s is not in the table\n", name);
            _exit(2);
        }
        filter[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1);
        filter[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    }
    filter[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {count, filter};
    if (count > 2 && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
                      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0))
        _exit(77);
}
