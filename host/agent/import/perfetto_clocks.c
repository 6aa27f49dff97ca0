#include "host/agent/import/perfetto_clocks.h"
#include "host/base/grow.h"
#include "host/base/wrap.h"
#include "proto/perfetto.h"

#define STEPS                2   /* from clock to clock */
#define SNAPSHOT             32u /* clocks that a snapshot may have */
#define TIME_MAX             ((INT64_C(1) << 62) - 1)
#define OF_A_SEQUENCE(clock) ((clock) >= 64 && (clock) < 128)

void td_pf_clocks_free(struct td_pf_clocks *clocks)
{
    for (size_t i = 0; i < clocks->list_count; i++)
        free(clocks->lists[i].at);
    free(clocks->lists);
    free(clocks->times);
    free(clocks->snapshots);
    td_map_finish(&clocks->by_key);
}

uint64_t td_pf_clock_key(uint64_t clock, uint32_t sequence)
{
    return OF_A_SEQUENCE(clock) ? clock | (uint64_t)sequence << 32 : clock & UINT32_MAX;
}

/* NULL: no memory. */
static struct td_pf_clock_list *list_of(struct td_pf_clocks *clocks, uint64_t key)
{
    uint32_t number = td_map_get(&clocks->by_key, key, UINT32_MAX);
    if (number == UINT32_MAX) {
        number = (uint32_t)clocks->list_count;
        if (TD_APPEND(clocks->lists, clocks->list_count, clocks->list_room,
                      (struct td_pf_clock_list){.unit_ns = 1}) < 0 ||
            td_map_add(&clocks->by_key, key, number) < 0)
            return NULL;
    }
    return &clocks->lists[number];
}

static bool in_ns(const struct td_pf_clock_list *list, uint64_t time, int64_t *ns)
{
    uint64_t whole;
    if (__builtin_mul_overflow(time, list->unit_ns, &whole) || whole > TIME_MAX)
        return false;
    *ns = (int64_t)whole;
    return true;
}

static int add_time(struct td_pf_clocks *clocks, uint64_t key, int64_t ns, uint32_t first)
{
    struct td_pf_clock_list *list = list_of(clocks, key);
    const uint32_t number = (uint32_t)clocks->time_count;
    if (!list || TD_APPEND(list->at, list->count, list->room, number) < 0 ||
        td_grow(&clocks->snapshots, &clocks->snapshot_room, clocks->time_count + 1,
                sizeof *clocks->snapshots) < 0)
        return TD_E_NOMEM;
    clocks->snapshots[number] = first;
    return TD_APPEND(clocks->times, clocks->time_count, clocks->time_room,
                     (struct td_pf_clock_time){key, ns});
}

static int take_clock(struct td_pf_clocks *clocks, struct td_pb_reader clock, uint32_t sequence,
                      uint32_t first)
{
    struct td_pb_field field;
    uint64_t id = 0, time = 0, unit_ns = 1;
    bool is_incremental = false;
    int64_t ns;
    while (td_pb_next(&clock, &field)) {
        id = field.number == TD_PF_CLOCK_ID ? field.value : id;
        time = field.number == TD_PF_CLOCK_TIMESTAMP ? field.value : time;
        unit_ns = field.number == TD_PF_CLOCK_UNIT_NS && field.value ? field.value : unit_ns;
        is_incremental = field.number == TD_PF_CLOCK_IS_INCREMENTAL ? field.value != 0 : is_incremental;
    }
    if (clock.is_damaged || !id || clocks->time_count - first >= SNAPSHOT ||
        clocks->time_count >= UINT32_MAX - 1)
        return 0;
    const uint64_t key = td_pf_clock_key(id, sequence);
    struct td_pf_clock_list *list = list_of(clocks, key);
    if (!list)
        return TD_E_NOMEM;
    list->unit_ns = unit_ns;
    list->is_incremental = is_incremental;
    list->last = (int64_t)time;
    return in_ns(list, time, &ns) ? add_time(clocks, key, ns, first) : 0;
}

int td_pf_clocks_take_snapshot(struct td_pf_clocks *clocks, struct td_pb_reader snapshot, uint32_t sequence)
{
    struct td_pb_field field;
    const uint32_t first = (uint32_t)clocks->time_count;
    int bad = 0;
    while (!bad && td_pb_next(&snapshot, &field)) {
        if (field.number == TD_PF_CLOCK_SNAPSHOT_CLOCKS)
            bad = take_clock(clocks, field.message, sequence, first);
        if (field.number == TD_PF_CLOCK_SNAPSHOT_PRIMARY && field.value)
            clocks->trace_clock = td_pf_clock_key(field.value, sequence);
    }
    return bad;
}

/* The last snapshot of the clock that is not after the time; before all of them, the first one. */
static uint32_t snapshot_at(const struct td_pf_clocks *clocks, const struct td_pf_clock_list *list,
                            int64_t ns)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (clocks->times[list->at[middle]].ns <= ns)
            low = middle + 1;
        else
            high = middle;
    }
    return list->at[low ? low - 1 : 0];
}

static bool convert(struct td_pf_clocks *clocks, uint64_t key, int64_t *ns, unsigned steps)
{
    const uint64_t wanted = clocks->trace_clock ? clocks->trace_clock : TD_PF_BOOTTIME;
    const uint32_t number = td_map_get(&clocks->by_key, key, UINT32_MAX);
    if (key == wanted)
        return true;
    if (number == UINT32_MAX || !clocks->lists[number].count)
        return false;
    const uint32_t at = snapshot_at(clocks, &clocks->lists[number], *ns), first = clocks->snapshots[at];
    for (int direct = 1; direct >= 0; direct--)
        for (uint32_t i = first; i < clocks->time_count && clocks->snapshots[i] == first; i++) {
            int64_t there = td_wrap_add(clocks->times[i].ns, td_wrap_sub(*ns, clocks->times[at].ns));
            if (direct ? clocks->times[i].clock != wanted : !steps || clocks->times[i].clock == key)
                continue;
            if (direct || convert(clocks, clocks->times[i].clock, &there, steps - 1)) {
                *ns = there;
                return true;
            }
        }
    return false;
}

bool td_pf_clocks_ns(struct td_pf_clocks *clocks, uint64_t key, uint64_t time, int64_t *ns)
{
    const uint32_t number = td_map_get(&clocks->by_key, key, UINT32_MAX);
    static const struct td_pf_clock_list plain = {.unit_ns = 1};
    struct td_pf_clock_list *list = number == UINT32_MAX ? NULL : &clocks->lists[number];
    if (list && list->is_incremental) {
        if (__builtin_add_overflow(list->last, (int64_t)time, &list->last) || list->last < 0)
            return false;
        time = (uint64_t)list->last;
    }
    if (!in_ns(list ? list : &plain, time, ns))
        return false;
    if (!clocks->time_count && !OF_A_SEQUENCE(key & UINT32_MAX))
        return true; /* a trace without snapshots has one clock */
    return convert(clocks, key, ns, STEPS) && *ns <= TIME_MAX && *ns >= -TIME_MAX;
}
