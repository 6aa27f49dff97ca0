/* The welcome: machine, user and clock. */
#include "host/client/session/welcome.h"
#include "host/client/queue/queue.h"
#include "host/client/session/host_info.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static void the_cost_of_a_marker_is_measured_beside_the_clock(void **state)
{
    struct td_wire_welcome welcome;
    td_welcome_measure();
    td_welcome_fill(&welcome, 3);
    assert_in_range(welcome.resolution, 1, 1000000);
    assert_in_range(welcome.delay, 1, 1000000);
    uint64_t delay = welcome.delay, resolution = welcome.resolution;
    td_welcome_measure(); /* once a process */
    td_welcome_fill(&welcome, 3);
    assert_int_equal(welcome.delay, delay);
    assert_int_equal(welcome.resolution, resolution);
    char login[64], line[100];
    td_host_info_login("/etc/passwd", getuid(), login, sizeof login);
    snprintf(line, sizeof line, "\nUser: %s@", login);
    assert_non_null(strstr(welcome.hostInfo, line));
    assert_null(strstr(welcome.hostInfo, "CPU: \n"));
}

/* A marker that starts the client reads the clock, starts it, and is written. */
static void what_was_marked_before_the_client_began_is_not_before_time_0(void **state)
{
    static const int location;
    struct td_wire_welcome welcome;
    td_welcome_fill(&welcome, 3);
    const int64_t began = welcome.initBegin;
    td_queue_begin(SIZE_MAX);
    td_queue_set_live(1);
    uint64_t *record = td_reserve(2);
    assert_non_null(record);
    record[1] = (uintptr_t)&location;
    td_client_publish(record, TD_CLIENT_ZONE_BEGIN, (uint64_t)began - 1000);
    td_welcome_fill(&welcome, 3);
    assert_int_equal(welcome.initBegin, began - 1000);
    record = td_reserve(2);
    assert_non_null(record);
    record[1] = (uintptr_t)&location;
    td_client_publish(record, TD_CLIENT_ZONE_BEGIN, (uint64_t)began + 1000);
    td_welcome_fill(&welcome, 3);
    assert_int_equal(welcome.initBegin, began - 1000);
}

static void check_login(const char *text, unsigned user, const char *expected)
{
    char path[] = "/tmp/td_passwd_XXXXXX", login[16];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    td_host_info_login(path, user, login, sizeof login);
    unlink(path);
    assert_string_equal(login, expected);
}

static void a_login_is_that_of_the_number(void **state)
{
    static const char users[] =
        "root:x:0:0:root:/root:/bin/sh\n# none\n::7:7::\nanna:x:12:1:Anna:/:/bin/sh\n"
        "broken:x:13\n\nlonger_than_there_is_room:x:14:1::/:\nlast:x:1000:1::/:/bin/sh";
    check_login(users, 0, "root");
    check_login(users, 12, "anna");
    check_login(users, 1000, "last");
    check_login(users, 1, "1");
    check_login(users, 7, "7");
    check_login(users, 13, "13");
    check_login(users, 14, "14");
    check_login("", 5, "5");
    char *many = calloc(1, 200000);
    size_t n = 0;
    for (unsigned i = 0; i < 5000; i++)
        n += (size_t)sprintf(many + n, "user%u:x:%u:%u::/home:\n", i, i, i);
    check_login(many, 4999, "user4999");
    memset(many, 'a', 9000); /* one line, of which nothing counts */
    check_login(many, 4000, "user4000");
    free(many);
    char login[16];
    td_host_info_login("/nowhere/passwd", 3, login, sizeof login);
    assert_string_equal(login, "3");
}

static void processors_of_aarch64_have_names(void **state)
{
    static const struct {
        const char *text, *name;
    } cases[] = {
        {"processor\t: 0\nBogoMIPS\t: 108.00\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\nCPU "
         "architecture: 8\n"
         "CPU variant\t: 0x0\nCPU part\t: 0xd08\nCPU revision\t: 3\n\nprocessor\t: 1\nCPU implementer\t: "
         "0x42\n",
         "ARM Cortex-A72 r0p3"},
        {"CPU implementer\t: 0xc0\nCPU variant\t: 0x1\nCPU part\t: 0xac3\nCPU revision\t: 0\n",
         "Ampere Ampere-1 r1p0"},
        {"CPU implementer\t: 0x41\nCPU part\t: 0xfff", "ARM 0xfff r0p0"},
        {"CPU implementer : 0x99\nCPU part : 0x1\nCPU revision : 2\n", "0x99 0x1 r0p2"},
        {"processor\t: 0\n\nCPU implementer\t: 0x41\nCPU part\t: 0xd08\n", ""},
        {"vendor_id\t: GenuineIntel\nmodel name\t: any\n", ""},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[49];
        td_host_info_arm_processor(cases[i].text, name, sizeof name);
        assert_string_equal(name, cases[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cost_of_a_marker_is_measured_beside_the_clock),
        cmocka_unit_test(what_was_marked_before_the_client_began_is_not_before_time_0),
        cmocka_unit_test(a_login_is_that_of_the_number),
        cmocka_unit_test(processors_of_aarch64_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
