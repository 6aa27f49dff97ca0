/* The client's queues without a connection: this program is the consumer. */
#include "host/client/api/mark.h"
#include "host/client/encode/drain.h"
#include "host/client/encode/encoder.h"
#include "host/client/queue/frame_image.h"
#include "host/client/platform/pool.h"
#include "host/client/queue/compose.h"
#include "host/client/queue/queue.h"
#include "host/client/queue/record.h"
#include "host/client/queue/records.h"
#include "host/client/queue/zone_acts.h"
#include "host/client/include/tracy/TracyC.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Takes everything; returns the number of records of the kind. */
static size_t take_all(uint32_t kind)
{
    size_t count = 0;
    struct td_rec rec;
    for (struct td_thread_queue *queue = td_queue_first(); queue; queue = td_queue_after(queue))
        while (td_thread_queue_peek(queue, &rec)) {
            count += rec.kind == kind;
            td_thread_queue_take(queue, &rec);
        }
    return count;
}

static int begin(void **state)
{
    td_queue_set_live(1);
    take_all(0);
    return 0;
}

static int end(void **state)
{
    td_queue_set_live(0);
    take_all(0);
    return 0;
}

static struct td_thread_queue *queue_of_this_thread(int ordered)
{
    struct td_thread_queue *queue = td_queue_first();
    while (queue && (queue->thread != td_client_thread_id() || queue->ordered != ordered))
        queue = td_queue_after(queue);
    return queue;
}

static void a_waiting_zone_takes_24_bytes(void **state)
{
    TracyCZoneN(first, "first", 1);
    TracyCZoneEnd(first);
    uint64_t before = td_client_producer.cur;
    for (int i = 0; i < 100; i++) {
        TracyCZoneN(zone, "zone", 1);
        TracyCZoneEnd(zone);
    }
    uint64_t bytes = td_client_producer.cur - before;
    assert_int_equal(bytes, 100 * 24);
    assert_int_equal(take_all(TD_REC_ZONE_BEGIN), 101);
}

static void every_kind_of_record_comes_back_as_it_was_written(void **state)
{
    static char text[3000];
    uint64_t stack[TD_REC_STACK_MAX];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + i % 26);
    for (uint32_t i = 0; i < TD_REC_STACK_MAX; i++)
        stack[i] = 1000 + i;
    static const size_t sizes[] = {0, 1, 8, TD_REC_TEXT_MAX, TD_REC_TEXT_MAX + 1, sizeof text};
    for (uint32_t kind = 1; kind < TD_REC_COUNT; kind++) {
        const struct td_record_info *info = &td_record_infos[kind];
        if (kind == TD_REC_PAD || kind == TD_REC_VOID || info->tail >= TD_REC_TAIL_OWNED)
            continue;
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            int with_text = info->tail == TD_REC_TAIL_TEXT;
            struct td_mark mark = {.kind = kind,
                                   .frames = s % 2 ? TD_REC_STACK_MAX : 0,
                                   .stack = stack,
                                   .text = with_text ? text : NULL,
                                   .bytes = with_text ? sizes[s] : 0};
            mark.fields[info->words > 1 ? info->words - 2 : 0] =
                info->ordered && info->words == 2 ? 0 : 0x50000;
            td_mark_record(&mark);
            int thread_queue = !info->ordered || kind == TD_REC_FIBER_ENTER || kind == TD_REC_FIBER_LEAVE;
            struct td_thread_queue *queue = queue_of_this_thread(!thread_queue);
            struct td_rec rec;
            assert_non_null(queue);
            assert_int_equal(td_thread_queue_peek(queue, &rec), 1);
            assert_int_equal(rec.kind, kind);
            assert_int_equal(rec.frames, mark.frames);
            if (rec.frames)
                assert_memory_equal(rec.stack, stack, sizeof stack);
            assert_int_equal(rec.bytes, mark.bytes);
            if (with_text)
                assert_memory_equal(rec.text, text, rec.bytes);
            td_thread_queue_take(queue, &rec);
            assert_int_equal(td_thread_queue_peek(queue, &rec), 0);
        }
    }
}

static void times_of_records_are_those_of_the_clock(void **state)
{
    int64_t before = ___tracy_get_time();
    TracyCMessageL("now");
    int64_t after = ___tracy_get_time();
    struct td_rec rec;
    struct td_thread_queue *queue = queue_of_this_thread(0);
    assert_int_equal(td_thread_queue_peek(queue, &rec), 1);
    assert_true(rec.time >= before && rec.time <= after);
    td_thread_queue_take(queue, &rec);
}

static void *mark_memory(void *index)
{
    for (uintptr_t i = 0; i < 20000; i++)
        TracyCAlloc((void *)i, (uintptr_t)index);
    return NULL;
}

static void ordered_records_have_every_number_once_and_rise_in_each_thread(void **state)
{
    enum { THREADS = 4, EACH = 20000 };
    uint32_t first = atomic_load(&td_order);
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, mark_memory, (void *)i), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    static uint8_t seen[THREADS * EACH];
    memset(seen, 0, sizeof seen);
    struct td_rec rec;
    for (struct td_thread_queue *queue = td_queue_first(); queue; queue = td_queue_after(queue)) {
        uint32_t last = 0;
        while (td_thread_queue_peek(queue, &rec)) {
            if (rec.kind == TD_REC_THREAD) {
                td_thread_queue_take(queue, &rec);
                continue;
            }
            uint32_t number = (uint32_t)rec.word[1] - first;
            assert_true(number < THREADS * EACH && !seen[number] && (!last || number > last));
            seen[number] = 1;
            last = number;
            td_thread_queue_take(queue, &rec);
        }
    }
    for (size_t i = 0; i < sizeof seen; i++)
        assert_int_equal(seen[i], 1);
}

/* A signal handler's record comes after that of the marker that it interrupts, but has a smaller number. */
static void numbers_the_wrong_way_round_in_a_lane_are_taken_in_their_order(void **state)
{
    uint64_t *outer = td_reserve_ordered(3), *inner = td_reserve_ordered(3);
    outer[2] = 1;
    inner[2] = 2;
    uint32_t first = atomic_load(&td_order);
    td_publish_ordered(inner, TD_REC_MEM_FREE, 1, 0);
    td_publish_ordered(outer, TD_REC_MEM_FREE, 1, 0);
    TracyCFree((void *)3);
    struct td_thread_queue *queue = queue_of_this_thread(1);
    struct td_rec rec;
    assert_int_equal(td_thread_queue_find(queue, first, &rec), 1);
    assert_int_equal(rec.word[2], 2);
    td_thread_queue_take_ahead(&rec);
    assert_int_equal(td_thread_queue_find(queue, first, &rec), 0);
    for (unsigned i = 1; i <= 3; i++) { /* 1, the place of 2, 3 */
        assert_int_equal(td_thread_queue_peek(queue, &rec), 1);
        assert_int_equal(rec.kind, i == 2 ? TD_REC_VOID : TD_REC_MEM_FREE);
        if (i != 2)
            assert_int_equal(rec.word[2], i);
        td_thread_queue_take(queue, &rec);
    }
    assert_int_equal(td_thread_queue_peek(queue, &rec), 0);
}

/* A record of this thread waits for its time, and after it one that another queue waits for. */
static void a_record_that_waits_for_its_time_is_not_overtaken(void **state)
{
    static struct td_encoder encoder;
    int rest;
    assert_int_equal(td_encoder_init(&encoder, td_wire_release_for(82)), 0);
    TracyCFree((void *)1);
    td_client_drain_discard(); /* up to this number of the order */
    uint64_t *record = td_reserve(3);
    record[1] = (uintptr_t) "message";
    record[2] = 0;
    td_client_publish(record, TD_REC_MESSAGE_LITERAL, td_client_ticks() + (UINT64_C(1) << 31));
    const uint32_t first = atomic_load(&td_order);
    TracyCFiberEnter("fiber");
    TracyCFree((void *)2);
    assert_true(td_client_drain(&encoder, &rest) >= 0);
    assert_int_equal(rest, 1);
    struct td_rec rec;
    struct td_thread_queue *queue = queue_of_this_thread(0);
    assert_int_equal(td_thread_queue_peek(queue, &rec), 1);
    assert_int_equal(rec.kind, TD_REC_MESSAGE_LITERAL);
    assert_int_equal(td_thread_queue_find(queue, first, &rec), 1);
    assert_int_equal(rec.kind, TD_REC_FIBER_ENTER);
    TracyCFiberLeave;
    td_client_drain_discard();
    td_encoder_finish(&encoder);
}

/* Blocks of this thread that hold nothing, each with a number of its own. */
static void use_up_blocks(int count)
{
    for (int i = 0; i < count; i++) {
        assert_non_null(td_queue_refill(&td_client_producer, td_client_producer.cur, 1));
        td_client_producer.cur -= 8; /* nothing is written at that place */
        if (i % 256 == 0)
            td_client_drain_discard();
    }
}

/* Ends of zones without a begin that a session counts, which begins now. */
static uint64_t count_unmatched(struct td_encoder *encoder)
{
    int rest, taken;
    while ((taken = td_client_drain(encoder, &rest)) > 0)
        ;
    assert_int_equal(taken, 0);
    return encoder->unmatched.zones;
}

static void begin_late_session(struct td_encoder *encoder)
{
    td_client_drain_discard();
    assert_int_equal(td_encoder_init(encoder, td_wire_release_for(82)), 0);
    encoder->since = (int64_t)td_client_ticks();
}

/* The numbers of zones come again after 65,535 blocks, which are 4 GiB. */
static void zones_of_an_earlier_session_are_known_however_much_was_marked_since(void **state)
{
    static struct td_encoder encoder;
    const uint64_t before = td_queue_newest_block();
    assert_true(before < 1000);
    static const struct ___tracy_source_location_data place = {"zone", "f", "file", 1, 0};
    const uint32_t early = td_client_zone_begin(&place), other = td_client_zone_begin(&place);
    use_up_blocks(40000);
    begin_late_session(&encoder);
    td_client_zone_end(other);
    assert_int_equal(count_unmatched(&encoder), 0);
    const uint32_t zone = td_client_zone_begin(&place);
    td_client_zone_end(zone);
    TracyCMessageL("between");
    td_client_zone_end(zone);
    assert_int_equal(count_unmatched(&encoder), 1);
    /* The session may take more blocks than half of the numbers. */
    td_encoder_finish(&encoder);
    begin_late_session(&encoder);
    use_up_blocks(10000);
    td_client_zone_end(early);
    assert_int_equal(count_unmatched(&encoder), 0);
    td_encoder_finish(&encoder);
    use_up_blocks(40000);
    begin_late_session(&encoder);
    td_client_zone_end(early);
    assert_int_equal(count_unmatched(&encoder), 0);
    td_encoder_finish(&encoder);
}

/* Ends each of the session's zones a second time. They are ended in runs, and one by one. */
static void zones_that_have_ended_are_known_in_late_sessions_however_much_was_marked_before(void **state)
{
    enum { ZONES = 5000 };
    static struct td_encoder encoder;
    static uint32_t zones[ZONES];
    static const struct ___tracy_source_location_data place = {"zone", "f", "file", 1, 0};
    while (td_queue_newest_block() < 0x10010)
        use_up_blocks(1000);
    const uint32_t early = td_client_zone_begin(&place);
    begin_late_session(&encoder);
    for (int i = 0; i < ZONES; i++) {
        zones[i] = td_client_zone_begin(&place);
        if (i % 3 == 0)
            TracyCMessageL("in between");
        td_client_zone_end(zones[i]);
    }
    assert_int_equal(count_unmatched(&encoder), 0);
    TracyCMessageL("between");
    for (int i = 0; i < ZONES; i++)
        td_client_zone_end(zones[i]);
    assert_int_equal(count_unmatched(&encoder), ZONES);
    td_client_zone_end(early);
    assert_int_equal(count_unmatched(&encoder), ZONES);
    td_encoder_finish(&encoder);
}

static void threads_one_after_the_other_share_lanes_and_are_told_apart(void **state)
{
    enum { THREADS = 300 };
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, mark_memory, NULL), 0);
        pthread_join(thread, NULL);
    }
    size_t queues = 0, threads = 0, records = 0;
    struct td_rec rec;
    for (struct td_thread_queue *queue = td_queue_first(); queue; queue = td_queue_after(queue)) {
        queues++;
        while (td_thread_queue_peek(queue, &rec)) {
            threads += rec.kind == TD_REC_THREAD;
            records += rec.kind == TD_REC_MEM_ALLOC;
            td_thread_queue_take(queue, &rec);
        }
    }
    assert_true(queues <= 3);
    assert_true(threads >= THREADS - 3 && threads <= THREADS);
    assert_int_equal(records, THREADS * 20000);
}

static void *begin_zone(void *zone)
{
    static const struct ___tracy_source_location_data place = {"zone", "f", "file", 1, 0};
    *(uint32_t *)zone = td_client_zone_begin(&place);
    return NULL;
}

static void *end_zone(void *zone)
{
    td_client_zone_end(*(uint32_t *)zone);
    return NULL;
}

/* The second thread continues the queue of the first one, where its zone may be in a fiber that goes on. */
static void a_zone_in_the_queue_of_an_ended_thread_is_not_of_the_thread_that_has_it_now(void **state)
{
    uint32_t zone = 0;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, begin_zone, &zone), 0);
    pthread_join(thread, NULL);
    const uint32_t queue = td_queue_of_zone(zone);
    assert_int_equal(pthread_create(&thread, NULL, end_zone, &zone), 0);
    pthread_join(thread, NULL);
    struct td_zone_act *act = td_zone_acts_take();
    assert_non_null(act);
    assert_int_equal(act->zone, zone);
    assert_null(act->next);
    td_pool_free(act);
    assert_int_equal(td_queue_of_zone(zone), queue);
    assert_int_equal(take_all(TD_REC_ZONE_END_OF), 1);
}

static void lanes_of_ended_threads_go_once_they_are_empty(void **state)
{
    for (int i = 0; i < 200; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, mark_memory, NULL), 0);
        pthread_join(thread, NULL);
        take_all(0);
    }
    size_t queues = 0;
    for (struct td_thread_queue *queue = td_queue_first(); queue; queue = td_queue_after(queue))
        queues++;
    assert_true(queues <= 2);
}

static void nothing_is_written_while_nobody_wants_it(void **state)
{
    td_queue_set_live(0);
    uint64_t before = td_client_producer.cur, ordered = td_ordered_producer.cur;
    TracyCZoneN(zone, "zone", 1);
    TracyCZoneText(zone, "text", 4);
    TracyCZoneEnd(zone);
    TracyCPlotI("plot", 1);
    TracyCMessageL("message");
    TracyCFrameMark;
    TracyCAlloc((void *)1, 1);
    uint64_t made = ___tracy_alloc_srcloc(1, "file", 4, "function", 8, 0);
    TracyCZoneCtx allocated = ___tracy_emit_zone_begin_alloc(made, 1);
    TracyCZoneEnd(allocated);
    assert_int_equal(zone.active, 0);
    assert_int_equal(td_client_producer.cur, before);
    assert_int_equal(td_ordered_producer.cur, ordered);
    td_queue_set_live(1);
    /* A zone of the time before does not end one of now. */
    TracyCZoneEnd(zone);
    assert_int_equal(take_all(TD_REC_ZONE_END), 0);
}

/* A handler may run for seconds and mark much before the interrupted marker continues. */
static void a_record_that_was_given_up_may_still_be_written(void **state)
{
    enum { MANY = 10000, BLOCKS = 100 };
    static uint64_t *blocks[BLOCKS];
    uint64_t *late = td_reserve(2);
    uintptr_t home = (uintptr_t)late & ~(uintptr_t)(TD_CLIENT_BLOCK_BYTES - 1);
    for (int i = 0; i < MANY; i++)
        td_client_plot_double("after", i);
    assert_int_equal(take_all(TD_REC_PLOT_DOUBLE), 0);
    unsigned long lost = atomic_load(&td_queue_lost);
    struct td_thread_queue *queue = queue_of_this_thread(0);
    td_thread_queue_mend(queue, 1000, 2000);
    assert_int_equal(take_all(TD_REC_PLOT_DOUBLE), 0);
    td_thread_queue_mend(queue, 3000, 2000);
    assert_int_equal(atomic_load(&td_queue_lost), lost + 1);
    assert_in_range(take_all(TD_REC_PLOT_DOUBLE), MANY - TD_CLIENT_BLOCK_BYTES / 24, MANY - 1);
    late[1] = 1;
    td_client_publish(late, TD_REC_ZONE_VALUE, 1);
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = td_pool_alloc_block();
        assert_non_null(blocks[i]);
        assert_true((uintptr_t)blocks[i] != home);
        for (size_t word = 0; word < TD_CLIENT_BLOCK_BYTES / 8; word++)
            assert_true(blocks[i][word] == 0);
    }
    for (int i = 0; i < BLOCKS; i++)
        td_pool_free_block(blocks[i]);
    for (int i = 0; i < MANY; i++)
        td_client_plot_double("later", i);
    assert_int_equal(take_all(TD_REC_PLOT_DOUBLE), MANY);
}

static void image_blocks_hold_the_two_colours_and_places_between(void **state)
{
    uint8_t pixels[4 * 4 * 4], packed[8];
    struct td_frame_image image = {.width = 4, .height = 4, .pixels = pixels};
    uint16_t colors[2];
    uint32_t places;
    for (int i = 0; i < 16; i++)
        memcpy(pixels + 4 * i, i < 8 ? "\377\377\377" : "\0\0\0", 4);
    td_frame_image_write(&image, packed);
    memcpy(colors, packed, 4);
    memcpy(&places, packed + 4, 4);
    assert_int_equal(colors[0], 0xffff);
    assert_int_equal(colors[1], 0);
    assert_int_equal(places, 0x0000ffff);
    for (int i = 0; i < 16; i++)
        memcpy(pixels + 4 * i, "\370\0\0", 4);
    td_frame_image_write(&image, packed);
    memcpy(colors, packed, 4);
    memcpy(&places, packed + 4, 4);
    assert_int_equal(colors[0], 0);
    assert_int_equal(colors[1], 0xf800);
    assert_int_equal(places, 0);
}

/* Packed by the consumer before it takes their records, or not: what is sent is the same, and all memory
 * comes back. */
static void images_that_wait_hold_an_eighth_of_their_size(void **state)
{
    enum { SIDE = 256, BYTES = 4 * SIDE * SIDE, IMAGES = 20 };
    static uint8_t pixels[BYTES], early[BYTES / 8], late[BYTES / 8];
    for (size_t i = 0; i < BYTES; i++)
        pixels[i] = (uint8_t)(i * i / 77); /* nothing that packs alike everywhere */
    td_client_drain_discard();
    td_queue_set_live(1);
    size_t before = td_pool_used();
    for (int i = 0; i < IMAGES; i++)
        ___tracy_emit_frame_image(pixels, SIDE, SIDE, 0, 0);
    size_t raw = td_pool_used() - before;
    assert_true(raw >= (size_t)IMAGES * BYTES);
    assert_int_equal(td_frame_image_pack_offered(), IMAGES);
    assert_int_equal(td_frame_image_pack_offered(), 0);
    td_frame_image_give_spare();
    assert_true(td_pool_used() - before < raw / 7);
    for (int i = 0; i < IMAGES; i++) /* these are taken before they could be packed */
        ___tracy_emit_frame_image(pixels, SIDE, SIDE, 0, 0);
    unsigned packed = 0;
    struct td_rec rec;
    for (struct td_thread_queue *queue = td_queue_first(); queue; queue = td_queue_after(queue))
        while (td_thread_queue_peek(queue, &rec)) {
            if (rec.kind == TD_REC_FRAME_IMAGE) {
                const struct td_frame_image *image = (const void *)(uintptr_t)rec.word[2];
                td_frame_image_write(image, image->packed ? early : late);
                packed += image->packed;
            }
            td_thread_queue_take(queue, &rec);
        }
    assert_int_equal(packed, IMAGES);
    assert_memory_equal(early, late, sizeof early);
    assert_int_equal(td_frame_image_pack_offered(), IMAGES); /* forgets them */
    td_frame_image_give_spare();
    assert_true(td_pool_used() <= before + 0x20000); /* blocks of the queue */
}

static void pieces_of_the_pool_do_not_overlap_and_come_again(void **state)
{
    enum { COUNT = 400 };
    static uint8_t *pieces[COUNT];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < COUNT; i++) {
            size_t bytes = (size_t)1 << i % 19;
            pieces[i] = td_pool_alloc(bytes);
            assert_non_null(pieces[i]);
            memset(pieces[i], i & 0xff, bytes);
        }
        for (int i = 0; i < COUNT; i++) {
            size_t bytes = (size_t)1 << i % 19;
            assert_int_equal(pieces[i][0], i & 0xff);
            assert_int_equal(pieces[i][bytes - 1], i & 0xff);
            td_pool_free(pieces[i]);
        }
    }
    td_pool_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_waiting_zone_takes_24_bytes, begin, end),
        cmocka_unit_test_setup_teardown(every_kind_of_record_comes_back_as_it_was_written, begin, end),
        cmocka_unit_test_setup_teardown(times_of_records_are_those_of_the_clock, begin, end),
        cmocka_unit_test_setup_teardown(ordered_records_have_every_number_once_and_rise_in_each_thread, begin,
                                        end),
        cmocka_unit_test_setup_teardown(numbers_the_wrong_way_round_in_a_lane_are_taken_in_their_order, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_record_that_waits_for_its_time_is_not_overtaken, begin, end),
        cmocka_unit_test_setup_teardown(zones_of_an_earlier_session_are_known_however_much_was_marked_since,
                                        begin, end),
        cmocka_unit_test_setup_teardown(
            zones_that_have_ended_are_known_in_late_sessions_however_much_was_marked_before, begin, end),
        cmocka_unit_test_setup_teardown(threads_one_after_the_other_share_lanes_and_are_told_apart, begin,
                                        end),
        cmocka_unit_test_setup_teardown(
            a_zone_in_the_queue_of_an_ended_thread_is_not_of_the_thread_that_has_it_now, begin, end),
        cmocka_unit_test_setup_teardown(lanes_of_ended_threads_go_once_they_are_empty, begin, end),
        cmocka_unit_test_setup_teardown(nothing_is_written_while_nobody_wants_it, begin, end),
        cmocka_unit_test_setup_teardown(a_record_that_was_given_up_may_still_be_written, begin, end),
        cmocka_unit_test(image_blocks_hold_the_two_colours_and_places_between),
        cmocka_unit_test(images_that_wait_hold_an_eighth_of_their_size),
        cmocka_unit_test(pieces_of_the_pool_do_not_overlap_and_come_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
