/* What the system recorded, as windows show it: strips of context switches, rows of processors, their settings. */
#include "host/query/code/code_origin.h"
#include "host/viewer/model/panel.h"
#include "host/viewer/ui/data_colors.h"
#include "host/viewer/timeline/draw.h"
#include "host/viewer/ui/data_colors.h"
#include "host/viewer/timeline/trace_state.h"
#include "tests/viewer/mouse.h"
#include "tests/viewer/system_trace.h"

#include <cJSON.h>
#include <inttypes.h>

static int setup(void **state)
{
    static struct fixture f;
    return open_window(state, &f, system_trace(&SYSTEM_SMALL), 1200, 700);
}

static int setup_many(void **state)
{
    static struct fixture f;
    struct system_options many = SYSTEM_SMALL;
    many.threads = 70;
    return open_window(state, &f, system_trace(&many), 1200, 700);
}

static const struct td_node *node_of(const struct fixture *f, enum td_node_kind kind, uint32_t number)
{
    for (int i = 0; i < f->view.layout.count; i++)
        if (f->view.layout.nodes[i].kind == kind && f->view.layout.nodes[i].number == number)
            return &f->view.layout.nodes[i];
    return NULL;
}

static void rows_are_shown_and_hidden_by_settings(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    const struct td_metrics *m = &f->view.metrics;
    const struct td_node *track = node_of(f, TD_NODE_TRACK, 0);
    assert_true(track->has_samples && track->has_switches && track->rows == 1);
    assert_true(track->height == m->samples + m->switches + m->row + 2 * m->pad);
    assert_non_null(node_of(f, TD_NODE_CPU, SYSTEM_SMALL.cpus - 1));
    assert_non_null(node_of(f, TD_NODE_CPU_USAGE, 0));
    assert_null(node_of(f, TD_NODE_GHOSTS, 0));               /* it has zones */
    assert_int_equal(node_of(f, TD_NODE_GHOSTS, 1)->rows, 4); /* main, work, memcpy, do_sys_poll */
    run(f, "set ghosts all; set switches hidden; set samples hidden; set cpus hidden");
    settle(f);
    track = node_of(f, TD_NODE_TRACK, 0);
    assert_false(track->has_samples || track->has_switches);
    assert_null(node_of(f, TD_NODE_CPU, 0));
    assert_non_null(node_of(f, TD_NODE_GHOSTS, 0));
    run(f, "set ghosts instead; set switches shown; set samples shown; set cpus shown");
    settle(f);
    assert_int_equal(node_of(f, TD_NODE_TRACK, 0)->rows, 0);
    run(f, "set ghosts empty");
    settle(f);
    assert_int_equal(node_of(f, TD_NODE_TRACK, 0)->rows, 1);
    press_key(f, SDLK_5, 0);
    assert_null(node_of(f, TD_NODE_CPU, 0));
    press_key(f, SDLK_5, 0);
    assert_non_null(node_of(f, TD_NODE_CPU, 0));
}

static void ghosts_have_the_rows_that_can_be_seen(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    static const char *const ranges[] = {"fit", "zoom 20ms..24ms", "zoom 20ms..20100us", "fit"};
    struct td_view *view = &f->view;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        run(f, ranges[i]);
        settle(f);
        struct td_track_ghosts *ghosts = td_ghost_cache_hold(&view->drawn.ghosts, 1);
        assert_non_null(ghosts);
        uint32_t wanted = 3;
        for (uint32_t r = 0; r < ghosts->ghosts.row_count; r++)
            for (size_t z = 0; z < ghosts->ghosts.rows[r].count; z++) {
                const struct td_ghost *zone = &ghosts->ghosts.rows[r].zones[z];
                const bool visible = (double)zone->end_ns > view->camera.start_ns &&
                                     (double)zone->start_ns < view->camera.end_ns;
                if (visible && (double)(zone->end_ns - zone->start_ns) >= 4 * view->area.ns_per_pixel &&
                    r >= wanted)
                    wanted = r + 1;
            }
        td_track_ghosts_release(ghosts);
        const struct td_node *node = node_of(f, TD_NODE_GHOSTS, 1);
        assert_int_equal(node->most_rows, wanted);
        assert_true(node->height == (float)(wanted < node->rows ? wanted : node->rows) * view->metrics.row +
                                        view->metrics.pad);
    }
    assert_false(td_lacks_switches(view));
}

static void sampled_functions_are_shown_by_thread(void **state)
{
    struct fixture *f = *state;
    struct td_err err = {0};
    if (!f)
        return;
    struct td_view *view = &f->view;
    assert_null(node_of(f, TD_NODE_GHOSTS, 0));
    run(f, "ghosts \"worker 0\" on; ghosts \"worker 1\" off");
    assert_non_null(node_of(f, TD_NODE_GHOSTS, 0));
    assert_null(node_of(f, TD_NODE_GHOSTS, 1));
    assert_non_null(node_of(f, TD_NODE_GHOSTS, 3));
    cJSON *kept = td_trace_state_of(view);
    run(f, "ghosts Host auto"); /* all threads of the group */
    assert_null(node_of(f, TD_NODE_GHOSTS, 0));
    assert_non_null(node_of(f, TD_NODE_GHOSTS, 1));
    assert_true(td_trace_state_arrange(view, kept));
    assert_non_null(node_of(f, TD_NODE_GHOSTS, 0));
    assert_null(node_of(f, TD_NODE_GHOSTS, 1));
    cJSON_Delete(kept);
    assert_true(td_driver_script(view, "ghosts Host maybe", &err) < 0);
    run(f, "ghosts Host auto");
}

static void samples_have_the_colour_of_whose_code_they_are_in(void **state)
{
    static const enum td_code_origin wanted[] = {TD_CODE_OWN, TD_CODE_OWN, TD_CODE_LIBRARY, TD_CODE_KERNEL,
                                                 TD_CODE_KERNEL}; /* as system_trace.c adds stacks */
    struct fixture *f = *state;
    if (!f)
        return;
    for (uint32_t s = 0; s < 5; s++)
        assert_int_equal(td_code_origin_of_stack(f->trace, s + 1), wanted[s]); /* 0: none */
    run(f, "set ghosts off; set cpus hidden; zoom 20ms..24ms; set samples hidden");
    const td_rgba colors[] = {TD_C(LIBRARY), TD_C(KERNEL)};
    size_t before[2];
    for (int i = 0; i < 2; i++)
        before[i] = count_color(f, colors[i]);
    run(f, "set samples shown");
    for (int i = 0; i < 2; i++)
        assert_true(count_color(f, colors[i]) > before[i] + 20);
    run(f, "set ghosts empty; set cpus shown; fit");
}

static void the_strip_is_green_while_the_thread_runs(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    run(f, "set cpus hidden; zoom 20ms..24ms");
    settle(f);
    double expected = 0;
    for (uint32_t t = 0; t < SYSTEM_SMALL.threads; t++) {
        const struct td_node *node = node_of(f, TD_NODE_TRACK, t);
        if (td_view_node_y(view, node) + node->height > view->area.bottom)
            continue;
        const struct td_busy *b = td_switches_of(&view->model.switches, t);
        const double ran =
            (double)(system_time_until(b, 24000000).own_ns - system_time_until(b, 20000000).own_ns);
        expected += ran / view->area.ns_per_pixel * ((double)view->metrics.switches - 2);
    }
    assert_true(expected > 1000);
    const double green = (double)count_color(f, TD_DATA_RUNS);
    assert_true(fabs(green - expected) < expected * .03 + 60);
    run(f, "set cpus shown; fit");
}

static int brightness(const unsigned char *pixels, int wide, int x, int y)
{
    const unsigned char *p = &pixels[3 * ((size_t)y * (size_t)wide + (size_t)x)];
    return p[0] + p[1] + p[2];
}

static void zones_are_darkened_while_the_thread_does_not_run(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    const struct td_view *view = &f->view;
    int wide, high, same = 0, darker = 0, lit = 0;
    run(f, "select; set cpus hidden; zoom 20ms..26ms; set inactive plain");
    unsigned char *plain = take_picture(f, &wide, &high);
    run(f, "set inactive darkened");
    unsigned char *dark = take_picture(f, &wide, &high);
    const struct td_busy *b = td_switches_of(&view->model.switches, 0);
    const struct td_node *node = node_of(f, TD_NODE_TRACK, 0);
    const int y = (int)(td_view_node_y(view, node) - node->y + td_layout_row_y(node, &view->metrics, 0) + 3);
    for (int x = (int)view->area.left + 4; x < (int)view->area.right - 20; x++) {
        const double ns =
            view->camera.start_ns + (x + .5 - (double)view->area.left) * view->area.ns_per_pixel;
        const int64_t from = (int64_t)(ns - 3 * view->area.ns_per_pixel),
                      to = (int64_t)(ns + 3 * view->area.ns_per_pixel),
                      ran = system_time_until(b, to).own_ns - system_time_until(b, from).own_ns;
        const int before = brightness(plain, wide, x, y), after = brightness(dark, wide, x, y);
        if (ran == to - from) {
            assert_int_equal(after, before);
            same++;
        } else if (!ran) {
            assert_true(after <= before);
            lit += before > 200; /* a zone, not the background */
            darker += after < before && before > 200;
        }
    }
    assert_true(same > 50 && lit > 50);
    assert_int_equal(darker, lit);
    stbi_image_free(plain);
    stbi_image_free(dark);
    run(f, "set inactive plain; set cpus shown; fit");
}

static void the_mouse_finds_runs_waits_and_their_stacks(void **state)
{
    struct fixture *f = *state;
    if (!f || !has_mouse(f))
        return;
    struct td_view *view = &f->view;
    run(f, "zoom 20ms..30ms");
    settle(f);
    const struct td_node *node = node_of(f, TD_NODE_TRACK, 0);
    const struct td_busy *b = td_switches_of(&view->model.switches, 0);
    const float strip = td_view_node_y(view, node) + td_layout_switches_y(node, &view->metrics) - node->y + 2;
    int runs = 0, waits = 0;
    for (uint64_t i = td_busy_at(b, 20000000); i + 1 < td_series_count(b->rows); i++) {
        const int64_t start = td_series_get(b->rows, i, TD_SWITCH_START),
                      end = td_series_get(b->rows, i, TD_SWITCH_END),
                      next = td_series_get(b->rows, i + 1, TD_SWITCH_START);
        if (next > 29900000)
            break;
        if (start > 20100000 && end - start > 60000) {
            move_mouse(f, td_view_x(view, (double)(start + end) / 2), strip);
            assert_true(view->hover.span.used && view->hover.span.from_ns == (double)start &&
                        view->hover.span.to_ns == (double)end);
            runs++;
        }
        if (next - end < 60000 || end < 20100000)
            continue;
        move_mouse(f, td_view_x(view, (double)(end + next) / 2), strip);
        assert_true(view->hover.span.from_ns == (double)end && view->hover.span.to_ns == (double)next);
        const bool sleeps = td_series_get(b->rows, i, TD_SWITCH_STATE) == 104;
        assert_int_equal(view->hover.stack.kind, sleeps ? TD_STACK_SWITCH : TD_STACK_NONE);
        waits += sleeps;
        if (sleeps) {
            hold_button(f, SDL_BUTTON_LEFT);
            hold_button(f, 0);
            assert_true(td_panel_is_open(view, TD_PANEL_CALLSTACK));
            run(f, "close callstack");
            settle(f);
        }
    }
    assert_true(runs > 0 && waits > 0);
    run(f, "fit");
}

static int count_closed(const struct fixture *f)
{
    int closed = 0;
    for (int i = 0; i < f->view.layout.count; i++)
        closed += f->view.layout.nodes[i].kind == TD_NODE_TRACK && f->view.layout.nodes[i].collapsed;
    return closed;
}

static void of_very_many_threads_each_is_closed_at_first(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    settle(f);
    assert_int_equal(count_closed(f), 70);
    run(f, "expand");
    assert_int_equal(count_closed(f), 0);
    run(f, "set samples hidden"); /* arranges the rows anew */
    settle(f);
    assert_int_equal(count_closed(f), 0);
}

/* ---- what the processors ran ---- */

struct load {
    int64_t running_ns;
    uint64_t runs;
};

/* Of a thread, run by run. */
static struct load load_of(const struct fixture *f, uint64_t thread)
{
    struct load load = {0};
    for (uint32_t c = 0; c < SYSTEM_SMALL.cpus; c++) {
        const struct td_series *rows = td_switches_cpu(&f->view.model.switches, c)->rows;
        for (uint64_t i = 0; i < td_series_count(rows); i++) {
            if ((uint64_t)td_series_get(rows, i, TD_CPU_SWITCH_THREAD) != thread)
                continue;
            load.runs++;
            load.running_ns +=
                td_series_get(rows, i, TD_CPU_SWITCH_END) - td_series_get(rows, i, TD_CPU_SWITCH_START);
        }
    }
    return load;
}

static void wait_for_panels(struct fixture *f)
{
    do
        settle(f);
    while (td_panels_busy(&f->view));
}

/* The rows of the list that the panel shows. */
static cJSON *rows_of(struct fixture *f, enum td_panel_id panel, const char *table)
{
    wait_for_panels(f);
    char *text = f->view.panels.table[panel]->copy(&f->view, TD_COPY_JSON);
    assert_non_null(text);
    cJSON *all = cJSON_Parse(text), *rows = cJSON_DetachItemFromObject(all, table);
    assert_true(cJSON_IsArray(rows));
    cJSON_Delete(all);
    free(text);
    return rows;
}

static double number_of(const cJSON *row, const char *key)
{
    return cJSON_GetNumberValue(cJSON_GetObjectItem(row, key));
}

static void processes_and_threads_are_listed_with_their_times(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    run(f, "fit; limit all; open cpus");
    cJSON *rows = rows_of(f, TD_PANEL_CPUS, "cpu_processes");
    assert_int_equal(cJSON_GetArraySize(rows), 2); /* the program and the browser */
    cJSON_Delete(rows);
    press_key(f, SDLK_v, 0);
    rows = rows_of(f, TD_PANEL_CPUS, "cpu_threads");
    assert_int_equal(cJSON_GetArraySize(rows), SYSTEM_SMALL.threads + SYSTEM_SMALL.others + 1);
    const cJSON *row;
    double before = INFINITY;
    cJSON_ArrayForEach(row, rows)
    {
        const struct load load = load_of(f, (uint64_t)number_of(row, "thread"));
        assert_true(number_of(row, "running_ns") == (double)load.running_ns);
        assert_true(number_of(row, "runs") == (double)load.runs);
        assert_true(number_of(row, "migrations") < (double)load.runs &&
                    number_of(row, "running_ns") <= before);
        before = number_of(row, "running_ns");
    }
    cJSON_Delete(rows);
    /* Of a part of the trace, runs are cut. */
    run(f, "zoom 20ms..24ms; limit visible");
    settle(f);
    rows = rows_of(f, TD_PANEL_CPUS, "cpu_threads");
    double sum = 0, expected = 0;
    cJSON_ArrayForEach(row, rows) sum += number_of(row, "running_ns");
    for (uint32_t c = 0; c < SYSTEM_SMALL.cpus; c++) {
        const struct td_busy *b = td_switches_cpu(&f->view.model.switches, c);
        const struct td_busy_times from = system_time_until(b, 20000000), to = system_time_until(b, 24000000);
        expected += (double)(to.own_ns + to.other_ns - from.own_ns - from.other_ns);
    }
    assert_true(fabs(sum - expected) < 10);
    cJSON_Delete(rows);
    run(f, "limit all; close cpus; fit");
}

static void a_click_on_a_run_shows_where_its_thread_ran(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    run(f, "close cpus; select; zoom 20ms..24ms");
    settle(f);
    const uint32_t of_others = TD_DATA_OTHER & 0xffffff;
    const size_t grey = count_color(f, of_others);
    run(f, "runs 1; close cpus"); /* of no thread: the grey of the curve of all processors stays */
    settle(f);
    const size_t none = count_color(f, of_others);
    assert_true(none < grey - 2000);
    run(f, "runs 1000");
    wait_for_panels(f);
    assert_int_equal(view->selection.followed.thread, SYSTEM_PID);
    assert_true(td_panel_is_open(view, TD_PANEL_CPUS));
    run(f, "close cpus");
    settle(f);
    assert_int_equal(count_color(f, of_others), none);
    run(f, "runs process 4999; close cpus");
    settle(f);
    assert_true(count_color(f, of_others) > none + (grey - none) * 3 / 4); /* cells of several runs are dim */
    press_key(f, SDLK_ESCAPE, 0);
    assert_false(view->selection.followed.process);
    struct td_err err = {0};
    assert_true(td_driver_script(view, "runs nothing", &err) < 0);
    if (!has_mouse(f))
        return;
    const struct td_busy *b = td_switches_cpu(&view->model.switches, 0);
    uint64_t i = td_busy_at(b, 21000000);
    while (td_series_get(b->rows, i, TD_CPU_SWITCH_END) - td_series_get(b->rows, i, TD_CPU_SWITCH_START) <
           200000)
        i++;
    const int64_t middle =
        (td_series_get(b->rows, i, TD_CPU_SWITCH_START) + td_series_get(b->rows, i, TD_CPU_SWITCH_END)) / 2;
    move_mouse(f, td_view_x(view, (double)middle), td_view_node_y(view, node_of(f, TD_NODE_CPU, 0)) + 6);
    hold_button(f, SDL_BUTTON_LEFT);
    hold_button(f, 0);
    assert_true((int64_t)view->selection.followed.thread == td_series_get(b->rows, i, TD_CPU_SWITCH_THREAD));
    assert_true(td_panel_is_open(view, TD_PANEL_CPUS));
    hold_button(f, SDL_BUTTON_RIGHT);
    hold_button(f, 0);
    assert_true(td_panel_is_open(view, TD_PANEL_MENU));
    press_key(f, SDLK_ESCAPE, 0);
    run(f, "runs; close cpus; fit");
}

/* ---- who woke whom ---- */

static void a_wait_has_a_critical_path(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    struct td_view *view = &f->view;
    const struct td_busy *b = td_switches_of(&view->model.switches, 0);
    uint64_t i = td_busy_at(b, 20000000);
    while (td_series_get(b->rows, i, TD_SWITCH_STATE) != 104 ||
           td_series_get(b->rows, i + 1, TD_SWITCH_WAKEUP) == td_series_get(b->rows, i + 1, TD_SWITCH_START))
        i++;
    const int64_t from = td_series_get(b->rows, i, TD_SWITCH_END),
                  to = td_series_get(b->rows, i + 1, TD_SWITCH_START);
    char command[100];
    snprintf(command, sizeof command, "critical #0 %" PRId64 "ns..%" PRId64 "ns", from, to);
    run(f, command);
    cJSON *rows = rows_of(f, TD_PANEL_WAITS, "critical_path");
    const int count = cJSON_GetArraySize(rows);
    assert_true(count > 0);
    double at = (double)from;
    const cJSON *row;
    cJSON_ArrayForEach(row, rows) /* they fill the wait */
    {
        assert_true(number_of(row, "time_ns") == at);
        at += number_of(row, "duration_ns");
    }
    assert_true(at == (double)to);
    assert_string_equal(
        cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetArrayItem(rows, count - 1), "state")), "ready");
    assert_int_equal(number_of(cJSON_GetArrayItem(rows, count - 1), "thread"), SYSTEM_PID);
    cJSON_Delete(rows);
    /* The timeline shows it, until another thing is selected. */
    snprintf(command, sizeof command, "zoom %" PRId64 "ns..%" PRId64 "ns; close waits", from - 1000,
             to + 1000);
    run(f, command);
    settle(f);
    const size_t lines = td_ui_triangles(f->ui);
    run(f, "select");
    settle(f);
    assert_true(td_ui_triangles(f->ui) < lines);
    struct td_err err = {0};
    assert_true(td_driver_script(view, "critical", &err) < 0);
    assert_true(td_driver_script(view, "critical #0", &err) < 0);
    /* The zones of a thread have a path, too, and the list of all wakeups. */
    run(f, "fit; find step; next; critical");
    rows = rows_of(f, TD_PANEL_WAITS, "critical_path");
    assert_true(cJSON_GetArraySize(rows) > 0);
    cJSON_Delete(rows);
    press_key(f, SDLK_y, 0);
    press_key(f, SDLK_y, 0);
    rows = rows_of(f, TD_PANEL_WAITS, "wakeups");
    assert_true(cJSON_GetArraySize(rows) > 100);
    cJSON_Delete(rows);
    run(f, "find; select; close waits; fit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_shown_and_hidden_by_settings),
        cmocka_unit_test(ghosts_have_the_rows_that_can_be_seen),
        cmocka_unit_test(sampled_functions_are_shown_by_thread),
        cmocka_unit_test(samples_have_the_colour_of_whose_code_they_are_in),
        cmocka_unit_test(the_strip_is_green_while_the_thread_runs),
        cmocka_unit_test(zones_are_darkened_while_the_thread_does_not_run),
        cmocka_unit_test(processes_and_threads_are_listed_with_their_times),
        cmocka_unit_test(a_click_on_a_run_shows_where_its_thread_ran),
        cmocka_unit_test(a_wait_has_a_critical_path),
        cmocka_unit_test(the_mouse_finds_runs_waits_and_their_stacks),
    };
    const struct CMUnitTest many[] = {cmocka_unit_test(of_very_many_threads_each_is_closed_at_first)};
    return cmocka_run_group_tests(tests, setup, teardown) +
           cmocka_run_group_tests(many, setup_many, teardown);
}
