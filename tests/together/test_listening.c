/* Processes that are found by the port at which they listen: another program that takes the port is told apart. */
#include "host/agent/client/client_source.h"
#include "host/agent/listening.h"
#include "host/agent/recorder_internal.h"

#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

/* This process listens; it descends from itself, and not from a child. */
struct place {
    pid_t child;
    int fd, port;
};

static int begin(void **state)
{
    static struct place place;
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof at;
    place.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(place.fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(listen(place.fd, 1), 0);
    assert_int_equal(getsockname(place.fd, (struct sockaddr *)&at, &bytes), 0);
    place.port = ntohs(at.sin_port);
    place.child = fork();
    if (place.child == 0) {
        close(place.fd);
        pause();
        _exit(0);
    }
    *state = &place;
    return place.child < 0;
}

static int end(void **state)
{
    const struct place *place = *state;
    kill(place->child, SIGKILL);
    waitpid(place->child, NULL, 0);
    return 0;
}

static enum td_port_listener listener(pid_t root, int port)
{
    unsigned char found[2] = {9, 9};
    td_listening_ports(root, port, 1, found);
    assert_int_equal(found[1], 9);
    return found[0];
}

static void a_program_in_the_place_of_a_child_that_has_ended_gets_no_byte(void **state)
{
    const struct place *place = *state;
    struct recorder r = {.program.pid = place->child};
    struct td_dict *dict = td_dict_create();
    struct td_hub *hub = td_hub_create(dict);
    struct td_err err = {0};
    const struct td_client_source_config config = {.host = "127.0.0.1",
                                                   .port = place->port,
                                                   .connect_ms = 60000,
                                                   .hub = hub,
                                                   .ns_per_tick = 1,
                                                   .is_meant = td_recorder_is_child_at,
                                                   .meant_self = &r};
    struct td_client_source *source = td_client_source_create(&config, &err);
    assert_non_null(source);
    int rc;
    while ((rc = td_client_source_pump(source, &err)) == 1)
        td_client_source_wait(source, 10);
    assert_int_equal(rc, TD_E_TIMEOUT);
    char byte;
    const int fd = accept(place->fd, NULL, NULL);
    assert_true(fd >= 0);
    assert_int_equal(read(fd, &byte, 1), 0);
    close(fd);
    td_client_source_destroy(source);
    td_hub_destroy(hub);
    td_dict_destroy(dict);
}

static void a_listener_is_told_by_its_process(void **state)
{
    const struct place *place = *state;
    const struct recorder own = {.program.pid = getpid()}, other = {.program.pid = place->child};
    assert_int_equal(listener(getpid(), place->port), TD_LISTENER_OWN);
    assert_int_equal(listener(place->child, place->port), TD_LISTENER_OTHER);
    assert_true(td_recorder_is_child_at((void *)(uintptr_t)&own, place->port));
    close(place->fd);
    assert_int_equal(listener(getpid(), place->port), TD_LISTENER_NONE);
    assert_true(td_recorder_is_child_at((void *)(uintptr_t)&other, place->port));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_in_the_place_of_a_child_that_has_ended_gets_no_byte),
        cmocka_unit_test(a_listener_is_told_by_its_process),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
