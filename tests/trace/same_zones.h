/* Compares the zones of two finished traces. */
#pragma once
#include "host/trace/trace.h"
#include "host/trace/walk.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <cmocka.h>

static inline void expect_same_zone(const struct td_trace *a, const struct td_zone *x,
                                    const struct td_trace *b, const struct td_zone *y)
{
    if (x->start_ns != y->start_ns || x->end_ns != y->end_ns)
        fail_msg("a zone is %" PRId64 "..%" PRId64 ", not %" PRId64 "..%" PRId64, y->start_ns, y->end_ns,
                 x->start_ns, x->end_ns);
    assert_string_equal(td_dict_zone_name(td_trace_dict(a), x->srcloc),
                        td_dict_zone_name(td_trace_dict(b), y->srcloc));
    assert_string_equal(td_dict_text(td_trace_dict(a), x->text), td_dict_text(td_trace_dict(b), y->text));
}

/* Zones, their nesting, their texts. Returns how many. */
static inline uint64_t expect_same_zones(const struct td_trace *a, uint32_t track_a, const struct td_trace *b,
                                         uint32_t track_b)
{
    struct td_walk x, y;
    struct td_step s, t;
    uint64_t zones = 0;
    assert_int_equal(td_walk_begin(&x, a, track_a), 0);
    assert_int_equal(td_walk_begin(&y, b, track_b), 0);
    while (td_walk_next(&x, &s)) {
        assert_true(td_walk_next(&y, &t));
        expect_same_zone(a, &s.zone, b, &t.zone);
        assert_int_equal(s.row, t.row);
        assert_int_equal(s.leaves, t.leaves);
        zones += !s.leaves;
    }
    assert_false(td_walk_next(&y, &t));
    td_walk_end(&x);
    td_walk_end(&y);
    assert_int_equal(td_trace_track_parents(a, track_a), td_trace_track_parents(b, track_b));
    return zones;
}
