/* Makes items of a timeline from the tables of a profile of Firefox. */
#include "host/agent/import/firefox_tables.h"
#include "host/base/grow.h"

#include <stdio.h>

#define STACK_MOST   65535u /* frames: a trace has no room for more */
#define NOT_MADE     UINT32_MAX
#define TIME_MOST_NS (INT64_C(1) << 62)

/* Phases of markers. */
enum { INSTANT, INTERVAL, INTERVAL_START, INTERVAL_END };

/* A thread that is added. Its tables may be those that all threads share. */
struct fx_thread {
    struct td_firefox *firefox;
    const struct td_firefox_part *own, *shared; /* shared: NULL: there are none */
    int64_t offset_ns;
    struct td_timeline_place at;
    uint32_t *stacks; /* numbers of the timeline, by row of stackTable; NOT_MADE */
    struct td_timeline_call *calls;
    size_t call_room;
    struct td_text text;
};

void td_firefox_free_part(struct td_firefox_part *part)
{
    for (size_t i = 0; i < TD_FX_COLUMNS; i++)
        free(part->columns[i].at);
    free(part->strings);
    td_text_free(&part->texts);
    *part = (struct td_firefox_part){0};
}

static int lose(const struct td_firefox *firefox, enum td_timeline_loss loss)
{
    td_timeline_get_counts(firefox->timeline)->lost[loss]++;
    return 0;
}

/* ---- cells */

static const struct td_firefox_cells *column_of(const struct fx_thread *thread, enum td_firefox_column column)
{
    const struct td_firefox_cells *own = &thread->own->columns[column];
    return own->count || !thread->shared ? own : &thread->shared->columns[column];
}

static int64_t cell(const struct td_firefox_cells *column, int64_t row)
{
    return row >= 0 && (uint64_t)row < column->count ? column->at[row] : TD_FX_NULL;
}

static int64_t cell_of(const struct fx_thread *thread, enum td_firefox_column column, int64_t row)
{
    return cell(column_of(thread, column), row);
}

/* The string of a cell; 0: none. */
static uint32_t string_of(const struct fx_thread *thread, int64_t index)
{
    const struct td_firefox_part *part =
        thread->own->string_count || !thread->shared ? thread->own : thread->shared;
    return index >= 0 && (uint64_t)index < part->string_count ? part->strings[index] : 0;
}

static uint32_t line_of(int64_t number)
{
    return number > 0 && number < UINT32_MAX ? (uint32_t)number : 0;
}

/* A time of the thread in the trace. False: out of range. */
static bool set_time(struct fx_thread *thread, int64_t time_ns, int64_t *to)
{
    return !__builtin_add_overflow(time_ns, thread->offset_ns, to) && *to > -TIME_MOST_NS &&
           *to < TIME_MOST_NS;
}

/* ---- frames and stacks */

/* "FUNCTION (FILE:LINE:COLUMN)" of gecko's own format, or a label, or an address. */
static int read_location(const struct fx_thread *thread, uint32_t string, struct td_timeline_call *call)
{
    struct td_dict *dict = thread->firefox->dict;
    const char *text = td_dict_text(dict, string), *open = strrchr(text, '(');
    const size_t bytes = td_dict_text_bytes(dict, string);
    call->function = string;
    if (!strncmp(text, "0x", 2))
        call->address = strtoull(text, NULL, 16);
    if (!open || open == text || open[-1] != ' ' || text[bytes - 1] != ')' || !strchr(open, ':'))
        return 0;
    struct td_timeline_id place = {open + 1, (size_t)(text + bytes - 1 - open - 1)};
    uint32_t column;
    uint32_t file = td_timeline_place_file(dict, place, &call->line);
    const uint32_t shorter =
        file == UINT32_MAX
            ? UINT32_MAX
            : td_timeline_place_file(
                  dict, (struct td_timeline_id){td_dict_text(dict, file), td_dict_text_bytes(dict, file)},
                  &column);
    if (shorter != UINT32_MAX && column) { /* the last number was the column */
        file = shorter;
        call->line = column;
    }
    call->file = file;
    call->function = td_dict_string(dict, text, (size_t)(open - 1 - text));
    return shorter == UINT32_MAX || call->function == UINT32_MAX ? TD_E_NOMEM : 0;
}

static int read_frame(const struct fx_thread *thread, int64_t frame, struct td_timeline_call *call)
{
    *call = (struct td_timeline_call){0};
    const uint32_t location = string_of(thread, cell_of(thread, TD_FX_FRAME_LOCATION, frame));
    const int64_t func = cell_of(thread, TD_FX_FRAME_FUNC, frame);
    const int64_t line = cell_of(thread, TD_FX_FRAME_LINE, frame);
    if (location) {
        const int bad = read_location(thread, location, call);
        call->line = line > 0 ? line_of(line) : call->line;
        return bad;
    }
    const int64_t source = cell_of(thread, TD_FX_FUNC_SOURCE, func);
    const int64_t address = cell_of(thread, TD_FX_FRAME_ADDRESS, frame);
    call->function = string_of(thread, cell_of(thread, TD_FX_FUNC_NAME, func));
    call->file = string_of(thread, source >= 0 ? cell_of(thread, TD_FX_SOURCE_FILE, source)
                                               : cell_of(thread, TD_FX_FUNC_FILE, func));
    call->line = line_of(line > 0 ? line : cell_of(thread, TD_FX_FUNC_LINE, func));
    call->image =
        string_of(thread, cell_of(thread, TD_FX_RESOURCE_NAME, cell_of(thread, TD_FX_FUNC_RESOURCE, func)));
    call->inlined = cell_of(thread, TD_FX_FRAME_INLINE, frame) > 0;
    call->address = address > 0 && call->image ? (uint64_t)address : 0;
    return 0;
}

/* The stack of a row of stackTable, in which the rows of callers come first. 0: the row is damaged; NOT_MADE: no
 * memory. */
static uint32_t make_stack(struct fx_thread *thread, int64_t row)
{
    size_t depth = 0;
    for (int64_t at = row, next; at >= 0; at = next) {
        const int64_t frame = cell_of(thread, TD_FX_STACK_FRAME, at);
        next = cell_of(thread, TD_FX_STACK_PREFIX, at);
        if (frame < 0 || next >= at || next == TD_FX_BAD || depth == STACK_MOST)
            return 0;
        if (td_grow(&thread->calls, &thread->call_room, depth + 1, sizeof *thread->calls) < 0 ||
            read_frame(thread, frame, &thread->calls[depth++]) < 0)
            return NOT_MADE;
    }
    return td_timeline_stack(thread->firefox->timeline, thread->calls, depth);
}

static int add_samples(struct fx_thread *thread)
{
    const struct td_firefox_part *own = thread->own;
    const struct td_firefox_cells *stacks = &own->columns[TD_FX_SAMPLE_STACK];
    const struct td_firefox_cells *times =
        &own->columns[own->columns[TD_FX_SAMPLE_TIME].count ? TD_FX_SAMPLE_TIME : TD_FX_SAMPLE_DELTA];
    const size_t rows = column_of(thread, TD_FX_STACK_FRAME)->count;
    thread->stacks = malloc((rows + 1) * sizeof *thread->stacks);
    if (!thread->stacks)
        return TD_E_NOMEM;
    memset(thread->stacks, 0xff, (rows + 1) * sizeof *thread->stacks);
    for (size_t i = 0; i < stacks->count; i++) {
        const int64_t row = stacks->at[i], time_ns = cell(times, (int64_t)i);
        if (row == TD_FX_NULL) {
            td_timeline_lose(thread->firefox->timeline, "stackless sample");
            continue;
        }
        if (row < 0 || (uint64_t)row >= rows) {
            lose(thread->firefox, TD_LOSS_DAMAGED);
            continue;
        }
        if (time_ns <= TD_FX_BAD || !set_time(thread, time_ns, &thread->at.time_ns)) {
            lose(thread->firefox, TD_LOSS_TIME);
            continue;
        }
        uint32_t *stack = &thread->stacks[row];
        if (*stack == NOT_MADE && (*stack = make_stack(thread, row)) == NOT_MADE)
            return TD_E_NOMEM;
        if (!*stack)
            lose(thread->firefox, TD_LOSS_DAMAGED);
        else if (td_timeline_sample(thread->firefox->timeline, thread->at, *stack) < 0)
            return TD_E_NOMEM;
    }
    return 0;
}

/* ---- markers */

struct fx_marker {
    int64_t start_ns, end_ns; /* TD_FX_NULL: none */
    int64_t phase;
    uint32_t name;
    struct td_tt_text data; /* an object, or "" */
};

/* Firefox before 77 has no phases: the data say them. */
static void read_old_phase(struct fx_marker *marker)
{
    struct td_tt_json_member member;
    struct td_json_number ms;
    int64_t *const ends[] = {&marker->start_ns, &marker->end_ns};
    static const char *const names[] = {"startTime", "endTime"};
    unsigned found = 0;
    size_t at = 0;
    marker->phase = INSTANT;
    while (marker->data.bytes && td_tt_json_next(marker->data, &at, &member) > 0) {
        if (td_tt_text_is(member.key, "interval") && member.kind == '"')
            marker->phase = td_tt_text_is(member.value, "start") ? INTERVAL_START
                            : td_tt_text_is(member.value, "end") ? INTERVAL_END
                                                                 : marker->phase;
        for (unsigned i = 0; i < 2; i++)
            if (td_tt_text_is(member.key, names[i]) && member.kind == '0' &&
                td_json_number_read(member.value, &ms) && td_json_number_scaled_ns(ms, 1000000, ends[i]))
                found |= 1u << i;
    }
    if (found == 3 && marker->phase == INSTANT)
        marker->phase = INTERVAL;
    if (marker->phase == INTERVAL_END)
        marker->end_ns = marker->start_ns;
}

static void read_marker(const struct fx_thread *thread, int64_t row, struct fx_marker *marker)
{
    const struct td_firefox_part *own = thread->own;
    const int64_t data = cell(&own->columns[TD_FX_MARKER_DATA], row);
    *marker = (struct fx_marker){.start_ns = cell(&own->columns[TD_FX_MARKER_START], row),
                                 .end_ns = cell(&own->columns[TD_FX_MARKER_END], row),
                                 .phase = cell(&own->columns[TD_FX_MARKER_PHASE], row),
                                 .name = string_of(thread, cell(&own->columns[TD_FX_MARKER_NAME], row)),
                                 .data = td_tt_text_of(data > 0 ? own->texts.at + data - 1 : "")};
    if (own->columns[TD_FX_MARKER_PHASE].count)
        return;
    marker->start_ns = cell(&own->columns[TD_FX_MARKER_TIME], row);
    read_old_phase(marker);
}

static int add_message(struct fx_thread *thread, const struct fx_marker *marker, uint32_t lines)
{
    struct td_dict *dict = thread->firefox->dict;
    char *text;
    const int bytes = asprintf(&text, "%s%s%s", td_dict_text(dict, marker->name), lines ? "\n" : "",
                               td_dict_text(dict, lines));
    if (bytes < 0)
        return TD_E_NOMEM;
    const uint32_t string = td_dict_string(dict, text, (size_t)bytes - (lines != 0));
    free(text);
    return string == UINT32_MAX ? TD_E_NOMEM
                                : td_timeline_message(thread->firefox->timeline, thread->at, string);
}

static int add_marker(struct fx_thread *thread, const struct fx_marker *marker)
{
    struct td_timeline *timeline = thread->firefox->timeline;
    const struct td_srcloc srcloc = {.function = marker->name};
    const bool ends = marker->phase == INTERVAL_END;
    const int64_t time_ns = ends ? marker->end_ns : marker->start_ns;
    if (marker->phase < INSTANT || marker->phase > INTERVAL_END || !marker->name)
        return lose(thread->firefox, TD_LOSS_DAMAGED);
    int64_t end_ns = 0;
    if (time_ns <= TD_FX_BAD || !set_time(thread, time_ns, &thread->at.time_ns) ||
        (marker->phase == INTERVAL &&
         (marker->end_ns <= TD_FX_BAD || !set_time(thread, marker->end_ns, &end_ns))))
        return lose(thread->firefox, TD_LOSS_TIME);
    if (marker->phase == INTERVAL && marker->end_ns < marker->start_ns)
        return lose(thread->firefox, TD_LOSS_LENGTH);
    thread->text.bytes = 0;
    if (marker->data.bytes && td_text_add_members(&thread->text, marker->data) != 0)
        return TD_E_NOMEM;
    const uint32_t lines =
        thread->text.bytes ? td_dict_string(thread->firefox->dict, thread->text.at, thread->text.bytes) : 0;
    const uint32_t place = td_dict_srcloc(thread->firefox->dict, &srcloc);
    if (lines == UINT32_MAX || place == UINT32_MAX)
        return TD_E_NOMEM;
    switch (marker->phase) {
    case INTERVAL:
        return td_timeline_zone(timeline, thread->at, end_ns, place, lines);
    case INTERVAL_START:
        return td_timeline_begin(timeline, thread->at, place, marker->name, lines);
    case INTERVAL_END:
        return td_timeline_end(timeline, thread->at, marker->name, lines);
    default:
        return add_message(thread, marker, lines);
    }
}

static int add_markers(struct fx_thread *thread)
{
    struct fx_marker marker;
    int bad = 0;
    for (size_t i = 0; i < thread->own->columns[TD_FX_MARKER_NAME].count && !bad; i++) {
        read_marker(thread, (int64_t)i, &marker);
        bad = add_marker(thread, &marker);
    }
    return bad;
}

/* ---- parts */

static struct td_timeline_id id_of(const struct td_firefox *firefox, uint32_t string)
{
    return (struct td_timeline_id){td_dict_text(firefox->dict, string),
                                   td_dict_text_bytes(firefox->dict, string)};
}

/* Processes of gecko's own format count from their own begin. */
static int64_t offset_of(const struct td_firefox *firefox, uint32_t number)
{
    const struct td_firefox_profile *first = &firefox->profiles[0], *own = &firefox->profiles[number];
    int64_t first_ns, own_ns;
    if (!number || !first->has_start || !own->has_start ||
        !td_json_number_scaled_ns(first->start_ms, 1000000, &first_ns) ||
        !td_json_number_scaled_ns(own->start_ms, 1000000, &own_ns))
        return 0;
    return own_ns - first_ns;
}

static uint32_t process_of(struct td_firefox *firefox, const struct td_firefox_part *part)
{
    const uint32_t process = td_timeline_process(firefox->timeline, id_of(firefox, part->pid));
    const uint32_t name = part->process_name ? part->process_name : part->process_type;
    if (process != UINT32_MAX && name && part->kind == TD_FX_THREAD)
        td_timeline_name_process(firefox->timeline, process, name);
    return process;
}

static int add_thread(struct td_firefox *firefox, size_t number, const struct td_firefox_part *shared)
{
    const struct td_firefox_part *part = &firefox->parts[number];
    struct fx_thread thread = {.firefox = firefox, .own = part, .shared = shared};
    char id[32];
    snprintf(id, sizeof id, "thread %zu", number + 1);
    thread.offset_ns = offset_of(firefox, part->profile);
    thread.at.owner =
        td_timeline_thread(firefox->timeline, process_of(firefox, part),
                           part->tid ? id_of(firefox, part->tid) : (struct td_timeline_id){id, strlen(id)});
    if (thread.at.owner == UINT32_MAX)
        return TD_E_NOMEM;
    if (part->name)
        td_timeline_name_thread(firefox->timeline, thread.at.owner, part->name);
    int bad = add_samples(&thread);
    bad = bad ? bad : add_markers(&thread);
    free(thread.stacks);
    free(thread.calls);
    td_text_free(&thread.text);
    return bad;
}

/* Counts are amounts since the point before; of memory their sum is shown, as Firefox does. */
static int add_counter(struct td_firefox *firefox, const struct td_firefox_part *part)
{
    const struct td_firefox_cells *counts = &part->columns[TD_FX_POINT_COUNT];
    const struct td_firefox_cells *times =
        &part->columns[part->columns[TD_FX_POINT_TIME].count ? TD_FX_POINT_TIME : TD_FX_POINT_DELTA];
    const bool sums = !strcmp(td_dict_text(firefox->dict, part->category), "Memory");
    struct fx_thread of = {.offset_ns = offset_of(firefox, part->profile)};
    const uint32_t process = process_of(firefox, part);
    double sum = 0;
    int bad = process == UINT32_MAX ? TD_E_NOMEM : 0;
    for (size_t i = 0; i < counts->count && !bad; i++) {
        const int64_t time_ns = cell(times, (int64_t)i);
        double count;
        memcpy(&count, &counts->at[i], sizeof count);
        if (counts->at[i] <= TD_FX_BAD) {
            lose(firefox, TD_LOSS_VALUE);
            continue;
        }
        if (time_ns <= TD_FX_BAD || !set_time(&of, time_ns, &of.at.time_ns)) {
            lose(firefox, TD_LOSS_TIME);
            continue;
        }
        sum = sums ? sum + count : count;
        bad = td_timeline_point(firefox->timeline, process, of.at.time_ns, id_of(firefox, part->name),
                                (struct td_timeline_id){"", 0}, sum);
    }
    return bad;
}

int td_firefox_add_part(struct td_firefox *firefox, size_t number)
{
    const struct td_firefox_part *shared = NULL, *part = &firefox->parts[number];
    for (size_t i = 0; i < firefox->part_count; i++)
        if (firefox->parts[i].kind == TD_FX_SHARED && firefox->parts[i].profile == part->profile)
            shared = &firefox->parts[i];
    return part->kind == TD_FX_THREAD    ? add_thread(firefox, number, shared)
           : part->kind == TD_FX_COUNTER ? add_counter(firefox, part)
                                         : 0;
}
