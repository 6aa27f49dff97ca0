/* Cores as GPU contexts: a written trace is read back with the same tracks and zones, and stock accepts the
 * file. */
#include "host/file/file.h"
#include "proto/track.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define CORES 5

static void push(struct td_hub *hub, struct td_event e)
{
    assert_int_equal(0, td_hub_push(hub, &e, 1, NULL));
}

/* `tiles` tiles with five cores each: an outer zone, two inner ones, and a message on every core. */
static struct td_trace *build(unsigned tiles)
{
    struct td_dict *dict = td_dict_create();
    struct td_trace *trace = td_trace_create(dict);
    struct td_hub *hub = td_hub_create(dict);
    assert_int_equal(0, td_hub_add_sink(hub, td_trace_sink(trace)));
    struct td_srcloc loc = {
        .name = td_dict_cstring(dict, "outer"), .file = td_dict_cstring(dict, "k.c"), .line = 3};
    uint32_t outer = td_dict_srcloc(dict, &loc);
    loc.name = td_dict_cstring(dict, "inner");
    uint32_t inner = td_dict_srcloc(dict, &loc);
    for (unsigned i = 0; i < tiles * CORES; i++) {
        unsigned tile = i / CORES, x = tile % 20, y = tile / 20 % 20, chip = tile / 400;
        char name[64];
        snprintf(name, sizeof name, TD_TRACK_NAME_FORMAT, chip, x, y, "CORE");
        struct td_track track = {.thread = td_track_id(chip, x, y, i % CORES),
                                 .name = td_dict_cstring(dict, name),
                                 .kind = TD_TRACK_CORE,
                                 .chip = (uint16_t)chip,
                                 .x = (uint16_t)x,
                                 .y = (uint16_t)y,
                                 .core = (uint8_t)(i % CORES)};
        uint32_t t = td_dict_track(dict, &track);
        for (int k = 0; k < 2; k++)
            push(hub, (struct td_event){.kind = TD_EVENT_ZONE,
                                        .track = t,
                                        .srcloc = inner,
                                        .time_ns = 1100 + 300 * k + i,
                                        .value.end_ns = 1300 + 300 * k + i});
        push(hub, (struct td_event){.kind = TD_EVENT_MESSAGE,
                                    .track = t,
                                    .time_ns = 1500 + i,
                                    .subject = td_dict_cstring(dict, "hello")});
        push(hub, (struct td_event){.kind = TD_EVENT_ZONE,
                                    .track = t,
                                    .srcloc = outer,
                                    .time_ns = 1000 + i,
                                    .value.end_ns = 2000 + i});
    }
    td_hub_destroy(hub);
    assert_int_equal(0, td_trace_finish(trace, NULL));
    return trace;
}

static void there_and_back(unsigned tiles)
{
    char path[] = "/tmp/tendril-contexts-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    struct td_err err = {0};
    struct td_trace *trace = build(tiles), *back = NULL;
    struct td_file_options options = {.contexts = 1};
    if (td_file_write(trace, path, &options, &err) < 0 || td_file_read(path, &back, &err) < 0)
        fail_msg("%s", err.text);
    /* Each core is a row of a context, and a thread for its messages. */
    assert_int_equal(2 * td_dict_track_count(td_trace_dict(trace)), td_dict_track_count(td_trace_dict(back)));
    assert_int_equal(td_trace_messages(trace), td_trace_messages(back));
    for (uint32_t t = 0; t < tiles * CORES; t++) {
        const struct td_track *want = td_dict_get_track(td_trace_dict(trace), t);
        uint32_t b = 0;
        while (td_dict_get_track(td_trace_dict(back), b)->thread != want->thread ||
               !td_dict_get_track(td_trace_dict(back), b)->context)
            assert_true(++b < 2 * tiles * CORES);
        assert_int_equal(TD_TRACK_CORE, td_dict_get_track(td_trace_dict(back), b)->kind);
        assert_string_equal(
            td_dict_text(td_trace_dict(trace), want->name),
            td_dict_text(td_trace_dict(back), td_dict_get_track(td_trace_dict(back), b)->name));
        assert_int_equal(2, td_trace_rows(back, b));
        assert_int_equal(3, td_trace_track_zones(back, b));
        for (uint32_t row = 0; row < 2; row++)
            for (size_t i = 0; i < td_trace_row_zones(trace, t, row); i++) {
                struct td_zone z = td_trace_zone(trace, t, row, i), y = td_trace_zone(back, b, row, i);
                assert_true(z.start_ns == y.start_ns && z.end_ns == y.end_ns);
                assert_string_equal(td_dict_text(td_trace_dict(trace),
                                                 td_dict_get_srcloc(td_trace_dict(trace), z.srcloc)->name),
                                    td_dict_text(td_trace_dict(back),
                                                 td_dict_get_srcloc(td_trace_dict(back), y.srcloc)->name));
            }
    }
    const char *stock = getenv("TD_STOCK_DIR");
    if (stock) {
        char command[400];
        snprintf(command, sizeof command, "%s/0.11.1/bin/update %s %s.new >/dev/null && rm %s.new", stock,
                 path, path, path);
        assert_int_equal(0, system(command));
    } else {
        print_message("skipped: stock update (TD_STOCK_DIR)\n");
    }
    td_trace_destroy(trace);
    td_trace_destroy(back);
    unlink(path);
}

static void one_context_a_tile_keeps_tracks_and_zones(void **state)
{
    there_and_back(4);
}

static void more_tiles_than_contexts_share_one_a_chip(void **state)
{
    there_and_back(500); /* two chips */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_context_a_tile_keeps_tracks_and_zones),
        cmocka_unit_test(more_tiles_than_contexts_share_one_a_chip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
