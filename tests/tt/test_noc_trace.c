/* NoC traces, and NoC events in device logs. */
#include "host/tt/device_log_read.h"
#include "host/tt/noc_trace_write.h"
#include "tests/tt/tt_file.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

struct sums {
    unsigned events, zones, barriers;
    int64_t first, last, bytes[TD_TT_NOC_TYPE_COUNT];
    int64_t waited[6], barrier_began[6]; /* by RISC; of the core whose events these are */
    struct td_tt_noc_writer writer;
    FILE *copy; /* NULL, or where the objects are written again */
};

/* Each event's text is read again as the same event. */
static void expect_same_text(const struct td_tt_noc_event *event)
{
    char text[TD_TT_NOC_TEXT_BYTES], again[TD_TT_NOC_TEXT_BYTES];
    struct td_tt_noc_event read = *event;
    const size_t bytes = td_tt_noc_text(event, text, sizeof text);
    assert_true(bytes < sizeof text - 1);
    for (unsigned i = 0; i < TD_TT_NOC_FIELD_COUNT; i++)
        if (i != TD_TT_NOC_PROC && i != TD_TT_NOC_SX && i != TD_TT_NOC_SY && i != TD_TT_NOC_TIMESTAMP)
            read.value[i] = 0;
    read.present &= ~(1u << TD_TT_NOC_DX | 1u << TD_TT_NOC_DY | 1u << TD_TT_NOC_HOPS);
    assert_true(td_tt_noc_text_read(td_tt_text_of(text), &read));
    assert_int_equal(read.present, event->present);
    assert_int_equal(td_tt_noc_text(&read, again, sizeof again), bytes);
    assert_string_equal(again, text);
}

static int take_event(void *self, const struct td_tt_noc_event *event, uint64_t line, struct td_err *err)
{
    struct sums *s = self;
    const int64_t time = event->value[TD_TT_NOC_TIMESTAMP];
    const int risc = td_tt_risc_number(event->proc);
    (void)line;
    (void)err;
    s->first = !s->events || time < s->first ? time : s->first;
    s->last = time > s->last ? time : s->last;
    s->events++;
    assert_in_range(risc, 0, 5);
    if (s->copy)
        td_tt_noc_write_event(&s->writer, event);
    if (!td_tt_noc_has(event, TD_TT_NOC_TYPE)) {
        s->zones++;
        return 0;
    }
    expect_same_text(event);
    const unsigned type = (unsigned)event->value[TD_TT_NOC_TYPE];
    assert_int_not_equal(type, TD_TT_NOC_TYPE_NONE);
    s->bytes[type] += event->value[TD_TT_NOC_NUM_BYTES];
    if (type == TD_TT_NOC_TYPE_READ_BARRIER_START || type == TD_TT_NOC_TYPE_WRITE_BARRIER_START) {
        s->barriers++;
        s->barrier_began[risc] = time;
    } else if (type == TD_TT_NOC_TYPE_READ_BARRIER_END || type == TD_TT_NOC_TYPE_WRITE_BARRIER_END) {
        s->waited[risc] += time - s->barrier_began[risc];
    }
    return 0;
}

static int read_trace(const void *bytes, size_t count, size_t piece, struct sums *s, bool *cut,
                      struct td_err *err)
{
    struct td_tt_noc_reader *reader = td_tt_noc_reader_create("noc.json", take_event, s);
    int bad = 0;
    assert_non_null(reader);
    for (size_t at = 0; at < count && !bad; at += piece) {
        const size_t n = count - at < piece ? count - at : piece;
        char *exact = malloc(n); /* so that a sanitizer finds a read past its end */
        assert_non_null(exact);
        memcpy(exact, (const char *)bytes + at, n);
        bad = td_tt_noc_reader_feed(reader, exact, n, err);
        free(exact);
    }
    bad = bad ? bad : td_tt_noc_reader_end_stream(reader, cut, err);
    td_tt_noc_reader_destroy(reader);
    return bad;
}

static struct sums sums_of(const char *path, size_t piece)
{
    size_t count;
    uint8_t *bytes = tt_file_read(path, &count);
    struct sums s = {0};
    struct td_err err = {0};
    bool cut = true;
    assert_true(td_tt_noc_begins(bytes, count));
    assert_int_equal(read_trace(bytes, count, piece, &s, &cut, &err), 0);
    assert_false(cut);
    free(bytes);
    return s;
}

#define FABRIC "noc_trace/T3K-fabric-traces_"
static const char old_trace[] = "noc_trace_json_1x2_BLOCK_TO_2x4_HEIGHT.json";

static void traces_of_both_forms_have_the_known_numbers(void **state)
{
    (void)state;
    for (size_t piece = 1; piece < 40000; piece = piece * 5 + 2) {
        const struct sums s = sums_of(tt_file_data(old_trace), piece);
        assert_int_equal(s.events, 176);
        assert_int_equal(s.zones, 16);
        assert_int_equal(s.last - s.first, 7320);
        assert_int_equal(s.barriers, 16);
        assert_int_equal(s.bytes[TD_TT_NOC_TYPE_READ], 524288);
        assert_int_equal(s.waited[0], 36204);
        assert_int_equal(s.waited[1], 34654);
    }
    static const struct {
        const char *name;
        unsigned events, barriers;
        int64_t span, waited[2], read, written, fabric;
    } known[] = {
        {"noc_trace/noc_trace_json_2x2_BLOCK_TO_8x8_BLOCK.json",
         512,
         128,
         7185,
         {5336, 286315},
         524288,
         0,
         0},
        {FABRIC "line-8dev_noc_trace_dev0_AllGatherAsync_ID2.json",
         65,
         7,
         78113990,
         {300, 726},
         5568,
         5824,
         10880},
        {FABRIC "ring-4dev_noc_trace_dev0_AllGatherAsync_ID1.json",
         119,
         9,
         2632310,
         {545, 417},
         11008,
         32704,
         0},
        {FABRIC "ring-4dev_noc_trace_dev1_AllGatherAsync_ID4.json",
         117,
         9,
         36415,
         {545, 428},
         11008,
         32704,
         640},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const char *path = tt_file_corpus(known[i].name);
        if (!path)
            continue;
        const struct sums s = sums_of(path, 1000);
        assert_int_equal(s.events, known[i].events);
        assert_int_equal(s.barriers, known[i].barriers);
        assert_int_equal(s.last - s.first, known[i].span);
        assert_int_equal(s.waited[0], known[i].waited[0]);
        assert_int_equal(s.waited[1], known[i].waited[1]);
        assert_int_equal(s.bytes[TD_TT_NOC_TYPE_READ], known[i].read);
        assert_int_equal(s.bytes[TD_TT_NOC_TYPE_WRITE_], known[i].written);
        if (known[i].fabric)
            assert_int_equal(s.bytes[TD_TT_NOC_TYPE_FABRIC_UNICAST_WRITE], known[i].fabric);
    }
}

/* Replaces the phases of zones of older files by today's, in place of a text that has room. */
static size_t with_new_phases(char *text, const char *from, const char *to)
{
    size_t changes = 0;
    for (char *at = text; (at = strstr(at, from)); at += strlen(to), changes++) {
        memmove(at + strlen(to), at + strlen(from), strlen(at + strlen(from)) + 1);
        memcpy(at, to, strlen(to));
    }
    return changes;
}

static void a_trace_that_is_written_again_is_the_same_file_with_todays_phases(void **state)
{
    (void)state;
    const char *path = tt_file_corpus(FABRIC "ring-4dev_noc_trace_dev0_AllGatherAsync_ID1.json");
    if (!path)
        return;
    size_t count, copied;
    char *copy;
    uint8_t *bytes = tt_file_read(path, &count);
    struct sums s = {0};
    struct td_err err = {0};
    bool cut;
    s.copy = open_memstream(&copy, &copied);
    td_tt_noc_write_begin(&s.writer, s.copy);
    assert_int_equal(read_trace(bytes, count, count, &s, &cut, &err), 0);
    td_tt_noc_write_end(&s.writer);
    fclose(s.copy);
    while (count && bytes[count - 1] == '\n')
        count--;
    char *wanted = calloc(2, count + 1);
    memcpy(wanted, bytes, count);
    assert_true(with_new_phases(wanted, "\"begin\"", "\"ZONE_START\"") > 0);
    assert_true(with_new_phases(wanted, "\"end\"", "\"ZONE_END\"") > 0);
    assert_string_equal(copy, wanted);
    free(wanted);
    free(copy);
    free(bytes);
}

#define OBJECT "\"proc\":\"BRISC\",\"sx\":1,\"sy\":2,\"timestamp\":5"

static void all_fields_are_written_again(void **state)
{
    (void)state;
    static const char text[] = "[\n"
                               "  {\n"
                               "    \"eth_chan_of_others\": 3,\n"
                               "    \"fabric_send\": {\n"
                               "      \"fabric_mux\": {\n"
                               "        \"noc\": \"NOC_1\",\n"
                               "        \"x\": 7,\n"
                               "        \"y\": 8\n"
                               "      },\n"
                               "      \"range\": 2,\n"
                               "      \"start_distance\": 1\n"
                               "    },\n"
                               "    \"mcast_end_x\": 4,\n"
                               "    \"posted\": true,\n"
                               "    \"proc\": \"NCRISC\",\n"
                               "    \"sx\": 1,\n"
                               "    \"sy\": 2,\n"
                               "    \"timestamp\": 5,\n"
                               "    \"type\": \"WRITE_MULTICAST\",\n"
                               "    \"vc\": -1\n"
                               "  }\n"
                               "]";
    char *copy, expected[sizeof text] = "";
    size_t copied;
    struct sums s = {0};
    struct td_err err = {0};
    bool cut;
    s.copy = open_memstream(&copy, &copied);
    td_tt_noc_write_begin(&s.writer, s.copy);
    assert_int_equal(read_trace(text, sizeof text - 1, 3, &s, &cut, &err), 0);
    td_tt_noc_write_end(&s.writer);
    fclose(s.copy);
    const char *other = strstr(text, "    \"eth_chan_of"), *after = strchr(other, '\n') + 1;
    snprintf(expected, sizeof expected, "%.*s%s", (int)(other - text), text, after);
    assert_string_equal(copy, expected);
    free(copy);
}

/* Names come from traces, which hold any bytes; escapes are those of the file that was read. */
static void any_name_is_written_as_json(void **state)
{
    (void)state;
    static const struct {
        const char *name, *json;
    } cases[] = {
        {"a\\u00e4\\n", "a\\u00e4\\n"},
        {"a\"b", "ab"},
        {"a\\", "a"},
        {"a\\q\\u12", "aqu12"},
        {"\xff\xc3\xa4\xed\xa0\x80z", "\xc3\xa4z"},
        {"a\nb", "ab"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *copy, expected[200];
        size_t copied;
        struct td_tt_noc_writer writer;
        FILE *to = open_memstream(&copy, &copied);
        const struct td_tt_noc_event event = {.present = 1u << TD_TT_NOC_PROC,
                                              .proc = td_tt_text_of(cases[i].name),
                                              .zone = TD_TT_TEXT_NONE,
                                              .op_name = TD_TT_TEXT_NONE,
                                              .type = TD_TT_TEXT_NONE};
        td_tt_noc_write_begin(&writer, to);
        td_tt_noc_write_event(&writer, &event);
        td_tt_noc_write_end(&writer);
        fclose(to);
        snprintf(expected, sizeof expected, "[\n  {\n    \"proc\": \"%s\"\n  }\n]", cases[i].json);
        assert_string_equal(copy, expected);
        free(copy);
    }
}

static void expect_error(const char *text, const char *error)
{
    struct sums s = {0};
    struct td_err err = {0};
    bool cut;
    assert_int_equal(read_trace(text, strlen(text), 2, &s, &cut, &err), TD_E_FORMAT);
    assert_string_equal(err.text, error);
}

static void bad_input_is_one_line_with_file_and_line(void **state)
{
    (void)state;
    expect_error("", "noc.json:1: this is no list of JSON objects");
    expect_error("{\"a\": 1}", "noc.json:1: this is no list of JSON objects");
    expect_error("[{" OBJECT ",\"type\":\"READ\"},\n 3]", "noc.json:2: this is no list of JSON objects");
    expect_error("[\n{\"proc\":\"BRISC\"}]", "noc.json:2: the object that begins here has no 'sx'");
    expect_error("[\n\n{" OBJECT "}]", "noc.json:3: the object that begins here has no 'type' and no 'zone'");
    expect_error("[{" OBJECT ",\"type\":\"READ\",\"noc\":\"NOC_7\"}]",
                 "noc.json:1: in the object that begins here, 'noc' has no value that makes sense");
    expect_error("[{" OBJECT ",\"type\" \"READ\"}]", "noc.json:1: the object that begins here is damaged");
}

static void a_cut_list_keeps_what_came_before(void **state)
{
    static const char text[] = "\xef\xbb\xbf[{" OBJECT ",\"type\":\"READ\",\"num_bytes\":1},{\"proc\":\"BR";
    struct sums s = {0};
    struct td_err err = {0};
    bool cut = false;
    (void)state;
    assert_int_equal(read_trace(text, sizeof text - 1, 4, &s, &cut, &err), 0);
    assert_true(cut);
    assert_int_equal(s.events, 1);
}

static int keep_text(void *self, const struct td_tt_noc_event *event, uint64_t line, struct td_err *err)
{
    (void)line;
    (void)err;
    assert_int_equal(event->value[TD_TT_NOC_TYPE], TD_TT_NOC_TYPE_NONE);
    td_tt_noc_text(event, self, TD_TT_NOC_TEXT_BYTES);
    return 0;
}

static void types_of_later_releases_keep_their_names(void **state)
{
    static const char list[] = "[{" OBJECT ",\"type\":\"NEWER\",\"noc\":\"NOC_0\"}]";
    char text[TD_TT_NOC_TEXT_BYTES] = "";
    struct td_err err = {0};
    struct td_tt_noc_reader *reader = td_tt_noc_reader_create("noc.json", keep_text, text);
    (void)state;
    assert_int_equal(td_tt_noc_reader_feed(reader, list, sizeof list - 1, &err), 0);
    td_tt_noc_reader_destroy(reader);
    assert_string_equal(text, "NoC NEWER noc=NOC_0");
}

static void names_of_files_say_device_operation_and_trace(void **state)
{
    (void)state;
    struct td_tt_noc_file file;
    char name[100];
    assert_true(td_tt_noc_file_read("/a_ID7/x_noc_trace_dev3_All_IDs_ID1027_traceID4.json", &file));
    assert_int_equal(file.device, 3);
    assert_int_equal(file.run_host_id, 1027);
    assert_int_equal(file.trace_id, 4);
    assert_true(td_tt_text_is(file.op_name, "All_IDs"));
    td_tt_noc_file_name(name, sizeof name, &file);
    assert_string_equal(name, "noc_trace_dev3_All_IDs_ID1027_traceID4.json");
    assert_true(td_tt_noc_file_read("noc_trace_dev0_ID1.json", &file));
    assert_int_equal(file.op_name.bytes, 0);
    assert_true(file.trace_id == UINT32_MAX);
    td_tt_noc_file_name(name, sizeof name, &file);
    assert_string_equal(name, "noc_trace_dev0_ID1.json");
    assert_false(td_tt_noc_file_read("noc_trace_json_1x2_BLOCK_TO_2x4_HEIGHT.json", &file));
    assert_false(td_tt_noc_file_read("noc_trace_dev0_Op.json", &file));
}

/* ---- values in device logs */

struct values {
    enum td_tt_noc_layout layout;
    unsigned count, of_launch[6][3]; /* by operation: writes, barrier starts, barrier ends */
    uint64_t bytes[6];
};

static int take_value(void *self, const struct td_tt_log_row *row, struct td_err *err)
{
    struct values *v = self;
    struct td_tt_noc_event event = {0};
    const uint32_t op = TD_TT_OP_NUMBER(row->run_host_id);
    (void)err;
    if (row->type != TD_TT_TS_DATA || row->timer_id != TD_TT_TIMER_NOC)
        return 0;
    v->layout = td_tt_noc_layout_look(v->layout, row->data);
    assert_true(td_tt_noc_decode(TD_TT_NOC_LAYOUT_BEFORE, row->data, &event));
    assert_true(td_tt_noc_encode(TD_TT_NOC_LAYOUT_BEFORE, &event) == row->data);
    const int64_t type = event.value[TD_TT_NOC_TYPE];
    v->count++;
    v->of_launch[op][0] += type == TD_TT_NOC_TYPE_WRITE_;
    v->of_launch[op][1] += type == TD_TT_NOC_TYPE_WRITE_BARRIER_START;
    v->of_launch[op][2] += type == TD_TT_NOC_TYPE_WRITE_BARRIER_END;
    v->bytes[op] += (uint64_t)event.value[TD_TT_NOC_NUM_BYTES];
    return 0;
}

static void values_of_a_device_log_are_events(void **state)
{
    (void)state;
    size_t count;
    uint8_t *bytes = tt_file_read(tt_file_data("profile_log_device.wh_13col.csv"), &count);
    struct values v = {0};
    struct td_err err = {0};
    bool cut;
    const struct td_tt_log_sink sink = {.take_row = take_value, .self = &v};
    struct td_tt_log_reader *reader = td_tt_log_reader_create("log.csv", &sink);
    assert_int_equal(td_tt_log_reader_feed(reader, bytes, count, &err), 0);
    assert_int_equal(td_tt_log_reader_end_stream(reader, &cut, &err), 0);
    td_tt_log_reader_destroy(reader);
    free(bytes);
    static const unsigned known[][3] = {{0, 0, 0}, {32, 1, 1}, {4, 4, 4}, {32, 1, 1}, {4, 4, 4}, {88, 1, 1}};
    static const uint64_t known_bytes[] = {0, 8192, 8192, 8192, 8192, 2816};
    assert_int_equal(v.count, 182);
    assert_int_equal(v.layout, TD_TT_NOC_LAYOUT_BEFORE);
    assert_memory_equal(v.of_launch, known, sizeof known);
    assert_memory_equal(v.bytes, known_bytes, sizeof known_bytes);
}

static void both_layouts_and_all_numberings_are_understood(void **state)
{
    (void)state;
    for (enum td_tt_noc_layout layout = TD_TT_NOC_LAYOUT_BEFORE; layout <= TD_TT_NOC_LAYOUT_NOW; layout++)
        for (unsigned type = 1; type < TD_TT_NOC_TYPE_FABRIC_UNICAST_WRITE; type++) {
            struct td_tt_noc_event event = {0}, again = {0};
            const bool multicast = strstr(td_tt_noc_type_name(type), "_MULTICAST") != NULL;
            td_tt_noc_set(&event, TD_TT_NOC_TYPE, type);
            td_tt_noc_set(&event, multicast ? TD_TT_NOC_MCAST_START_X : TD_TT_NOC_DX, 18);
            td_tt_noc_set(&event, multicast ? TD_TT_NOC_MCAST_START_Y : TD_TT_NOC_DY, 25);
            if (multicast) {
                td_tt_noc_set(&event, TD_TT_NOC_MCAST_END_X, 20);
                td_tt_noc_set(&event, TD_TT_NOC_MCAST_END_Y, 21);
            }
            td_tt_noc_set(&event, TD_TT_NOC_NOC, 1);
            td_tt_noc_set(&event, TD_TT_NOC_VC, type % 2 ? -1 : 4);
            td_tt_noc_set(&event, TD_TT_NOC_NUM_BYTES, 96);
            if (layout != TD_TT_NOC_LAYOUT_BEFORE)
                td_tt_noc_set(&event, TD_TT_NOC_POSTED, 1);
            const bool has_number = td_tt_noc_decode(layout, td_tt_noc_encode(layout, &event), &again);
            if (!has_number) /* newer than this numbering */
                assert_true(layout != TD_TT_NOC_LAYOUT_NOW && (type == TD_TT_NOC_TYPE_WRITE_SET_TRID ||
                                                               type == TD_TT_NOC_TYPE_WRITE_FLUSH_WITH_TRID ||
                                                               type > TD_TT_NOC_TYPE_SEMAPHORE_SET));
            else {
                assert_int_equal(again.present, event.present);
                assert_memory_equal(again.value, event.value, sizeof event.value);
            }
        }
    /* A barrier's end: byte 0 is 255 before, byte 6 is 0 now. */
    struct td_tt_noc_event barrier = {0};
    td_tt_noc_set(&barrier, TD_TT_NOC_TYPE, TD_TT_NOC_TYPE_READ_BARRIER_END);
    assert_int_equal(td_tt_noc_layout_look(0, td_tt_noc_encode(TD_TT_NOC_LAYOUT_BEFORE, &barrier)),
                     TD_TT_NOC_LAYOUT_BEFORE);
    assert_int_equal(td_tt_noc_layout_look(0, td_tt_noc_encode(TD_TT_NOC_LAYOUT_NOW, &barrier)),
                     TD_TT_NOC_LAYOUT_NOW);
    assert_int_equal(td_tt_noc_layout_of(0, 0, 0), TD_TT_NOC_LAYOUT_BEFORE);
    assert_int_equal(td_tt_noc_layout_of(0, 1u << TD_TT_LOG_TRACE_ID, 64), TD_TT_NOC_LAYOUT_NOW);
    assert_int_equal(td_tt_noc_layout_of(TD_TT_NOC_LAYOUT_NOW, 0, 0), TD_TT_NOC_LAYOUT_AUTUMN_2025);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traces_of_both_forms_have_the_known_numbers),
        cmocka_unit_test(a_trace_that_is_written_again_is_the_same_file_with_todays_phases),
        cmocka_unit_test(all_fields_are_written_again),
        cmocka_unit_test(any_name_is_written_as_json),
        cmocka_unit_test(bad_input_is_one_line_with_file_and_line),
        cmocka_unit_test(a_cut_list_keeps_what_came_before),
        cmocka_unit_test(types_of_later_releases_keep_their_names),
        cmocka_unit_test(names_of_files_say_device_operation_and_trace),
        cmocka_unit_test(values_of_a_device_log_are_events),
        cmocka_unit_test(both_layouts_and_all_numberings_are_understood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
