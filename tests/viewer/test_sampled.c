/* The panels about samples: their numbers equal those that are counted sample by sample. */
#include "host/trace/tables.h"
#include "host/query/code/stack_lines.h"
#include "host/viewer/panels/entries.h"
#include "host/viewer/panels/source_panel.h"
#include "host/viewer/panels/table_panel.h"
#include "tests/viewer/mouse.h"
#include "tests/viewer/system_trace.h"
#include "host/viewer/timeline/navigate.h"

#include <inttypes.h>
#include <string.h>

#define LISTING TD_BINARY_DIR "/test_sampled.txt"

static int setup(void **state)
{
    static struct fixture f;
    return open_window(state, &f, system_trace(&SYSTEM_SMALL), 1500, 800);
}

/* Calls for each sample of a running thread from `from` to `to`. */
typedef void visit_sample(void *self, const struct td_stack_place *lines, size_t count);
static uint64_t walk_samples(const struct td_trace *trace, int64_t from, int64_t to, visit_sample *visit,
                             void *self)
{
    uint64_t all = 0;
    for (uint32_t t = 0; t < SYSTEM_SMALL.threads; t++) {
        const struct td_series *samples = td_trace_list(trace, TD_TABLE_SAMPLE, t),
                               *waits = td_trace_list(trace, TD_TABLE_SWITCH_SAMPLE, t);
        for (uint64_t i = 0, w = 0; i < td_series_count(samples); i++) {
            const int64_t at = td_series_get(samples, i, TD_SAMPLE_TIME);
            struct td_stack_place lines[16];
            size_t count;
            while (w < td_series_count(waits) && td_series_get(waits, w, TD_SWITCH_SAMPLE_TIME) < at)
                w++;
            if (w < td_series_count(waits) && td_series_get(waits, w, TD_SWITCH_SAMPLE_TIME) == at) {
                w++;
                continue;
            }
            if (at < from || at > to)
                continue;
            td_stack_lines(trace, (uint32_t)td_series_get(samples, i, TD_SAMPLE_STACK), lines, 16, &count);
            visit(self, lines, count);
            all++;
        }
    }
    return all;
}

struct function_count {
    const char *name;
    uint64_t self, total, line6, line12;
};

static void count_function(void *self, const struct td_stack_place *lines, size_t count)
{
    struct function_count *c = self;
    bool in = false;
    c->self += !strcmp(lines[0].function, c->name);
    for (size_t i = 0; i < count; i++)
        in |= !strcmp(lines[i].function, c->name);
    c->total += in;
    c->line6 += lines[0].line == 6 && !strcmp(lines[0].file, "work.c");
    c->line12 += lines[0].line == 12 && !strcmp(lines[0].file, "work.c");
}

static void check_symbols(struct fixture *f, int64_t from, int64_t to)
{
    static const char *const names[] = {"hot_loop", "work", "memcpy", "do_sys_poll", "main"};
    char *table = copied(f, "symbols");
    for (int i = 0; i < 5; i++) {
        struct function_count count = {.name = names[i]};
        char *line, begin[40];
        uint64_t self, total;
        walk_samples(f->trace, from, to, count_function, &count);
        snprintf(begin, sizeof begin, "\n%s\t", names[i]);
        line = strstr(table, begin);
        assert_non_null(line);
        assert_int_equal(sscanf(line + strlen(begin), "%*s %" SCNu64 " %" SCNu64, &self, &total), 2);
        assert_int_equal(self, count.self);
        assert_int_equal(total, count.total);
    }
    SDL_free(table);
}

static void symbols_have_the_samples_of_each_function(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    check_symbols(f, INT64_MIN, INT64_MAX);
    run(f, "mark 50ms..90ms; limit marked");
    check_symbols(f, 50000000, 90000000);
    run(f, "limit all; mark");
}

/* The samples of running threads in zones of any name, all of which are "step" here. */
static uint64_t samples_in_zones(const struct td_trace *trace)
{
    uint64_t all = 0;
    for (uint32_t t = 0; t < SYSTEM_SMALL.threads; t++) {
        const struct td_series *samples = td_trace_list(trace, TD_TABLE_SAMPLE, t),
                               *waits = td_trace_list(trace, TD_TABLE_SWITCH_SAMPLE, t);
        for (uint64_t i = 0, w = 0; i < td_series_count(samples); i++) {
            const int64_t at = td_series_get(samples, i, TD_SAMPLE_TIME);
            while (w < td_series_count(waits) && td_series_get(waits, w, TD_SWITCH_SAMPLE_TIME) < at)
                w++;
            const bool waiting =
                w < td_series_count(waits) && td_series_get(waits, w, TD_SWITCH_SAMPLE_TIME) == at;
            w += waiting;
            bool in_zone = false;
            for (size_t z = 0; td_trace_rows(trace, t) && z < td_trace_row_zones(trace, t, 0); z++) {
                const struct td_zone zone = td_trace_zone(trace, t, 0, z);
                in_zone |= zone.start_ns <= at && at < zone.end_ns;
            }
            all += in_zone && !waiting;
        }
    }
    return all;
}

static void symbols_of_a_zones_name_have_the_samples_in_them(void **state)
{
    struct fixture *f = *state;
    struct td_err err = {0};
    if (!f)
        return;
    const struct td_table_list *list = td_panel_state(&f->view, TD_PANEL_SYMBOLS);
    run(f, "samples step");
    settle(f);
    td_driver_settle(&f->view);
    const uint64_t in_zones = td_symbols_of(list->shown)->samples;
    assert_int_equal(in_zones, samples_in_zones(f->trace));
    run(f, "samples");
    settle(f);
    td_driver_settle(&f->view);
    assert_true(in_zones > 0 && in_zones < td_symbols_of(list->shown)->samples);
    assert_true(td_driver_script(&f->view, "samples nothing", &err) < 0);
    run(f, "close symbols");
}

static void entries_are_the_callers(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct function_count count = {.name = "memcpy"};
    walk_samples(f->trace, INT64_MIN, INT64_MAX, count_function, &count);
    char *table = copied(f, "entries"), line[100];
    snprintf(line, sizeof line, "\n1\tmemcpy\t%" PRIu64 "\t", count.self);
    assert_non_null(strstr(table, line));
    snprintf(line, sizeof line, "\n2\twork\t%" PRIu64 "\t", count.self);
    assert_non_null(strstr(table, line));
    SDL_free(table);
    press_key(f, SDLK_v, 0); /* as a list */
    table = copied(f, "entries");
    snprintf(line, sizeof line, "\n%" PRIu64 "\tmemcpy;work;main\n", count.self);
    assert_non_null(strstr(table, line));
    SDL_free(table);
    press_key(f, SDLK_v, 0);
}

static void wait_stacks_have_the_waits(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    uint64_t waits = 0, timed = 0;
    int64_t total = 0, most = 0;
    for (uint32_t t = 0; t < SYSTEM_SMALL.threads; t++) {
        const struct td_series *runs = td_trace_list(f->trace, TD_TABLE_SWITCH, t);
        for (uint64_t i = 0; i < td_series_count(runs); i++) {
            if (td_series_get(runs, i, TD_SWITCH_STATE) != 104)
                continue;
            waits++;
            if (i + 1 == td_series_count(runs))
                continue;
            const int64_t ns =
                td_series_get(runs, i + 1, TD_SWITCH_START) - td_series_get(runs, i, TD_SWITCH_END);
            timed++;
            total += ns;
            most = ns > most ? ns : most;
        }
    }
    char *table = copied(f, "waitstacks"), *line = strchr(table, '\n');
    uint64_t count, with_length;
    int64_t sum, longest;
    assert_non_null(line);
    assert_int_equal(
        sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNd64 " %" SCNd64, &count, &with_length, &sum, &longest),
        4);
    assert_int_equal(count, waits);
    assert_int_equal(with_length, timed);
    assert_int_equal(sum, total);
    assert_int_equal(longest, most);
    SDL_free(table);
}

/* The number in front of the line of the listing that has the text. */
static uint64_t cost_of(const char *listing, const char *text)
{
    const char *at = strstr(listing, text);
    assert_non_null(at);
    while (at > listing && at[-1] != '\n')
        at--;
    return strtoull(at, NULL, 10);
}

static void read_listing(struct fixture *f, char *text, size_t bytes)
{
    settle(f);
    td_driver_settle(&f->view);
    run(f, "listing " LISTING);
    FILE *file = fopen(LISTING, "r");
    assert_non_null(file);
    const size_t got = fread(text, 1, bytes - 1, file);
    text[got] = 0;
    assert_true(got > 30);
    fclose(file);
    unlink(LISTING);
}

/* What instructions cost on a processor, where LLVM's program is there: a xor has no latency. */
static void listed_with_costs(struct fixture *f)
{
    char text[8000] = "";
    run(f, "cpu znver3; symbol work");
    read_listing(f, text, sizeof text);
    if (system("llvm-mca -version >/dev/null 2>&1") == 0)
        assert_non_null(strstr(text, "401004     0   0.17    1  xor"));
    run(f, "cpu off");
}

static void the_listing_has_the_costs_of_lines_and_instructions(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct function_count count = {.name = "work"};
    char text[8000] = "";
    walk_samples(f->trace, INT64_MIN, INT64_MAX, count_function, &count);
    run(f, "symbol work");
    read_listing(f, text, sizeof text);
    assert_int_equal(cost_of(text, "the hot line"), count.line6);
    assert_int_equal(cost_of(text, "memcpy(buffer"), count.line12);
    assert_int_equal(cost_of(text, "401006  add"), count.line6);
    assert_int_equal(cost_of(text, "401004  xor"), count.line12);
    assert_non_null(strstr(text, "jne"));
    listed_with_costs(f);
    struct td_err err = {0};
    assert_int_equal(td_driver_script(&f->view, "symbol no_such", &err), TD_E_NOTFOUND);
    run(f, "source work.c:6");
    settle(f);
}

/* The marker is in line 10 of work(), whose first line with code is 12. */
static void a_selected_zone_shows_the_code_at_its_marker(void **state)
{
    struct fixture *f = *state;
    char text[8000];
    if (!f)
        return;
    const struct td_source_panel *source = f->view.panels.slot[TD_PANEL_SOURCE].state;
    td_view_select(&f->view, (struct td_zone_ref){0, 0, 0});
    run(f, "close source");
    press_key(f, SDLK_s, KMOD_SHIFT);
    read_listing(f, text, sizeof text);
    assert_non_null(strstr(text, "    10> uint64_t work(uint64_t n)"));
    assert_non_null(strstr(text, "401004> xor"));
    assert_non_null(strstr(text, "401000  push"));
    assert_null(source->shown.codeless);
    assert_int_equal(source->lines.selected, 10);
    assert_int_equal(source->shown.code.at[source->insns.selected - 1].address, SYSTEM_WORK_ADDRESS + 4);
    struct td_dict *dict = td_trace_fill_dict(f->trace);
    const uint32_t file = td_dict_cstring(dict, "work.c"),
                   zone = td_dict_srcloc(
                       dict, &(struct td_srcloc){
                                 .function = td_dict_cstring(dict, "nowhere"), .file = file, .line = 5});
    td_view_show_source(&f->view, (struct td_source_place){.file = file, .line = 5, .zone = zone});
    read_listing(f, text, sizeof text);
    assert_non_null(strstr(text, "    5>     while (n)"));
    assert_null(strstr(text, "401004"));
    assert_string_equal(source->shown.codeless, "the trace has no code of this zone's function");
}

static const struct td_source_panel *source_of(struct fixture *f)
{
    return f->view.panels.slot[TD_PANEL_SOURCE].state;
}

/* xor eax,eax; add rax,rdi; dec rdi; jne to the add. */
static void an_instruction_shows_its_bytes_and_what_it_depends_on(void **state)
{
    enum { RAX = 1 << 0, RDI = 1 << 7, CLEAR = 2, ADD, COUNT };
    struct fixture *f = *state;
    char text[8000];
    if (!f)
        return;
    run(f, "symbol work; set samples hidden"); /* marks of the kernel's samples have the colour, too */
    run(f, "code bytes on; code registers on; code at +6");
    settle(f);
    const struct td_source_panel *s = source_of(f);
    assert_int_equal(s->insns.selected, ADD + 1);
    assert_non_null(s->depends);
    assert_int_equal(s->depends[CLEAR].makes.bits[0], RAX);
    assert_int_equal(s->depends[COUNT].makes.bits[0], RDI);
    assert_true(count_color(f, TD_C(WRITTEN)) > 50);
    read_listing(f, text, sizeof text);
    assert_non_null(strstr(text, "48 01 f8                       add"));
    run(f, "code bytes off; code registers off");
    settle(f);
    assert_null(s->depends);
    assert_int_equal(count_color(f, TD_C(WRITTEN)), 0);
    run(f, "set samples shown");
}

static void picked_lines_are_summed_and_saved(void **state)
{
    struct fixture *f = *state;
    struct function_count count = {.name = "work"};
    char text[8000], expected[100], number[TD_FORMAT_BYTES];
    struct td_err err = {0};
    if (!f)
        return;
    walk_samples(f->trace, INT64_MIN, INT64_MAX, count_function, &count);
    const struct td_source_panel *s = source_of(f);
    run(f, "symbol work; code lines 5..6");
    snprintf(expected, sizeof expected, "2 lines: %s samples", td_format_count(number, count.line6));
    assert_int_equal(strncmp(td_source_say_lines(s, text, sizeof text), expected, strlen(expected)), 0);
    read_listing(f, text, sizeof text);
    assert_non_null(strstr(text, "the hot line"));
    assert_null(strstr(text, "memcpy"));
    assert_null(strstr(text, "xor"));
    run(f, "code lines; code at +4");
    press_key(f, SDLK_DOWN, KMOD_SHIFT);
    snprintf(expected, sizeof expected, "2 instructions, 5 bytes: %s samples",
             td_format_count(number, count.line6 + count.line12));
    assert_int_equal(strncmp(td_source_say_insns(s, text, sizeof text), expected, strlen(expected)), 0);
    char *copy = copied(f, "source");
    assert_non_null(strstr(copy, "xor"));
    assert_non_null(strstr(copy, "add"));
    assert_null(strstr(copy, "push"));
    assert_null(strstr(copy, "the hot line"));
    SDL_free(copy);
    run(f, "code range +0..+0x7");
    assert_int_equal(s->insn_picks.picked, 4);
    press_key(f, SDLK_DOWN, 0); /* without Shift: one is selected */
    assert_int_equal(s->insn_picks.picked, 0);
    assert_int_equal(td_driver_script(&f->view, "code range +0..+0x99", &err), TD_E_USAGE);
    assert_int_equal(td_driver_script(&f->view, "code lines 0..3", &err), TD_E_USAGE);
}

static void callers_of_a_function_and_of_an_instruction(void **state)
{
    struct fixture *f = *state;
    struct function_count count = {.name = "work"};
    char line[100];
    if (!f)
        return;
    walk_samples(f->trace, INT64_MIN, INT64_MAX, count_function, &count);
    run(f, "symbol work");
    run(f, "code at +6; code callers");
    char *table = copied(f, "entries");
    snprintf(line, sizeof line, "\n1\thot_loop\t%" PRIu64 "\t", count.line6);
    assert_non_null(strstr(table, line));
    assert_null(strstr(table, "memcpy"));
    SDL_free(table);
    td_view_show_entries(&f->view, SYSTEM_WORK_ADDRESS, "work");
    press_key(f, SDLK_k, 0); /* that reached it */
    table = copied(f, "entries");
    snprintf(line, sizeof line, "\n1\twork\t%" PRIu64 "\t", count.total);
    assert_non_null(strstr(table, line));
    SDL_free(table);
    press_key(f, SDLK_v, 0);
    table = copied(f, "entries");
    assert_non_null(strstr(table, "\tdo_sys_poll;memcpy;work;main\n"));
    assert_non_null(strstr(table, "\thot_loop;work;main\n"));
    SDL_free(table);
    press_key(f, SDLK_v, 0);
    press_key(f, SDLK_k, 0);
}

static void a_function_opens_where_the_settings_say(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    const struct td_source_panel *s = source_of(f);
    run(f, "source work.c:1; set opens sample; symbol work");
    settle(f);
    assert_int_equal(s->lines.selected, 6);
    assert_int_equal(s->shown.code.at[s->insns.selected - 1].address, SYSTEM_WORK_ADDRESS + 6);
    run(f, "set opens smart; symbol work");
    settle(f);
    assert_int_equal(s->lines.selected, 10);
    assert_int_equal(s->insns.selected, 1);
    run(f, "symbol hot_loop"); /* is inlined */
    settle(f);
    assert_int_equal(s->lines.selected, 6);
    run(f, "set opens entry; symbol hot_loop");
    settle(f);
    assert_int_equal(s->lines.selected, 2);
    run(f, "set opens smart");
}

static void functions_outside_of_the_program_are_dimmed(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    size_t faint[2];
    run(f, "close source; close entries; open symbols");
    for (int plain = 0; plain < 2; plain++) {
        run(f, plain ? "set outside plain" : "set outside dimmed");
        settle(f);
        faint[plain] = count_color(f, TD_C(TEXT_FAINT));
    }
    assert_true(faint[0] > faint[1]);
    run(f, "set outside dimmed; close symbols");
}

static void the_call_stack_steps_through_samples(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    run(f, "close source; close waitstacks; close entries; close symbols");
    char *first = copied(f, "callstack");
    assert_non_null(strstr(first, "\tmain\twork.c\t18\tprogram\t0x402008"));
    bool differs = false, outside = false;
    for (int i = 0; i < 20; i++) {
        press_key(f, SDLK_PERIOD, 0);
        char *next = copied(f, "callstack");
        differs |= strcmp(first, next) != 0;
        press_key(f, SDLK_v, 0);
        char *all = copied(f, "callstack");
        outside |= strlen(all) > strlen(next) && strstr(all, "memcpy");
        press_key(f, SDLK_v, 0);
        SDL_free(next);
        SDL_free(all);
    }
    assert_true(differs && outside);
    SDL_free(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symbols_have_the_samples_of_each_function),
        cmocka_unit_test(symbols_of_a_zones_name_have_the_samples_in_them),
        cmocka_unit_test(entries_are_the_callers),
        cmocka_unit_test(wait_stacks_have_the_waits),
        cmocka_unit_test(the_listing_has_the_costs_of_lines_and_instructions),
        cmocka_unit_test(a_selected_zone_shows_the_code_at_its_marker),
        cmocka_unit_test(an_instruction_shows_its_bytes_and_what_it_depends_on),
        cmocka_unit_test(picked_lines_are_summed_and_saved),
        cmocka_unit_test(callers_of_a_function_and_of_an_instruction),
        cmocka_unit_test(a_function_opens_where_the_settings_say),
        cmocka_unit_test(functions_outside_of_the_program_are_dimmed),
        cmocka_unit_test(the_call_stack_steps_through_samples),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
