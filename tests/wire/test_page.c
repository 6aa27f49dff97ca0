/* The tables of docs/wire-protocol.md, between marks in the page, are made from those of proto/wire.
 * --write-docs writes them; the tests check that they are up to date. */
#include "host/wire/hello.h"
#include "host/wire/releases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define PAGE TD_SOURCE_DIR "/docs/wire-protocol.md"

static const char *const labels[] = {
#define TD_X(name, ...) #name,
    TD_WIRE_RELEASES(TD_X)
#undef TD_X
};
#define RELEASES (sizeof labels / sizeof *labels)

/* ---- tables ---- */

static void print_releases(FILE *to)
{
    fprintf(to,
            "| name | protocol | came with | bytes of the welcome message | bytes of a GPU context's number "
            "|\n|---|---|---|---|---|\n");
    for (size_t r = 0; r < RELEASES; r++) {
        const struct td_wire_release *release = td_wire_release_at(r);
        fprintf(to, "| %s | %u | %s | %u | %u |\n", labels[r], release->protocol, release->tracy,
                release->welcome_bytes, release->context_bytes);
    }
}

/* The numbers of one item or query: runs of releases with the same one; a number alone if it is that of all. */
static void print_numbers(FILE *to, const uint8_t *ids)
{
    size_t end = 0;
    for (size_t r = 0, shown = 0; r < RELEASES; r = end) {
        for (end = r + 1; end < RELEASES && ids[end] == ids[r];)
            end++;
        if (ids[r] == TD_WIRE_NONE)
            continue;
        fputs(shown++ ? ", " : " ", to);
        if (r || end < RELEASES)
            fprintf(to, end - r > 1 ? "%s-%s: " : "%s: ", labels[r], labels[end - 1]);
        fprintf(to, "%u", ids[r]);
    }
    fputs(" |", to);
}

static void print_queries(FILE *to)
{
    fprintf(to, "| query | id |\n|---|---|\n");
#define TD_X(NAME, id63, id66)                                                                               \
    {                                                                                                        \
        uint8_t ids[RELEASES];                                                                               \
        for (size_t r = 0; r < RELEASES; r++)                                                                \
            ids[r] = td_wire_query_id(td_wire_release_at(r), TD_QUERY_##NAME);                               \
        fprintf(to, "| %s |", #NAME);                                                                        \
        print_numbers(to, ids);                                                                              \
        fprintf(to, "\n");                                                                                   \
    }
    TD_WIRE_QUERIES(TD_X)
#undef TD_X
}

/* The fields of one item or message as text, each with its offset. */
struct row {
    char text[400];
    size_t at, offset;
};

static void add_field(struct row *row, const char *name, const char *type, size_t bytes)
{
    row->at += (size_t)snprintf(row->text + row->at, sizeof row->text - row->at, "%s%s %s@%zu",
                                row->at ? ", " : "", name, type, row->offset);
    assert_true(row->at < sizeof row->text);
    row->offset += bytes;
}

#define ADD_F(type, name) add_field(&row, #name, #type, TD_WS_##type);
#define ADD_S(type, name, since)                                                                             \
    if (release->protocol >= since)                                                                          \
    ADD_F(type, name)
#define ADD_U(type, name, until)                                                                             \
    if (release->protocol <= until)                                                                          \
    ADD_F(type, name)
#define ADD_T(text, metadata)                                                                                \
    add_field(&row, #text, release->tagged_messages ? "u64, shifted up by 8 for " #metadata : "u64", 8);
#define ADD_B(name, bytes) add_field(&row, #name, "char[" #bytes "]", bytes);

/* Fields of all items in a release. */
static void fill_layouts(const struct td_wire_release *release, struct row *rows)
{
#define TD_X(NAME, ids, tail, clock, fields)                                                                 \
    {                                                                                                        \
        struct row row = {.offset = 1};                                                                      \
        fields rows[TD_ITEM_##NAME] = row;                                                                   \
    }
    TD_WIRE_ITEMS(TD_X, ADD_F, ADD_S, ADD_U, ADD_S, ADD_T)
#undef TD_X
}

static const char *tail_of(const struct td_wire_item_info *info, const struct td_wire_release *release)
{
    switch (info->tail) {
    case TD_TAIL_BYTES8:
        return "u8 n, n bytes";
    case TD_TAIL_BYTES16:
        return "u16 n, n bytes";
    case TD_TAIL_BYTES32:
        return "u32 n, n bytes";
    case TD_TAIL_STRING16:
        return release->short_forms ? "u16 n - 256, n bytes" : "u16 n, n bytes";
    case TD_TAIL_NEVER:
        return "never sent";
    default:
        return "";
    }
}

static const char *clock_of(const struct td_wire_item_info *info)
{
    static const char *const names[] = {
        [TD_CLOCK_NONE] = "-",        [TD_CLOCK_ABSOLUTE] = "absolute", [TD_CLOCK_THREAD] = "thread",
        [TD_CLOCK_SERIAL] = "serial", [TD_CLOCK_SWITCH] = "switch",     [TD_CLOCK_GPU] = "GPU"};
    return names[info->clock];
}

/* Size, fields and tail of an item in a release; releases with equal texts share a line. */
static void describe(const struct row *row, const struct td_wire_item_info *info,
                     const struct td_wire_release *release, char *text, size_t room)
{
    const char *tail = tail_of(info, release);
    snprintf(text, room, "%zu | %s%s%s", row->offset, row->text, row->at && *tail ? "; " : "", tail);
}

static void print_item(FILE *to, const struct row rows[][TD_ITEM_COUNT], int item)
{
    const struct td_wire_item_info *info = &td_wire_item_infos[item];
    char texts[RELEASES][500];
    bool there[RELEASES];
    for (size_t r = 0; r < RELEASES; r++) {
        const struct td_wire_release *release = td_wire_release_at(r);
        there[r] = td_wire_has(release, item);
        describe(&rows[r][item], info, release, texts[r], sizeof texts[r]);
    }
    for (size_t r = 0; r < RELEASES; r++) {
        uint8_t ids[RELEASES];
        if (!there[r])
            continue;
        memset(ids, TD_WIRE_NONE, sizeof ids);
        for (size_t other = r; other < RELEASES; other++) {
            if (!there[other] || strcmp(texts[other], texts[r]) != 0)
                continue;
            ids[other] = td_wire_id(td_wire_release_at(other), item);
            there[other] = other == r;
        }
        fprintf(to, "| %s |", info->name);
        print_numbers(to, ids);
        fprintf(to, " %s | %s |\n", clock_of(info), texts[r]);
    }
}

static void print_layouts(FILE *to)
{
    struct row(*rows)[TD_ITEM_COUNT] = calloc(RELEASES, sizeof *rows);
    assert_non_null(rows);
    for (size_t r = 0; r < RELEASES; r++) {
        /* The page says that the fork's numbers of GPU contexts are a byte longer. */
        struct td_wire_release release = *td_wire_release_at(r);
        release.context_bytes = 1;
        fill_layouts(&release, rows[r]);
    }
    fprintf(to, "| item | id | clock | bytes | fields |\n|---|---|---|---|---|\n");
    for (int i = 0; i < TD_ITEM_COUNT; i++)
        print_item(to, (const struct row(*)[TD_ITEM_COUNT])rows, i);
    free(rows);
}

static void print_fields(FILE *to, const char *title, const struct row *row)
{
    char text[sizeof row->text];
    snprintf(text, sizeof text, "%s", row->text);
    fprintf(to, "| %s | %zu | %s |\n", title, row->offset, text);
}

static void print_messages(FILE *to)
{
    fprintf(to, "| message | bytes | fields |\n|---|---|---|\n");
    for (size_t r = 0; r < RELEASES; r++) {
        const struct td_wire_release *release = td_wire_release_at(r);
        char title[64];
        struct row row = {0};
        if (r && td_wire_release_at(r - 1)->welcome_bytes == release->welcome_bytes)
            continue;
        snprintf(title, sizeof title, "welcome, from %s on", labels[r]);
        TD_WIRE_WELCOME(ADD_F, ADD_U, ADD_B)
        assert_int_equal(row.offset, release->welcome_bytes);
        print_fields(to, title, &row);
    }
    const struct td_wire_release *release = td_wire_release_at(0);
    struct row row = {0};
    (void)release;
    TD_WIRE_BROADCAST(ADD_F, ADD_B)
    print_fields(to, "announcement", &row);
}

static const struct {
    const char *name;
    void (*print)(FILE *to);
} parts[] = {{"releases", print_releases},
             {"messages", print_messages},
             {"layouts", print_layouts},
             {"queries", print_queries}};
#define PARTS (sizeof parts / sizeof *parts)

/* ---- the page ---- */

static char *read_page(void)
{
    FILE *from = fopen(PAGE, "r");
    char *page = calloc(1, 1 << 18);
    assert_true(from && page);
    assert_true(fread(page, 1, (1 << 18) - 1, from) > 0);
    fclose(from);
    return page;
}

/* The page with its tables replaced; the text around them is kept. */
static char *with_new_tables(const char *page)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&text, &bytes);
    for (size_t i = 0; i < PARTS; i++) {
        char begin[64];
        snprintf(begin, sizeof begin, "<!-- made: %s -->\n", parts[i].name);
        const char *at = strstr(page, begin), *end = at ? strstr(at, "<!-- end -->") : NULL;
        if (!end)
            fail_msg("%s has no part \"%s\", or they are in another order", PAGE, parts[i].name);
        at += strlen(begin);
        fwrite(page, 1, (size_t)(at - page), to);
        parts[i].print(to);
        page = end;
    }
    fputs(page, to);
    fclose(to);
    return text;
}

static void the_page_about_the_protocol_says_what_the_tables_say(void **state)
{
    char *page = read_page(), *updated = with_new_tables(page);
    if (strcmp(page, updated) != 0)
        fail_msg("docs/wire-protocol.md: update its tables with test_wire_page --write-docs");
    free(page);
    free(updated);
}

/* Limits that the text of the page mentions. */
static void limits_in_the_page_are_those_of_the_header(void **state)
{
    char *page = read_page(), text[64];
    const long limits[] = {TD_WIRE_FRAME_MAX,   TD_WIRE_PACKED_MAX,  TD_WIRE_TEXT_MAX,       TD_WIRE_PORT,
                           TD_WIRE_QUERY_BYTES, TD_WIRE_HELLO_BYTES, TD_WIRE_ONDEMAND_BYTES, TD_WIRE_PORTS};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        snprintf(text, sizeof text, "`%ld`", limits[i]);
        if (!strstr(page, text))
            fail_msg("docs/wire-protocol.md does not say %s", text);
    }
    free(page);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--write-docs")) {
        char *page = read_page(), *updated = with_new_tables(page);
        FILE *to = fopen(PAGE, "w");
        int failed = !to || fputs(updated, to) < 0 || fclose(to) != 0;
        free(page);
        free(updated);
        return failed;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_about_the_protocol_says_what_the_tables_say),
        cmocka_unit_test(limits_in_the_page_are_those_of_the_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
