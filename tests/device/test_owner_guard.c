/* An agent that comes after one that was killed waits for the process that disarms that one's lanes. */
#include "host/device/drain/owner_guard.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LONG_MS = 600000, WORK_NS = 200000000 };

static void the_next_agent_comes_when_the_guard_has_ended(void **state)
{
    (void)state;
    const uint32_t agent = (uint32_t)getpid();
    volatile int *done = mmap(NULL, sizeof *done, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int ready[2];
    char byte;
    assert_true((const void *)done != MAP_FAILED);
    assert_int_equal(pipe(ready), 0);
    const pid_t guard = fork();
    if (guard == 0) {
        const int fd = td_owner_guard_begin(agent);
        if (fd < 0 || td_owner_guard_begin(agent) >= 0 || write(ready[1], "r", 1) != 1)
            _exit(1);
        nanosleep(&(struct timespec){0, WORK_NS}, NULL);
        *done = 1;
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    td_owner_guard_wait(agent, LONG_MS);
    assert_int_equal(*done, 1);
    int status;
    assert_int_equal(waitpid(guard, &status, 0), guard);
    assert_int_equal(status, 0);
    td_owner_guard_wait(agent, LONG_MS); /* nobody is it any more */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_next_agent_comes_when_the_guard_has_ended)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
