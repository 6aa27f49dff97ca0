/* docs/probes.md agrees with the protocol's tables. */
#include "proto/probe/control.h"
#include "proto/probe/message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static char page[1 << 16];

static int read_page(void **state)
{
    FILE *f = fopen(TD_SOURCE_DIR "/docs/probes.md", "r");
    if (!f)
        return -1;
    size_t n = fread(page, 1, sizeof page - 1, f);
    page[n] = 0;
    fclose(f);
    return 0;
}

static void expect_row(const char *row)
{
    if (!strstr(page, row))
        fail_msg("docs/probes.md lacks the line\n%s", row);
}

static void every_message_is_in_the_page(void **state)
{
    char row[400];
#define TD_X(type, name, request, answer, what)                                                              \
    snprintf(row, sizeof row, "| %d | %s | %s | %s | %s |\n", type, #name, #request, #answer, what);         \
    expect_row(row);
    TD_PROBE_MESSAGES(TD_X)
#undef TD_X
}

static void every_control_is_in_the_page(void **state)
{
    char row[400];
#define TD_X(number, name, what)                                                                             \
    snprintf(row, sizeof row, "| %d | %s | %s |\n", number, #name, what);                                    \
    expect_row(row);
    TD_CONTROLS(TD_X)
#undef TD_X
}

/* A row of the page for one struct: FIELD(name) for each of its fields. */
#define ROW(type, ...)                                                                                       \
    do {                                                                                                     \
        typedef struct td_probe_##type of;                                                                   \
        at = snprintf(row, sizeof row, "| %s |", #type);                                                     \
        __VA_ARGS__;                                                                                         \
        snprintf(row + at - 1, sizeof row - (size_t)at, " |\n");                                             \
        expect_row(row);                                                                                     \
    } while (0)
#define FIELD(name)                                                                                          \
    at += snprintf(row + at, sizeof row - (size_t)at, " %s %zu+%zu,", #name, offsetof(of, name),             \
                   sizeof(((of *)0)->name))

static void every_payload_is_in_the_page(void **state)
{
    char row[400];
    int at;
    ROW(head, FIELD(type), FIELD(zero), FIELD(status), FIELD(seq), FIELD(bytes));
    ROW(hello, FIELD(version), FIELD(max_bytes), FIELD(description_bytes), FIELD(flags), FIELD(grid),
        FIELD(name));
    ROW(place, FIELD(chip), FIELD(x), FIELD(y), FIELD(zero), FIELD(address), FIELD(bytes), FIELD(word));
    ROW(control, FIELD(what), FIELD(zero), FIELD(value));
    ROW(lane, FIELD(chip), FIELD(x), FIELD(y), FIELD(zero), FIELD(lane), FIELD(ctrl_address),
        FIELD(ring_address), FIELD(ring_slots), FIELD(head), FIELD(join));
    ROW(take, FIELD(max_slots), FIELD(wait_ms));
    ROW(taken, FIELD(slots), FIELD(more));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_message_is_in_the_page),
        cmocka_unit_test(every_control_is_in_the_page),
        cmocka_unit_test(every_payload_is_in_the_page),
    };
    return cmocka_run_group_tests(tests, read_page, NULL);
}
