/* One byte of one event is changed: the other events are kept, whatever the byte. Each format has a file of many events,
 * each of which becomes one item. */
#include "tests/agent/import_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define EVENTS 20
#define ROUNDS 2000

/* `begin`, `EVENTS` times an event with its number, and `end`. */
struct mutant_case {
    const struct td_importer *importer;
    const char *begin, *event, *between, *end;
    const char *bytes; /* that an event may get */
};

/* Brackets end or begin a list of events, which may cost more than one. */
static const char no_brackets[] = "{}\"\\,:;/.0123456789eOCx \t\nNa-+#()\x80\xff";
static const char any_bytes[] = "{}[]\"\\,:;/.0123456789eOCx \t\nNa-+#()\x80\xff";

static const struct mutant_case cases[] = {
    {&td_import_folded, "", "stack%d;leaf %d", "\n", "\n", any_bytes},
    {&td_import_perf_script, "", "w %d/9  5.%d00: cpu: \n\t401136 leaf (/tmp/w)\n\t401200 main (/tmp/w)\n",
     "\n", "\n", any_bytes},
    {&td_import_speedscope,
     "{\"$schema\":\"speedscope\",\"shared\":{\"frames\":[{\"name\":\"f\"}]},\"profiles\":[{\"type\":"
     "\"evented\",\"unit\":\"none\",\"events\":[",
     "{\"type\":\"O\",\"frame\":0,\"at\":%d}", ",", "]}]}", no_brackets},
    {&td_import_firefox,
     "{\"meta\":{\"version\":24,\"interval\":1},\"libs\":[],\"threads\":[{\"stringTable\":[\"f\"],"
     "\"stackTable\":{\"schema\":{\"prefix\":0,"
     "\"frame\":1},\"data\":[[null,0]]},\"frameTable\":{\"schema\":{\"location\":0},\"data\":[[0]]},"
     "\"samples\":{\"schema\":{\"stack\":0,"
     "\"time\":1},\"data\":[[",
     "0,%d.5", "],[", "]]}}]}", no_brackets},
    {&td_import_firefox,
     "{\"meta\":{\"preprocessedProfileVersion\":50},\"threads\":[{\"stringArray\":[\"f\"],\"stackTable\":{"
     "\"prefix\":[null],\"frame\":[0]},"
     "\"frameTable\":{\"func\":[0]},\"funcTable\":{\"name\":[0]},\"samples\":{\"stack\":[0,0,0,0,0,0,0,0,0,0,"
     "0,0,0,0,0,0,0,0,0,0],\"time\":[",
     "%d.5", ",", "]}}]}", ",:./0123456789eOCx \t\nNa-+#()\x80\xff"},
};

static size_t write_file(const struct mutant_case *of, char *text, size_t room, size_t *first, size_t *end,
                         int changed)
{
    size_t bytes = (size_t)snprintf(text, room, "%s", of->begin);
    for (int i = 0; i < EVENTS; i++) {
        if (i == changed)
            *first = bytes;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        bytes += (size_t)snprintf(text + bytes, room - bytes, of->event, i + 1, i + 1);
#pragma GCC diagnostic pop
        if (i == changed)
            *end = bytes;
        bytes += (size_t)snprintf(text + bytes, room - bytes, "%s", i + 1 < EVENTS ? of->between : of->end);
    }
    return bytes;
}

static void a_changed_byte_costs_no_more_than_its_event(void **state)
{
    char text[8192];
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        size_t first = 0, end = 0;
        size_t bytes = write_file(&cases[c], text, sizeof text, &first, &end, 0);
        const int64_t whole = import_check(cases[c].importer, text, bytes, bytes);
        assert_true(whole >= EVENTS);
        uint32_t seed = 4711;
        for (int round = 0; round < ROUNDS; round++) {
            seed = seed * 1664525 + 1013904223;
            bytes = write_file(&cases[c], text, sizeof text, &first, &end, round % EVENTS);
            text[first + (seed >> 8) % (end - first)] = cases[c].bytes[(seed >> 20) % strlen(cases[c].bytes)];
            const int64_t kept = import_check(cases[c].importer, text, bytes, 1000);
            if (kept < whole * (EVENTS - 1) / EVENTS)
                fail_msg("case %zu: %d of %d are kept of %s", c, (int)kept, (int)whole, text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_changed_byte_costs_no_more_than_its_event)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
