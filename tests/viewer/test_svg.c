/* The SVG writer, and the timeline as it writes it: valid XML with the names of zones, whatever bytes are in
 * them. The timeline is skipped where there is no OpenGL. */
#include "host/viewer/drive/driver.h"
#include "host/viewer/ui/svg.h"
#include "tests/viewer/demo_trace.h"
#include "tests/viewer/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[64];

static char *read_file(void)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = fopen(path, "r"), *to = open_memstream(&text, &bytes);
    assert_true(f && to);
    for (int c; (c = getc(f)) != EOF;)
        putc(c, to);
    fclose(f);
    fclose(to);
    return text;
}

/* Whether each element is closed by its own end. */
static int is_balanced(const char *xml)
{
    char stack[64][16];
    int depth = 0;
    for (const char *at = strchr(xml, '<'); at; at = strchr(at + 1, '<')) {
        const char *end = strchr(at, '>');
        char name[16] = "";
        if (!end || at[1] == '?')
            continue;
        sscanf(at + (at[1] == '/' ? 2 : 1), "%15[A-Za-z]", name);
        if (at[1] == '/') {
            if (depth == 0 || strcmp(stack[--depth], name) != 0)
                return 0;
        } else if (end[-1] != '/') {
            if (depth == 64)
                return 0;
            strcpy(stack[depth++], name);
        }
    }
    return depth == 0;
}

static void names_are_escaped_and_clips_end(void **state)
{
    struct td_err err = {0};
    struct td_svg *svg = td_svg_open(path, &err);
    const char name[] = "a<b>&\"c\"\x01\xff\xef\xbf\xbe\xc3\xa9";
    assert_non_null(svg);
    td_svg_begin(svg, 0, 10, 200, 100, 0xff102030);
    td_svg_clip(svg, 1, 2, 3, 4);
    td_svg_rect(svg, 1.234f, NAN, 5, INFINITY, 0x80ff0000, 2);
    td_svg_text(svg, 1, 2, 11, 50, true, 0xffffffff, name, strlen(name), "<whole>");
    assert_int_equal(td_svg_close(svg, &err), 0);
    char *xml = read_file();
    assert_true(is_balanced(xml));
    assert_non_null(strstr(xml, "viewBox=\"0 10 200 100\""));
    assert_non_null(
        strstr(xml, "a&lt;b&gt;&amp;\"c\"?\xef\xbf\xbd\xef\xbf\xbd\xc3\xa9<title>&lt;whole&gt;</title>"));
    assert_non_null(strstr(xml, "<rect x=\"1.23\" y=\"0\""));
    assert_non_null(strstr(xml, "fill=\"#ff0000\" fill-opacity=\"0.502\""));
    assert_null(strstr(xml, "nan"));
    assert_null(strstr(xml, "inf"));
    free(xml);
}

static int setup(void **state)
{
    static struct fixture f;
    struct td_err err = {0};
    struct td_ui_options options = {.title = "test", .width = 640, .height = 400, .scale = 1, .offscreen = 1};
    snprintf(path, sizeof path, "/tmp/test_svg.%d.svg", (int)getpid());
    f.trace = demo_trace(2);
    f.ui = td_ui_open(&options, &err);
    if (!f.ui)
        print_message("skipped: %s\n", err.text);
    *state = f.ui ? &f : NULL;
    return f.ui ? td_view_init(&f.view, f.ui, f.trace, NULL, "demo.tracy", &err) : 0;
}

static void the_timeline_has_the_zones_and_nothing_beside_it(void **state)
{
    struct fixture *f = *state;
    struct td_err err = {0};
    if (!f)
        return;
    td_panel_set_open(&f->view, TD_PANEL_STATISTICS, true);
    assert_int_equal(td_driver_export(&f->view, path, &err), 0);
    char *xml = read_file(), size[40];
    assert_true(is_balanced(xml));
    assert_non_null(strstr(xml, ">main<"));
    assert_null(strstr(xml, ">Deviation<")); /* a column of the panel below */
    snprintf(
        size, sizeof size, "height=\"%g\"",
        (double)(f->view.panel[TD_PANEL_TIMELINE].place.bottom - f->view.panel[TD_PANEL_TIMELINE].place.top));
    assert_non_null(strstr(xml, size));
    free(xml);
    assert_true(td_driver_export(&f->view, "/none/x.svg", &err) < 0);
    assert_string_equal(err.text, "cannot write /none/x.svg: No such file or directory");
}

static int end(void **state)
{
    unlink(path);
    return teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_escaped_and_clips_end),
        cmocka_unit_test(the_timeline_has_the_zones_and_nothing_beside_it),
    };
    return cmocka_run_group_tests(tests, setup, end);
}
