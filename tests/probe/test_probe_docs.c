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

#define ROW(type, field)                                                                                     \
    snprintf(row, sizeof row, "| %s | %s | %zu | %zu |\n", #type, #field,                                    \
             offsetof(struct td_probe_##type, field), sizeof(((struct td_probe_##type *)0)->field));         \
    expect_row(row)

static void every_payload_is_in_the_page(void **state)
{
    char row[200];
    ROW(head, type);
    ROW(head, zero);
    ROW(head, status);
    ROW(head, seq);
    ROW(head, bytes);
    ROW(hello, version);
    ROW(hello, max_bytes);
    ROW(hello, description_bytes);
    ROW(hello, flags);
    ROW(hello, grid);
    ROW(hello, name);
    ROW(place, chip);
    ROW(place, x);
    ROW(place, y);
    ROW(place, zero);
    ROW(place, address);
    ROW(place, bytes);
    ROW(place, word);
    ROW(control, what);
    ROW(control, zero);
    ROW(control, value);
    ROW(lane, chip);
    ROW(lane, x);
    ROW(lane, y);
    ROW(lane, zero);
    ROW(lane, lane);
    ROW(lane, ctrl_address);
    ROW(lane, ring_address);
    ROW(lane, ring_slots);
    ROW(lane, head);
    ROW(lane, join);
    ROW(take, max_slots);
    ROW(take, wait_ms);
    ROW(taken, slots);
    ROW(taken, more);
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
