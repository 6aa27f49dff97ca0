/* Discovery of boards: PCI devices and the vendor's cards in made-up system folders, files of simulators. */
#include "host/device/discover.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

enum { MAX = 16 };

struct found {
    struct td_discovered items[MAX];
    int count;
};

static int note(void *self, const struct td_discovered *p)
{
    struct found *f = self;
    assert_true(f->count < MAX);
    f->items[f->count++] = *p;
    return 0;
}

static void shell(const char *format, const char *folder)
{
    char command[1000];
    snprintf(command, sizeof command, "cd %s && %s", folder, format);
    assert_int_equal(system(command), 0);
}

static const struct td_discovered *at(const struct found *f, const char *where)
{
    for (int i = 0; i < f->count; i++)
        if (strcmp(f->items[i].where, where) == 0)
            return &f->items[i];
    fail_msg("%s is not found", where);
    return NULL;
}

static void assert_found(const struct found *f, const char *where, const char *boards, const char *what,
                         const char *why_not)
{
    const struct td_discovered *p = at(f, where);
    assert_string_equal(p->boards, boards);
    assert_non_null(strstr(p->what, what));
    if (*why_not)
        assert_non_null(strstr(p->why_not, why_not));
    else
        assert_string_equal(p->why_not, "");
}

struct fixture {
    char folder[40], sysfs[60], dev[60];
    struct td_board *boards;
    size_t count;
};

static int set_up(void **state)
{
    static const char *const names[] = {"wormhole", "blackhole", "tensix_sim"};
    struct fixture *f = calloc(1, sizeof *f);
    strcpy(f->folder, "/tmp/tendril-present-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->sysfs, sizeof f->sysfs, "%s/sys", f->folder);
    snprintf(f->dev, sizeof f->dev, "%s/dev", f->folder);
    f->boards = calloc(3, sizeof *f->boards);
    for (; f->count < 3; f->count++)
        assert_int_equal(td_board_load(&f->boards[f->count], names[f->count], NULL, NULL, NULL), 0);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    shell("cd / && rm -r \"$OLDPWD\"", f->folder);
    free(f->boards);
    free(f);
    return 0;
}

static void look(struct fixture *f, struct found *found)
{
    const char *const folders[] = {f->folder, NULL};
    const struct td_discover_roots roots = {f->sysfs, f->dev, folders, 1};
    memset(found, 0, sizeof *found);
    assert_int_equal(td_discover_each(&roots, f->boards, f->count, note, found), 0);
}

static void an_empty_machine_has_nothing(void **state)
{
    struct found found;
    look(*state, &found);
    assert_int_equal(found.count, 0);
}

static void pci_devices_of_known_kinds_are_found(void **state)
{
    struct fixture *f = *state;
    struct found found;
    shell("mkdir -p sys/bus/pci/devices sys/drivers/tenstorrent sys/drivers/vfio-pci && cd "
          "sys/bus/pci/devices && "
          "for d in 0000:00:01.0:0x8086:0x1234 0000:01:00.0:0x1e52:0x401e 0000:02:00.0:0x1e52:0xb140 "
          "0000:03:00.0:0x1af4:0x1110 0000:04:00.0:0x1e52:0xfaca; do n=${d%:*:*}; mkdir $n; v=${d#*.*:}; "
          "echo ${v%:*} >$n/vendor; echo ${v#*:} >$n/device; done && "
          "ln -s ../../../../drivers/tenstorrent 0000:01:00.0/driver && ln -s ../../../../drivers/vfio-pci "
          "0000:02:00.0/driver",
          f->folder);
    look(f, &found);
    assert_int_equal(found.count, 3);
    assert_found(&found, "pci:0000:01:00.0", "wormhole", "1e52:401e, driver tenstorrent", "tenstorrent:N");
    assert_found(&found, "pci:0000:02:00.0/vfio", "blackhole", "", "");
    assert_string_equal(at(&found, "pci:0000:03:00.0")->boards, "");
    assert_non_null(strstr(at(&found, "pci:0000:03:00.0")->what, "simulated"));
}

static void cards_of_the_vendors_driver_are_found(void **state)
{
    struct fixture *f = *state;
    struct found found;
    shell("mkdir -p dev 'sys/class/tenstorrent/tenstorrent!0/device' "
          "'sys/class/tenstorrent/tenstorrent!2/device' && "
          "touch dev/0 dev/1 dev/10 dev/by-id && cd sys/class/tenstorrent && echo 0x1e52 "
          ">'tenstorrent!0/device/vendor' && "
          "echo 0xb140 >'tenstorrent!0/device/device'",
          f->folder);
    look(f, &found);
    assert_int_equal(found.count, 3);
    assert_string_equal(found.items[0].where, "tenstorrent:0");
    assert_string_equal(found.items[0].boards, "blackhole");
    assert_string_equal(found.items[0].why_not, "");
    assert_string_equal(found.items[2].where, "tenstorrent:10");
    assert_non_null(strstr(found.items[2].what, "unknown kind"));
}

static void files_that_are_no_boards_are_left_out(void **state)
{
    struct fixture *f = *state;
    struct found found;
    shell("echo 'not a board at all, but long enough to be looked at' >a.bar && for i in 1 2 3 4 5 6 7; do "
          "cat a.bar a.bar "
          "a.bar a.bar >>b.bar; done && rm a.bar && mkdir sub && : >sub/empty.bar",
          f->folder);
    look(f, &found);
    assert_int_equal(found.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_empty_machine_has_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pci_devices_of_known_kinds_are_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cards_of_the_vendors_driver_are_found, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_that_are_no_boards_are_left_out, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
