/* What rows of plots say of the visible points, how they are scaled, and columns of exact times. */
#include "host/viewer/panels/table_panel.h"
#include "host/viewer/timeline/menu.h"
#include "host/viewer/timeline/trace_state.h"
#include "tests/query/demo_trace.h"
#include "tests/viewer/mouse.h"

#include <math.h>
#include <string.h>

static int setup(void **state)
{
    static struct fixture f;
    return open_window(state, &f, demo_trace(1), 1000, 500);
}

static void check_range(struct fixture *f, int64_t from, int64_t to)
{
    char line[80];
    snprintf(line, sizeof line, "zoom %lldns..%lldns", (long long)from, (long long)to);
    run(f, line);
    for (uint32_t p = 0; p < td_dict_plot_count(f->view.model.dict); p++) {
        double least = INFINITY, most = -INFINITY, sum = 0;
        uint64_t points = 0;
        for (size_t i = 0; i < td_trace_plot_points(f->trace, p); i++) {
            const struct td_plot_point at = td_trace_plot_point(f->trace, p, i);
            if (at.time_ns < from || at.time_ns > to)
                continue;
            least = fmin(least, at.value);
            most = fmax(most, at.value);
            sum += at.value;
            points++;
        }
        const struct td_plot_sum *stats = td_view_plot_stats(&f->view, p);
        assert_non_null(stats);
        assert_int_equal(stats->points, points);
        assert_true(!points || (stats->min == least && stats->max == most && stats->sum == sum));
    }
}

static void the_sums_are_those_of_the_visible_points(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    check_range(f, 0, 6000000);
    check_range(f, 1000000, 2000000);
    check_range(f, 1234567, 1300000);
}

/* How many of the window's pixels differ. */
static size_t changed_by(struct fixture *f, const char *line)
{
    int wide, high;
    size_t count = 0;
    unsigned char *before = take_picture(f, &wide, &high);
    run(f, line);
    unsigned char *after = take_picture(f, &wide, &high);
    for (size_t i = 0; i < (size_t)wide * (size_t)high; i++)
        count += memcmp(before + 3 * i, after + 3 * i, 3) != 0;
    stbi_image_free(before);
    stbi_image_free(after);
    return count;
}

static void a_row_is_as_high_as_its_visible_values(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    run(f, "fit");
    assert_int_equal(changed_by(f, "set plotscale trace"), 0);
    run(f, "zoom 0ns..300us"); /* the greatest value is elsewhere */
    assert_true(changed_by(f, "set plotscale visible") > 200);
    run(f, "fit");
}

static void all_rows_show_the_value_at_the_mouse(void **state)
{
    struct fixture *f = *state;
    if (!f || !has_mouse(f))
        return;
    int node = 0, wide, high;
    size_t changed = 0;
    while (f->view.layout.nodes[node].kind != TD_NODE_PLOT)
        node++;
    const float top = td_view_node_y(&f->view, &f->view.layout.nodes[node]);
    move_mouse(f, 20, 20);
    unsigned char *before = take_picture(f, &wide, &high);
    move_mouse(f, 600, top - 60); /* over another row */
    unsigned char *after = take_picture(f, &wide, &high);
    for (int y = (int)top + 2; y < (int)(top + f->view.metrics.plot) - 2; y++)
        for (int x = 560; x < 700; x++)
            changed += memcmp(before + 3 * (y * wide + x), after + 3 * (y * wide + x), 3) != 0;
    assert_true(changed > 60); /* the point, and its value */
    stbi_image_free(before);
    stbi_image_free(after);
}

static int plot_nodes(const struct fixture *f)
{
    int count = 0;
    for (int i = 0; i < f->view.layout.count; i++)
        count += f->view.layout.nodes[i].kind == TD_NODE_PLOT;
    return count;
}

/* Pixels of about that colour in a rectangle. */
static size_t count_near(struct fixture *f, const struct td_rect *in, td_rgba color)
{
    int wide, high;
    size_t count = 0;
    unsigned char *pixels = take_picture(f, &wide, &high);
    for (int y = (int)in->top; y < (int)in->bottom && y < high; y++)
        for (int x = (int)in->left; x < (int)in->right && x < wide; x++) {
            int apart = 0;
            for (int c = 0; c < 3; c++)
                apart += abs(pixels[3 * (y * wide + x) + c] - (int)(color >> (16 - 8 * c) & 255));
            count += apart < 40;
        }
    stbi_image_free(pixels);
    return count;
}

static void numbers_do_not_lie_over_the_curve(void **state)
{
    struct fixture *f = *state;
    if (!f)
        return;
    const struct td_view *view = &f->view;
    int node = 0;
    run(f, "fit");
    while (view->layout.nodes[node].kind != TD_NODE_PLOT)
        node++;
    if (has_mouse(f))
        move_mouse(f, 20, 20);
    const float top = td_view_node_y(view, &view->layout.nodes[node]), bottom = top + view->metrics.plot;
    const struct td_rect label = {60, top + 1, view->area.left - 2, bottom - 1},
                         curve = {view->area.left + 1, top + 1, view->area.right - 1, bottom - 1};
    assert_true(count_near(f, &label, TD_C(TEXT_FAINT)) > 20);
    assert_int_equal(count_near(f, &curve, TD_C(TEXT_FAINT)), 0);
}

static void several_plots_share_a_row(void **state)
{
    struct fixture *f = *state;
    struct td_err err = {0};
    if (!f)
        return;
    struct td_view *view = &f->view;
    const float alone = view->metrics.plot;
    assert_int_equal(plot_nodes(f), 2);
    run(f, "fit; join \"cb pages (0/0,0/BRISC)\" \"CPU usage\"");
    assert_int_equal(plot_nodes(f), 1);
    int node = 0;
    while (view->layout.nodes[node].kind != TD_NODE_PLOT)
        node++;
    assert_string_equal(view->layout.nodes[node].label, "CPU usage");
    assert_int_equal(view->layout.nodes[node].rows, 1);
    assert_true(view->layout.nodes[node].height > alone);
    /* Both curves are drawn, in two colours. */
    const td_rgba second = td_color_of_name("cb pages (0/0,0/BRISC)");
    const struct td_plot *first = td_dict_get_plot(view->model.dict, view->layout.nodes[node].number);
    const float top = td_view_node_y(view, &view->layout.nodes[node]);
    const struct td_rect curves = {view->area.left, top, view->area.right,
                                   top + view->layout.nodes[node].height};
    assert_true(count_near(f, &curves, second) > 100);
    assert_true(count_near(f, &curves, first->color ? first->color : td_color_of_name("CPU usage")) > 100);
    assert_true(td_driver_script(view, "join \"CPU usage\" nothing", &err) < 0);
    /* The list of plots still finds the row; the state keeps it. */
    cJSON *kept = td_trace_state_of(view);
    run(f, "split \"CPU usage\"");
    assert_int_equal(plot_nodes(f), 2);
    assert_true(td_trace_state_arrange(view, kept));
    assert_int_equal(plot_nodes(f), 1);
    cJSON_Delete(kept);
    if (has_mouse(f)) {
        const float y = td_view_node_y(view, &view->layout.nodes[node]) + 20;
        move_mouse(f, 600, y);
        /* The tip was cut into its lines. */
        assert_non_null(memmem(view->hover.tip, sizeof view->hover.tip, "CPU usage", 10));
        assert_non_null(memmem(view->hover.tip, sizeof view->hover.tip, "cb pages (0/0,0/BRISC)", 23));
        move_mouse(f, 70, y);
        hold_button(f, SDL_BUTTON_RIGHT);
        hold_button(f, 0);
        const struct td_menu *menu = td_panel_state(view, TD_PANEL_MENU);
        int marked = 0;
        for (int i = 0; i < menu->count; i++)
            if (!strcmp(menu->entries[i].text, "cb pages (0/0,0/BRISC)")) {
                assert_int_equal(menu->entries[i].mark, TD_MENU_ON);
                assert_true(!strncmp(menu->entries[i].line, "split ", 6));
                marked++;
            }
        assert_int_equal(marked, 1);
        press_key(f, SDLK_ESCAPE, 0);
    }
    run(f, "split \"cb pages (0/0,0/BRISC)\"");
    assert_int_equal(plot_nodes(f), 2);
}

static void columns_of_exact_times_are_wide_enough(void **state)
{
    struct fixture *f = *state;
    char text[TD_FORMAT_BYTES];
    if (!f)
        return;
    const struct td_table_list *list = td_panel_state(&f->view, TD_PANEL_STATISTICS);
    for (int exact = 1; exact >= 0; exact--) {
        run(f, exact ? "set times exact; open statistics" : "set times short");
        int times = 0;
        for (int c = 0; c < list->column_count; c++) {
            const enum td_query_type type = list->listed[c]->type;
            const bool is_time = type == TD_AS_TIME || type == TD_AS_DURATION || type == TD_AS_MEAN;
            td_format_ns(text, 1e9);
            if (exact && is_time)
                assert_true(list->columns[c].width > td_ui_text_width(f->ui, TD_FONT_TEXT, text));
            if (!exact)
                assert_true(list->columns[c].width == list->listed[c]->width);
            times += is_time;
        }
        assert_true(times > 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sums_are_those_of_the_visible_points),
        cmocka_unit_test(a_row_is_as_high_as_its_visible_values),
        cmocka_unit_test(all_rows_show_the_value_at_the_mouse),
        cmocka_unit_test(numbers_do_not_lie_over_the_curve),
        cmocka_unit_test(several_plots_share_a_row),
        cmocka_unit_test(columns_of_exact_times_are_wide_enough),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
