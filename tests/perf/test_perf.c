/* Records and formats of the kernel, made up and damaged. */
#include "host/perf/order.h"
#include "host/perf/record.h"
#include "host/perf/ring.h"
#include "host/perf/tracefs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct td_perf_host host = {.take = malloc, .give = free};

static const char format[] =
    "name: sched_switch\nID: 372\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
    "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
    "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
    "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
    "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
    "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
    "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
    "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\nprint fmt: \"prev_comm=%s\", REC->prev_comm\n";

static const struct td_perf_fields no_fields;

static void fields_are_found_by_their_names(void **state)
{
    struct td_trace_field field;
    assert_true(td_trace_field_find(format, sizeof format - 1, "prev_pid", &field));
    assert_int_equal(field.offset, 24);
    assert_int_equal(field.bytes, 4);
    assert_true(field.is_signed);
    assert_true(td_trace_field_find(format, sizeof format - 1, "prev_state", &field));
    assert_int_equal(field.bytes, 8);
    assert_false(
        td_trace_field_find(format, sizeof format - 1, "pid", &field)); /* a part of a name is none */
    assert_false(td_trace_field_find(format, sizeof format - 1, "prev_comm[16]", &field)); /* no number */
    assert_true(td_trace_text_find(format, sizeof format - 1, "next_comm", &field));
    assert_int_equal(field.offset, 40);
    assert_int_equal(field.bytes, 16);
    assert_false(td_trace_text_find(format, sizeof format - 1, "prev_pid", &field)); /* no text */
    assert_false(td_trace_text_find(format, sizeof format - 1, "comm", &field));
    const uint8_t record[] = {0, 0, 0xfe, 0xff, 0xff, 0xff};
    int64_t value;
    assert_true(td_trace_field_value(&(struct td_trace_field){2, 4, true}, record, sizeof record, &value));
    assert_int_equal(value, -2);
    assert_true(td_trace_field_value(&(struct td_trace_field){2, 4, false}, record, sizeof record, &value));
    assert_int_equal(value, 0xfffffffe);
    assert_false(td_trace_field_value(&(struct td_trace_field){3, 4, true}, record, sizeof record, &value));
}

static void the_mount_of_tracefs_is_preferred(void **state)
{
    static const char both[] = "proc /proc proc rw 0 0\ndebugfs /sys/kernel/debug debugfs rw 0 0\n"
                               "none /mnt/tracing tracefs rw 0 0\n";
    char path[64];
    assert_true(td_tracefs_path_in(both, sizeof both - 1, path, sizeof path));
    assert_string_equal(path, "/mnt/tracing");
    assert_true(td_tracefs_path_in(both, 64, path, sizeof path));
    assert_string_equal(path, "/sys/kernel/debug/tracing");
    assert_false(td_tracefs_path_in(both, 23, path, sizeof path));
}

/* ---- records ---- */

struct record_bytes {
    uint8_t at[512];
    uint16_t bytes;
};

static void put_bytes(struct record_bytes *r, const void *from, size_t bytes)
{
    memcpy(r->at + r->bytes, from, bytes);
    r->bytes = (uint16_t)(r->bytes + bytes);
}

static void put_u64(struct record_bytes *r, uint64_t value)
{
    put_bytes(r, &value, 8);
}

static void put_u32(struct record_bytes *r, uint32_t value)
{
    put_bytes(r, &value, 4);
}

static void begin_record(struct record_bytes *r, uint32_t type)
{
    const struct perf_event_header header = {.type = type};
    r->bytes = 0;
    put_bytes(r, &header, sizeof header);
}

static void end_record(struct record_bytes *r)
{
    memcpy(r->at + 6, &r->bytes, 2);
}

/* The number of an event is its kind + 100. */
static int kind_of(const void *self, uint64_t id)
{
    return id >= 100 && id < 100 + TD_PERF_KIND_COUNT ? (int)(id - 100) : -1;
}

static void make_switch(struct record_bytes *r)
{
    begin_record(r, PERF_RECORD_SAMPLE);
    put_u64(r, 100 + TD_PERF_SWITCH);
    put_u32(r, 70);
    put_u32(r, 71);
    put_u64(r, 123456789);
    put_u64(r, 7);
    put_u64(r, (uint64_t)PERF_CONTEXT_KERNEL);
    put_u64(r, 0xffffffff81000010);
    put_u64(r, (uint64_t)PERF_CONTEXT_USER);
    put_u64(r, 0x401000);
    put_u64(r, 0x402000);
    put_u64(r, 0x1122334455667788); /* no address: the frame register held something else */
    put_u64(r, 0x403000);
    put_u32(r, 68);
    uint8_t raw[68] = {0};
    memcpy(raw + 8, "worker", 6);
    memcpy(raw + 24, &(uint32_t){71}, 4);
    memcpy(raw + 28, &(int32_t){120}, 4);
    memcpy(raw + 32, &(int64_t){2}, 8);
    memcpy(raw + 40, "sixteen of them!", 16); /* a NUL is missing */
    memcpy(raw + 56, &(uint32_t){88}, 4);
    memcpy(raw + 60, &(int32_t){-1}, 4);
    put_bytes(r, raw, sizeof raw);
    end_record(r);
}

static struct td_perf_fields find_all(void)
{
    struct td_perf_fields fields = {0};
    const size_t bytes = sizeof format - 1;
    assert_true(td_trace_field_find(format, bytes, "prev_pid", &fields.old_thread));
    assert_true(td_trace_field_find(format, bytes, "prev_prio", &fields.old_priority));
    assert_true(td_trace_field_find(format, bytes, "prev_state", &fields.old_state));
    assert_true(td_trace_field_find(format, bytes, "next_pid", &fields.new_thread));
    assert_true(td_trace_field_find(format, bytes, "next_prio", &fields.new_priority));
    assert_true(td_trace_text_find(format, bytes, "prev_comm", &fields.old_name));
    assert_true(td_trace_text_find(format, bytes, "next_comm", &fields.new_name));
    return fields;
}

static void a_switch_has_its_threads_and_stack(void **state)
{
    const struct td_perf_fields fields = find_all();
    static struct td_perf_parsed parsed;
    struct record_bytes r;
    make_switch(&r);
    assert_int_equal(td_perf_parse(r.at, r.bytes, &fields, kind_of, NULL, &parsed), TD_PERF_EVENT);
    const struct td_perf_record *record = &parsed.record;
    assert_int_equal(record->kind, TD_PERF_SWITCH);
    assert_int_equal(record->pid, 70);
    assert_int_equal(record->time, 123456789);
    assert_int_equal(record->change.old_thread, 71);
    assert_int_equal(record->change.new_thread, 88);
    assert_int_equal(record->change.old_priority, 120);
    assert_int_equal(record->change.new_priority, -1);
    assert_int_equal(record->change.state, TD_PERF_UNINTERRUPTIBLE);
    assert_int_equal(record->count, 3);
    assert_true(record->stack[0] == 0xffffffff81000010 && record->stack[2] == 0x402000);
    assert_string_equal(parsed.old_name, "worker");
    assert_string_equal(parsed.new_name, "sixteen of them");
}

/* Of counters there are no records on a machine without them: this is what Linux writes. */
static void a_sample_of_a_counter_has_its_place(void **state)
{
    const struct td_perf_fields fields = find_all();
    static struct td_perf_parsed parsed;
    struct record_bytes r;
    for (int kind = TD_PERF_CYCLES; kind <= TD_PERF_BRANCH_MISSES; kind++) {
        assert_int_equal(td_perf_sample_type((enum td_perf_kind)kind),
                         PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME);
        begin_record(&r, PERF_RECORD_SAMPLE);
        put_u64(&r, 100 + (uint64_t)kind);
        put_u64(&r, 0x401234);
        put_u32(&r, 70);
        put_u32(&r, 71);
        put_u64(&r, 5000);
        end_record(&r);
        assert_int_equal(td_perf_parse(r.at, r.bytes, &fields, kind_of, NULL, &parsed), TD_PERF_EVENT);
        assert_int_equal(parsed.record.kind, kind);
        assert_true(parsed.record.ip == 0x401234 && parsed.record.pid == 70 && parsed.record.tid == 71);
        assert_int_equal(parsed.record.time, 5000);
    }
}

/* The format of drm/drm_vblank_event, and a record of it. */
static void a_vertical_blank_has_its_display(void **state)
{
    static const char vblank[] = "name: drm_vblank_event\nID: 871\nformat:\n"
                                 "\tfield:int crtc;\toffset:8;\tsize:4;\tsigned:1;\n"
                                 "\tfield:unsigned int seq;\toffset:12;\tsize:4;\tsigned:0;\n"
                                 "\tfield:ktime_t time;\toffset:16;\tsize:8;\tsigned:1;\n"
                                 "\tfield:bool high_prec;\toffset:24;\tsize:1;\tsigned:0;\n\n";
    static struct td_perf_parsed parsed;
    struct td_perf_fields fields = {0};
    struct record_bytes r;
    const uint8_t raw[28] = {[8] = 2, [12] = 99};
    assert_true(td_trace_field_find(vblank, sizeof vblank - 1, "crtc", &fields.display));
    begin_record(&r, PERF_RECORD_SAMPLE);
    put_u64(&r, 100 + TD_PERF_VSYNC);
    put_u32(&r, 0);
    put_u32(&r, 0);
    put_u64(&r, 16666667);
    put_u32(&r, sizeof raw);
    put_bytes(&r, raw, sizeof raw);
    end_record(&r);
    assert_int_equal(td_perf_parse(r.at, r.bytes, &fields, kind_of, NULL, &parsed), TD_PERF_EVENT);
    assert_int_equal(parsed.record.kind, TD_PERF_VSYNC);
    assert_int_equal(parsed.record.display, 2);
    assert_int_equal(parsed.record.time, 16666667);
}

static void threads_keep_their_names_after_their_end(void **state)
{
    static struct td_thread_names names;
    td_thread_names_note(&names, 71, 70, "worker");
    td_thread_names_note(&names, 71, 0, "renamed");
    td_thread_names_note(&names, 0, 0, "swapper/0"); /* the idle thread is none */
    const struct td_thread_name *found = td_thread_names_find(&names, 71);
    assert_true(found && found->process == 70);
    assert_string_equal(found->name, "renamed");
    assert_null(td_thread_names_find(&names, 0));
    assert_null(td_thread_names_find(&names, 71 + TD_THREAD_NAMES));
    td_thread_names_note(&names, 71 + TD_THREAD_NAMES, 0, "next");
    assert_null(td_thread_names_find(&names, 71));
    assert_int_equal(td_thread_names_find(&names, 71 + TD_THREAD_NAMES)->process, 0);
}

static void end_news(struct record_bytes *r)
{
    put_u32(r, 40);
    put_u32(r, 41);
    put_u64(r, 12345);
    put_u64(r, 7);
    end_record(r);
}

static void a_mapping_has_its_file(void **state)
{
    static struct td_perf_parsed parsed;
    struct record_bytes r;
    begin_record(&r, PERF_RECORD_MMAP2);
    put_u32(&r, 40);
    put_u32(&r, 41);
    for (unsigned i = 0; i < 3; i++)
        put_u64(&r, 0x1000 * (i + 1));
    put_u32(&r, 8);
    put_u32(&r, 1);
    put_u64(&r, 99);
    put_u64(&r, 0);
    put_u64(&r, 0);
    put_bytes(&r, "/a/file\0\0\0\0\0\0\0\0", 16);
    end_news(&r);
    assert_int_equal(td_perf_parse(r.at, r.bytes, &(const struct td_perf_fields){0}, kind_of, NULL, &parsed),
                     TD_PERF_EVENT);
    const struct td_perf_mapping *map = (const struct td_perf_mapping *)parsed.record.stack;
    assert_int_equal(parsed.record.kind, TD_PERF_PROCESS);
    assert_int_equal(parsed.record.news.what, TD_PERF_NEWS_MAP);
    assert_int_equal(parsed.record.pid, 40);
    assert_int_equal(parsed.record.time, 12345);
    assert_int_equal(map->start, 0x1000);
    assert_int_equal(map->offset, 0x3000);
    assert_int_equal(map->inode, 99);
    assert_string_equal(map->path, "/a/file");
    assert_int_equal(parsed.record.count, sizeof *map / 8 + 1);
    for (uint16_t bytes = 8; bytes < r.bytes; bytes++) /* a shorter one is damaged, or ends in the path */
        td_perf_parse(r.at, bytes, &(const struct td_perf_fields){0}, kind_of, NULL, &parsed);
}

static void news_of_processes_survive_the_order_of_records(void **state)
{
    static struct td_perf_parsed parsed;
    struct td_perf_line line = {.cpu = 3};
    static struct td_perf_order order;
    struct td_perf_record record;
    struct record_bytes r;
    td_perf_order_init(&order, &host, &line, 1, 1 << 20);
    begin_record(&r, PERF_RECORD_COMM);
    put_u32(&r, 40);
    put_u32(&r, 41);
    put_bytes(&r, "a name\0", 8);
    end_news(&r);
    assert_int_equal(td_perf_parse(r.at, r.bytes, &(const struct td_perf_fields){0}, kind_of, NULL, &parsed),
                     TD_PERF_EVENT);
    assert_true(td_perf_order_add(&order, 0, &parsed.record));
    begin_record(&r, PERF_RECORD_FORK);
    for (uint32_t i = 0; i < 4; i++)
        put_u32(&r, 50 + i);
    put_u64(&r, 12345);
    end_news(&r);
    assert_int_equal(td_perf_parse(r.at, r.bytes, &(const struct td_perf_fields){0}, kind_of, NULL, &parsed),
                     TD_PERF_EVENT);
    assert_true(td_perf_order_add(&order, 0, &parsed.record));
    assert_int_equal(td_perf_order_next(&order, INT64_MAX, &record), 1);
    assert_int_equal(record.tid, 41);
    assert_string_equal((const char *)record.stack, "a name");
    assert_int_equal(td_perf_order_next(&order, INT64_MAX, &record), 1);
    assert_int_equal(record.news.what, TD_PERF_NEWS_FORK);
    assert_int_equal(record.news.parent, 51);
    assert_int_equal(record.tid, 52);
    td_perf_order_free(&order);
}

static void a_sample_has_the_end_of_the_programs_stack(void **state)
{
    static struct td_perf_parsed parsed;
    struct record_bytes r;
    begin_record(&r, PERF_RECORD_SAMPLE);
    put_u64(&r, 100 + TD_PERF_SAMPLE);
    put_u32(&r, 70);
    put_u32(&r, 71);
    put_u64(&r, 123456789);
    put_u64(&r, 5);
    put_u64(&r, (uint64_t)PERF_CONTEXT_KERNEL);
    put_u64(&r, 0xffffffff81000010);
    put_u64(&r, (uint64_t)PERF_CONTEXT_USER);
    put_u64(&r, 0x4000);
    put_u64(&r, 0x5000);
    const uint16_t stack_end = r.bytes;
    put_u64(&r, PERF_SAMPLE_REGS_ABI_64);
    put_u64(&r, 0x7f00); /* rbp, rsp, rip */
    put_u64(&r, 0x7e00);
    put_u64(&r, 0x4000);
    put_u64(&r, 16);
    put_u64(&r, 0x1111);
    put_u64(&r, 0);
    put_u64(&r, 8); /* so many could be copied */
    end_record(&r);
    assert_int_equal(td_perf_parse(r.at, r.bytes, &no_fields, kind_of, NULL, &parsed), TD_PERF_EVENT);
    assert_int_equal(parsed.record.count, 3);
    assert_int_equal(parsed.user_at, 1);
    assert_int_equal(parsed.user.ip, 0x4000);
    assert_int_equal(parsed.user.sp, 0x7e00);
    assert_int_equal(parsed.user.fp, 0x7f00);
    assert_int_equal(parsed.user.bytes, 8);
    assert_int_equal(*(const uint64_t *)parsed.user.stack, 0x1111);
    for (uint16_t bytes = stack_end + 1; bytes < r.bytes; bytes++)
        assert_int_equal(td_perf_parse(r.at, bytes, &no_fields, kind_of, NULL, &parsed), TD_PERF_DAMAGED);
}

static void damaged_records_are_refused(void **state)
{
    const struct td_perf_fields fields = find_all();
    static struct td_perf_parsed parsed;
    struct record_bytes r;
    make_switch(&r);
    for (size_t bytes = 0; bytes < r.bytes; bytes++) { /* exactly so many bytes, for the sanitizer */
        uint8_t *cut = malloc(bytes + 1);
        memcpy(cut, r.at, bytes);
        assert_int_equal(td_perf_parse(cut, bytes, &fields, kind_of, NULL, &parsed), TD_PERF_DAMAGED);
        free(cut);
    }
    struct record_bytes bad = r;
    memcpy(bad.at + 32, &(uint64_t){UINT64_MAX}, 8); /* the number of addresses */
    assert_int_equal(td_perf_parse(bad.at, bad.bytes, &fields, kind_of, NULL, &parsed), TD_PERF_DAMAGED);
    bad = r;
    memcpy(bad.at + 8, &(uint64_t){99}, 8); /* the event */
    assert_int_equal(td_perf_parse(bad.at, bad.bytes, &fields, kind_of, NULL, &parsed), TD_PERF_DAMAGED);
}

static void lost_records_are_counted(void **state)
{
    static struct td_perf_parsed parsed;
    struct record_bytes r;
    begin_record(&r, PERF_RECORD_LOST);
    put_u64(&r, 100);
    put_u64(&r, 4711);
    end_record(&r);
    assert_int_equal(td_perf_parse(r.at, r.bytes, &no_fields, kind_of, NULL, &parsed), TD_PERF_LOST);
    assert_int_equal(parsed.lost, 4711);
    assert_int_equal(td_perf_parse(r.at, 12, &no_fields, kind_of, NULL, &parsed), TD_PERF_DAMAGED);
}

/* ---- rings ---- */

struct seen_bytes {
    unsigned records;
    uint32_t types;
};

static void see(void *self, const uint8_t *record, size_t bytes)
{
    struct seen_bytes *seen = self;
    struct perf_event_header header;
    memcpy(&header, record, sizeof header);
    assert_int_equal(header.size, bytes);
    seen->records++;
    seen->types += header.type;
}

static void a_record_at_the_end_of_the_ring_is_whole(void **state)
{
    static uint8_t scratch[TD_PERF_RECORD_MAX];
    uint8_t data[64] = {0};
    const struct perf_event_header header = {.type = 5, .size = 24};
    struct seen_bytes seen = {0};
    for (size_t i = 0; i < 8; i++)
        data[(56 + i) % 64] = ((const uint8_t *)&header)[i];
    for (size_t i = 0; i < 8; i++)
        data[(80 + i) % 64] = ((const uint8_t *)&header)[i];
    assert_int_equal(td_perf_ring_walk(data, 64, 56, 56 + 48, scratch, see, &seen), 2);
    assert_int_equal(seen.types, 10);
    assert_true(td_perf_ring_walk(data, 64, 56, 56 + 47, scratch, see, &seen) <
                0); /* the second one is cut */
    assert_true(td_perf_ring_walk(data, 64, 56, 56 + 65, scratch, see, &seen) <
                0); /* more than the ring has */
    data[62] = 0;
    assert_true(td_perf_ring_walk(data, 64, 56, 56 + 48, scratch, see, &seen) < 0); /* a record of no bytes */
}

/* ---- order ---- */

static void add_switch(struct td_perf_order *order, unsigned line, int64_t time, uint32_t from, uint32_t to)
{
    const struct td_perf_record record = {
        .kind = TD_PERF_SWITCH, .time = time, .change = {.old_thread = from, .new_thread = to}};
    assert_true(td_perf_order_add(order, line, &record));
}

static void expect_switch(struct td_perf_order *order, uint32_t cpu, int64_t time, uint32_t from, uint32_t to,
                          bool mended)
{
    struct td_perf_record record;
    assert_true(td_perf_order_next(order, INT64_MAX, &record));
    assert_int_equal(record.cpu, cpu);
    assert_int_equal(record.time, time);
    assert_int_equal(record.change.old_thread, from);
    assert_int_equal(record.change.new_thread, to);
    assert_int_equal(record.change.mended, mended);
}

static void records_of_all_processors_come_in_order(void **state)
{
    struct td_perf_line lines[3] = {{.cpu = 0}, {.cpu = 1}, {.cpu = 5}};
    struct td_perf_order order;
    struct td_perf_record record;
    uint64_t stack[TD_PERF_STACK_MAX];
    td_perf_order_init(&order, &host, lines, 3, 1 << 24);
    for (int i = 0; i < TD_PERF_STACK_MAX; i++)
        stack[i] = (uint64_t)i;
    for (int64_t time = 0; time < 3000; time++) {
        record = (struct td_perf_record){
            .kind = TD_PERF_SAMPLE, .time = time, .tid = 9, .count = (uint32_t)(time % 128), .stack = stack};
        assert_true(td_perf_order_add(&order, (unsigned)(time * 7 % 3), &record));
    }
    for (int64_t time = 0; time < 3000; time++) {
        assert_int_equal(td_perf_order_next(&order, time, &record), 0); /* not before its time */
        assert_int_equal(td_perf_order_next(&order, time + 1, &record), 1);
        assert_int_equal(record.time, time);
        assert_int_equal(record.count, time % 128);
        assert_true(!record.count || record.stack[record.count - 1] == record.count - 1);
    }
    assert_int_equal(order.bytes, 0);
    td_perf_order_free(&order);
}

static void memory_for_records_has_a_limit(void **state)
{
    struct td_perf_line line = {0};
    struct td_perf_order order;
    const struct td_perf_record record = {.kind = TD_PERF_CYCLES, .ip = 1};
    td_perf_order_init(&order, &host, &line, 1, 1 << 20);
    unsigned added = 0;
    while (td_perf_order_add(&order, 0, &record))
        added++;
    assert_in_range(added, 10000, 40000);
    td_perf_order_free(&order);
}

static void switches_that_are_missing_are_mended(void **state)
{
    struct td_perf_line lines[2] = {{.cpu = 0}, {.cpu = 1}};
    struct td_perf_order order;
    td_perf_order_init(&order, &host, lines, 2, 1 << 24);
    add_switch(&order, 0, 10, 0, 7);
    assert_true(td_perf_order_gap(&order, 0)); /* 7 -> 8 and more is missing */
    add_switch(&order, 0, 50, 9, 0);
    add_switch(&order, 1, 20, 3, 4);
    add_switch(&order, 1, 60, 5, 6); /* 4 -> 5 is missing, and no gap is known */
    expect_switch(&order, 0, 10, 0, 7, false);
    expect_switch(&order, 0, 10, 7, 0, true);
    expect_switch(&order, 1, 20, 3, 4, false);
    expect_switch(&order, 0, 50, 0, 9, true);
    expect_switch(&order, 0, 50, 9, 0, false);
    expect_switch(&order, 1, 60, 4, 5, true);
    expect_switch(&order, 1, 60, 5, 6, false);
    add_switch(&order, 0, 70, 0, 6); /* that 6 stopped on 1 is missing */
    expect_switch(&order, 1, 70, 6, 0, true);
    expect_switch(&order, 0, 70, 0, 6, false);
    td_perf_order_free(&order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_found_by_their_names),
        cmocka_unit_test(the_mount_of_tracefs_is_preferred),
        cmocka_unit_test(a_switch_has_its_threads_and_stack),
        cmocka_unit_test(a_sample_of_a_counter_has_its_place),
        cmocka_unit_test(a_vertical_blank_has_its_display),
        cmocka_unit_test(threads_keep_their_names_after_their_end),
        cmocka_unit_test(a_mapping_has_its_file),
        cmocka_unit_test(news_of_processes_survive_the_order_of_records),
        cmocka_unit_test(a_sample_has_the_end_of_the_programs_stack),
        cmocka_unit_test(damaged_records_are_refused),
        cmocka_unit_test(lost_records_are_counted),
        cmocka_unit_test(a_record_at_the_end_of_the_ring_is_whole),
        cmocka_unit_test(records_of_all_processors_come_in_order),
        cmocka_unit_test(memory_for_records_has_a_limit),
        cmocka_unit_test(switches_that_are_missing_are_mended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
