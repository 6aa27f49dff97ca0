/* What the panels about samples show is what `tendril annotate --json` prints, and the panel Zones has the zones of
 * GPUs as `tendril info --json` has them.
 *
 *     test_sample_numbers [FILE.tracy ...]      a trace of the corpus if none is given */
#include "host/file/file.h"
#include "host/query/code/samples.h"
#include "host/viewer/panels/callstack.h"
#include "tests/viewer/mouse.h"
#include "tests/query/tool_output.h"

#include <inttypes.h>
#include <string.h>

#define LISTING TD_BINARY_DIR "/test_sample_numbers.txt"

struct sampled_file {
    struct fixture f;
    const char *path;
};

static cJSON *annotate(const struct sampled_file *s, const char *options)
{
    char *text = output_with(s->path, "annotate --json", options);
    cJSON *json = cJSON_Parse(text);
    free(text);
    assert_non_null(json);
    return json;
}

/* ---- tables ---- */

struct table_line {
    char *cell[10];
    int count;
};

/* Cuts the next line of the text into its cells; false: there is none. */
static bool next_line(char **text, struct table_line *line)
{
    char *end = strchr(*text, '\n');
    *line = (struct table_line){0};
    if (!end)
        return false;
    *end = 0;
    for (char *cell = *text; cell && line->count < 10; line->count++) {
        line->cell[line->count] = cell;
        cell = strchr(cell, '\t');
        if (cell)
            *cell++ = 0;
    }
    *text = end + 1;
    return true;
}

static bool has_number(const struct table_line *line, int cell, const cJSON *object, const char *field)
{
    return strtod(line->cell[cell], NULL) == number_of(object, field);
}

/* ---- Symbols ---- */

static bool is_function(const struct table_line *l, const cJSON *f)
{
    const bool named = strncmp(text_of(f, "name"), "[unknown]", 9) != 0;
    return has_number(l, 2, f, "self") && has_number(l, 3, f, "total") && has_number(l, 7, f, "line") &&
           (double)strtoull(l->cell[1], NULL, 16) == number_of(f, "address") &&
           (!named || !strcmp(l->cell[0], text_of(f, "name"))) &&
           (!strcmp(l->cell[6], text_of(f, "file")) || !strcmp(text_of(f, "file"), "[unknown]")) &&
           !strcmp(l->cell[8], text_of(f, "image")) &&
           (*l->cell[4] == '1') == cJSON_IsTrue(cJSON_GetObjectItem(f, "inlined")) &&
           (*l->cell[5] == '1') == cJSON_IsTrue(cJSON_GetObjectItem(f, "kernel"));
}

static int check_functions(struct sampled_file *s, const char *options)
{
    cJSON *json = annotate(s, options), *f;
    const cJSON *list = cJSON_GetObjectItem(json, "functions");
    char *table = copied(&s->f, "symbols"), *at = table;
    struct table_line line;
    int lines = 0;
    assert_true(next_line(&at, &line));
    for (; next_line(&at, &line); lines++) {
        bool found = false;
        cJSON_ArrayForEach(f, list) found |= is_function(&line, f);
        if (!found)
            fail_msg("%s: annotate %s has no '%s' with self %s and total %s", s->path, options, line.cell[0],
                     line.cell[2], line.cell[3]);
    }
    assert_int_equal(lines, cJSON_GetArraySize(list));
    SDL_free(table);
    cJSON_Delete(json);
    return lines;
}

static void check_symbols(struct sampled_file *s)
{
    assert_true(check_functions(s, "--inlines") > 0);
    press_key(&s->f, SDLK_v, 0);
    check_functions(s, "");
    press_key(&s->f, SDLK_v, 0);
}

/* ---- Source ---- */

/* The costs of the lines, or of the instructions, of a listing have the numbers of the JSON. */
static void check_costs(struct sampled_file *s, const char *listing, const cJSON *list, const char *key,
                        const char *form)
{
    const cJSON *one;
    cJSON_ArrayForEach(one, list)
    {
        char begin[60];
        snprintf(begin, sizeof begin, form, (uint64_t)number_of(one, "self"), (uint64_t)number_of(one, key));
        if (!strstr(listing, begin))
            fail_msg("%s: the listing has no '%s'", s->path, begin);
    }
}

static bool check_listing(struct sampled_file *s, uint64_t address)
{
    char text[80];
    snprintf(text, sizeof text, "0x%" PRIx64, address);
    cJSON *json = annotate(s, text), *source = cJSON_GetObjectItem(json, "source");
    const bool has_text = strcmp(text_of(source, "origin"), "none") != 0;
    const cJSON *lines = has_text ? cJSON_GetObjectItem(source, "lines") : NULL,
                *insns = cJSON_GetObjectItem(cJSON_GetObjectItem(json, "code"), "instructions");
    const bool any = cJSON_GetArraySize(lines) + cJSON_GetArraySize(insns) > 0;
    snprintf(text, sizeof text, "symbol 0x%" PRIx64, address);
    run(&s->f, text);
    settle(&s->f);
    td_driver_settle(&s->f.view);
    run(&s->f, "listing " LISTING);
    char *listing = NULL;
    FILE *file = fopen(LISTING, "r");
    size_t bytes = 0;
    assert_non_null(file);
    const ssize_t got = getdelim(&listing, &bytes, 0, file);
    fclose(file);
    unlink(LISTING);
    assert_true(got > 0 || !any);
    if (got > 0) {
        check_costs(s, listing, lines, "line", "\n%8" PRIu64 " %6" PRIu64 "  ");
        check_costs(s, listing, insns, "address", "%8" PRIu64 " %16" PRIx64 "  ");
    }
    free(listing);
    cJSON_Delete(json);
    return any;
}

/* The functions with code or text, with most samples first. */
static void check_source(struct sampled_file *s)
{
    cJSON *json = annotate(s, "--inlines"), *f;
    int shown = 0;
    cJSON_ArrayForEach(f, cJSON_GetObjectItem(json, "functions"))
    {
        if (number_of(f, "address") > 0 && number_of(f, "address") < 9e15 && shown < 8)
            shown += check_listing(s, (uint64_t)number_of(f, "address"));
    }
    run(&s->f, "close source");
    cJSON_Delete(json);
    print_message("%s: %d listings compared\n", s->path, shown);
}

/* ---- Wait stacks ---- */

static void check_waits(struct sampled_file *s)
{
    static const char *const fields[] = {"count", "timed", "total_ns", "max_ns", "woken_ns"};
    cJSON *json = annotate(s, "--waits"), *w;
    const cJSON *list = cJSON_GetObjectItem(json, "wait_stacks");
    char *table = copied(&s->f, "waitstacks"), *at = table;
    struct table_line line;
    int lines = 0;
    assert_true(next_line(&at, &line));
    for (; next_line(&at, &line); lines++) {
        bool found = false;
        cJSON_ArrayForEach(w, list)
        {
            bool same = true;
            for (int i = 0; i < 5; i++)
                same &= has_number(&line, i, w, fields[i]);
            found |= same;
        }
        if (!found)
            fail_msg("%s: annotate --waits has no stack with %s waits", s->path, line.cell[0]);
    }
    assert_int_equal(lines, cJSON_GetArraySize(list));
    SDL_free(table);
    cJSON_Delete(json);
}

/* ---- Call stack ---- */

struct innermost { /* functions by name */
    char name[200];
    double annotated, shown;
};

/* The sums of annotate by name: that is what a line of the panel has. */
static struct innermost *read_innermost(const struct sampled_file *s, int *count)
{
    cJSON *json = annotate(s, "--inlines"), *f;
    struct innermost *all =
        calloc((size_t)cJSON_GetArraySize(cJSON_GetObjectItem(json, "functions")) + 1, sizeof *all);
    assert_non_null(all);
    *count = 0;
    cJSON_ArrayForEach(f, cJSON_GetObjectItem(json, "functions"))
    {
        int at = 0;
        while (at < *count && strcmp(all[at].name, text_of(f, "name")))
            at++;
        if (at == *count)
            snprintf(all[(*count)++].name, sizeof all->name, "%s", text_of(f, "name"));
        all[at].annotated += number_of(f, "self");
    }
    cJSON_Delete(json);
    return all;
}

/* Shows a call stack, and counts its samples for the function in its first line. */
static void count_innermost(struct sampled_file *s, uint32_t stack, uint64_t samples, struct innermost *all,
                            int count)
{
    struct table_line line;
    td_view_show_stack(&s->f.view, (struct td_stack_spot){TD_STACK_ROW, 0, stack});
    char *table = copied(&s->f, "callstack"), *at = table;
    assert_true(next_line(&at, &line) && next_line(&at, &line));
    for (int i = 0; i < count; i++)
        all[i].shown += strcmp(all[i].name, line.cell[1]) ? 0 : (double)samples;
    SDL_free(table);
}

static void check_call_stacks(struct sampled_file *s)
{
    int count, compared = 0;
    struct innermost *all = read_innermost(s, &count);
    const struct td_samples_choice choice = {0};
    struct td_stack_counts counts;
    struct td_err err;
    assert_int_equal(td_stack_counts_make(s->f.trace, &choice, NULL, &counts, &err), 0);
    run(&s->f, "open callstack");
    press_key(&s->f, SDLK_v, 0); /* also what is outside of the program */
    for (size_t i = 0; i < counts.stacks; i++)
        if (counts.at[i])
            count_innermost(s, (uint32_t)i, counts.at[i], all, count);
    td_stack_counts_free(&counts);
    for (int i = 0; i < count; i++) {
        if (!strncmp(all[i].name, "[unknown]", 9))
            continue;
        if (all[i].shown != all[i].annotated)
            fail_msg("%s: %s is innermost in %g call stacks, not %g", s->path, all[i].name, all[i].shown,
                     all[i].annotated);
        compared += all[i].shown > 0;
    }
    assert_true(compared > 0);
    free(all);
}

/* ---- files ---- */

static void check_file(const char *path)
{
    struct sampled_file s = {.path = path};
    void *opened;
    struct td_err err = {0};
    struct td_trace *trace;
    if (td_file_read(path, &trace, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(open_window(&opened, &s.f, trace, 640, 360), 0);
    if (!opened)
        return;
    check_symbols(&s);
    check_source(&s);
    check_waits(&s);
    check_call_stacks(&s);
    teardown(&opened);
}

/* ---- zones of GPUs ---- */

static void count_lines_of(const cJSON *list, char *table)
{
    struct table_line line;
    const cJSON *zone;
    int lines = 0;
    assert_true(next_line(&table, &line));
    for (; next_line(&table, &line); lines++) {
        bool found = false;
        cJSON_ArrayForEach(zone, list) found |=
            !strcmp(line.cell[0], text_of(zone, "name")) &&
            strtod(line.cell[3], NULL) == number_of(zone, "count") + number_of(zone, "open") &&
            has_number(&line, 4, zone, "total_ns") && has_number(&line, 5, zone, "self_ns");
        if (!found)
            fail_msg("info has no zone '%s' with count %s", line.cell[0], line.cell[3]);
    }
    assert_int_equal(lines, cJSON_GetArraySize(list));
}

static void zones_of_gpus_can_be_listed_alone(void **state)
{
    struct sampled_file s = {.path = TD_SOURCE_DIR "/tests/data/trace/0.11.1/gpu.tracy"};
    static const char *const lists[] = {NULL, "names", "gpu_names"};
    void *opened;
    struct td_err err = {0};
    struct td_trace *trace;
    char *text = output_of(s.path, "info --json");
    cJSON *json = cJSON_Parse(text);
    (void)state;
    assert_int_equal(td_file_read(s.path, &trace, &err), 0);
    assert_int_equal(open_window(&opened, &s.f, trace, 1500, 400), 0);
    for (int of = 0; opened && of < 3; of++) {
        char *table = copied(&s.f, "zones");
        if (lists[of])
            count_lines_of(cJSON_GetObjectItem(json, lists[of]), table);
        SDL_free(table);
        press_key(&s.f, SDLK_y, 0);
    }
    cJSON_Delete(json);
    free(text);
    teardown(&opened);
}

static char *const *given;

static void panels_agree_with_annotate(void **state)
{
    char path[1200];
    (void)state;
    for (char *const *file = given; *file; file++)
        check_file(*file);
    if (*given)
        return;
    if (!find_trace(path, sizeof path, "0.11.1/sampling")) {
        print_message("skipped: there is no corpus\n");
        return;
    }
    check_file(path);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(panels_agree_with_annotate),
                                       cmocka_unit_test(zones_of_gpus_can_be_listed_alone)};
    (void)argc;
    given = argv + 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
