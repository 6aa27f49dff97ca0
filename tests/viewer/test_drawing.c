/* The timeline as SVG and PDF: valid XML with the names of zones, whatever bytes are in them; the same shapes in a
 * PDF file. The timeline is skipped where there is no OpenGL. */
#include "host/viewer/drive/driver.h"
#include "host/viewer/ui/drawing.h"
#include "tests/query/demo_trace.h"
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
    struct td_drawing *svg = td_drawing_open(path, TD_DRAWING_SVG, &err);
    const char name[] = "a<b>&\"c\"\x01\xff\xef\xbf\xbe\xc3\xa9";
    assert_non_null(svg);
    td_drawing_begin(svg, 0, 10, 200, 100, 0xff102030);
    td_drawing_clip(svg, 1, 2, 3, 4);
    td_drawing_rect(svg, 1.234f, NAN, 5, INFINITY, 0x80ff0000, 2);
    td_drawing_text(svg, 1, 2, 11, 50, true, 0xffffffff, name, strlen(name), "<whole>");
    assert_int_equal(td_drawing_close(svg, &err), 0);
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

/* ---- PDF ---- */

/* The contents of the only page, which are packed with zlib. */
static char *read_page(void)
{
    char command[600], *text = NULL;
    size_t bytes = 0;
    snprintf(command, sizeof command,
             "python3 -c 'import re,sys,zlib; data = open(sys.argv[1], \"rb\").read();"
             " assert data.startswith(b\"%%PDF-\") and data.rstrip().endswith(b\"%%%%EOF\");"
             " [print(zlib.decompress(s).decode(\"latin-1\")) for s in"
             " re.findall(rb\"stream\\r?\\n(\\x78.*?)\\r?\\nendstream\", data, re.S)[:1]]' '%s'",
             path);
    FILE *run = popen(command, "r"), *to = open_memstream(&text, &bytes);
    assert_true(run && to);
    for (int c; (c = getc(run)) != EOF;)
        putc(c, to);
    fclose(to);
    assert_int_equal(pclose(run), 0);
    return text;
}

static size_t count_of(const char *text, const char *what)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
        count++;
    return count;
}

static void a_pdf_has_shapes_text_and_clips_whatever_they_are(void **state)
{
    struct td_err err = {0};
    const char name[] = "a(b)\\\x01\xff\xef\xbf\xbe\xef\xb7\x90\xf4\x8f\xbf\xbf\xc3\xa9";
    const float lines[] = {0, 0, 10, NAN, 20, INFINITY, 30, 5}, curve[8] = {0, 0, 1, 1, 2, 2, 3, 3};
    struct td_drawing *pdf = td_drawing_open(path, TD_DRAWING_PDF, &err);
    assert_non_null(pdf);
    td_drawing_begin(pdf, 0, 10, 200, 100, 0xff102030);
    td_drawing_clip(pdf, 1, 12, 40, 40);
    td_drawing_rect(pdf, 1.25f, 14, 15, 35, 0xffff0000, 2);
    td_drawing_rect(pdf, 1.25f, NAN, 5, INFINITY, 0xffff0000, 2);
    td_drawing_unclip(pdf);
    td_drawing_unclip(pdf); /* one too many */
    td_drawing_polyline(pdf, lines, 4, 0xff00ff00, 1);
    td_drawing_bezier(pdf, curve, 0xff00ff00, 1);
    td_drawing_area(pdf, lines, 4, 50, 0xff0000ff);
    td_drawing_text(pdf, 1, 20, 11, 50, true, 0xffffffff, name, strlen(name), NULL);
    td_drawing_clip(pdf, 1, 2, 3, 4); /* not ended */
    assert_int_equal(td_drawing_close(pdf, &err), 0);
    char *page = read_page();
    assert_non_null(strstr(page, "1 0 0 rg")); /* the rectangle's colour */
    assert_non_null(strstr(page, " c\n"));     /* the curve, round corners */
    assert_int_equal(count_of(page, "BT\n"), 1);
    assert_null(strstr(page, "nan"));
    assert_null(strstr(page, "inf"));
    free(page);
    assert_null(td_drawing_open("/none/x.pdf", TD_DRAWING_PDF, &err));
    assert_string_equal(err.text, "cannot write '/none/x.pdf': No such file or directory");
    pdf = td_drawing_open("/dev/full", TD_DRAWING_PDF, &err);
    assert_non_null(pdf);
    td_drawing_begin(pdf, 0, 0, 200, 100, 0xff102030);
    err = (struct td_err){0};
    assert_true(td_drawing_close(pdf, &err) < 0);
    assert_non_null(strstr(err.text, "/dev/full"));
}

static void kinds_follow_from_names(void **state)
{
    assert_int_equal(td_drawing_kind_of("a.pdf"), TD_DRAWING_PDF);
    assert_int_equal(td_drawing_kind_of("A.PDF"), TD_DRAWING_PDF);
    assert_int_equal(td_drawing_kind_of("a.svg"), TD_DRAWING_SVG);
    assert_int_equal(td_drawing_kind_of("pdf"), TD_DRAWING_SVG);
}

static int setup(void **state)
{
    static struct fixture f;
    snprintf(path, sizeof path, "/tmp/test_drawing.%d.svg", (int)getpid());
    return open_offscreen(state, &f, demo_trace(2), 640, 400);
}

static void the_timeline_has_the_zones_and_nothing_beside_it(void **state)
{
    struct fixture *f = *state;
    struct td_err err = {0};
    if (!f)
        return;
    td_panel_set_open(&f->view, TD_PANEL_STATISTICS, true);
    assert_int_equal(td_driver_export(&f->view, path, TD_DRAWING_SVG, &err), 0);
    char *xml = read_file(), size[40];
    assert_true(is_balanced(xml));
    assert_non_null(strstr(xml, ">main<"));
    assert_null(strstr(xml, ">Deviation<")); /* a column of the panel below */
    snprintf(size, sizeof size, "height=\"%g\"",
             (double)(f->view.panels.slot[TD_PANEL_TIMELINE].place.bottom -
                      f->view.panels.slot[TD_PANEL_TIMELINE].place.top));
    assert_non_null(strstr(xml, size));
    free(xml);
    assert_true(td_driver_export(&f->view, "/none/x.svg", TD_DRAWING_SVG, &err) < 0);
    assert_string_equal(err.text, "cannot write '/none/x.svg': No such file or directory");
}

/* Both have the same texts, though in other forms. */
static void a_pdf_has_as_many_texts_as_an_svg(void **state)
{
    struct fixture *f = *state;
    struct td_err err = {0};
    if (!f)
        return;
    assert_int_equal(td_driver_export(&f->view, path, TD_DRAWING_SVG, &err), 0);
    char *xml = read_file();
    assert_int_equal(td_driver_export(&f->view, path, TD_DRAWING_PDF, &err), 0);
    char *page = read_page();
    assert_true(count_of(xml, "<text") > 10);
    assert_true(count_of(page, "BT\n") > 10);
    assert_true(count_of(page, "BT\n") <= count_of(xml, "<text"));
    assert_true(count_of(page, " rg") > 20);
    free(xml);
    free(page);
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
        cmocka_unit_test(a_pdf_has_shapes_text_and_clips_whatever_they_are),
        cmocka_unit_test(kinds_follow_from_names),
        cmocka_unit_test(a_pdf_has_as_many_texts_as_an_svg),
    };
    return cmocka_run_group_tests(tests, setup, end);
}
