#include "tests/file/describe.h"
#include "host/file/file.h"
#include "host/file/schema.h"

#include <ctype.h>
#include <stdio.h>

static const struct {
    const char *name, *text;
} kinds[] = {
#define TD_X(name, bytes, class, text) {#name, text},
    TD_FIELD_KINDS(TD_X)
#undef TD_X
};

static void put_lower(FILE *to, const char *text)
{
    for (; *text; text++)
        fputc(*text == '_' ? ' ' : tolower((unsigned char)*text), to);
}

static void put_version(FILE *to, uint32_t version)
{
    fprintf(to, "%u.%u.%u", version >> 16, version >> 8 & 255, version & 255);
}

static void put_bounds(FILE *to, uint32_t since, uint32_t before)
{
    if (since) {
        fputs(", from ", to);
        put_version(to, since);
        fputs(" on", to);
    }
    if (before) {
        fputs(", before ", to);
        put_version(to, before);
    }
}

static const char *column_of(const struct td_schema_list *list, const struct td_field *field)
{
    return td_table_get_shape((enum td_table)list->table)->column[field->column].name;
}

static void put_name(FILE *to, const struct td_schema_list *list, const struct td_field *field)
{
    if (field->name)
        fputs(field->name, to);
    else
        put_lower(to, column_of(list, field));
}

static void put_fields(FILE *to, const struct td_schema_list *list, int depth);

static void put_list(FILE *to, const struct td_schema_list *list, int depth)
{
    static const char *const counts[] = {
        "", ", u32 number first", ", u16 number first", ", number above", ", always 256", ""};
    fputs(list->count == TD_COUNT_ONE ? ": one item" : ": list", to);
    fputs(counts[list->count], to);
    if (list->most)
        fprintf(to, ", at most %u", list->most);
    if (list->least)
        fprintf(to, ", at least %u", list->least);
    if (list->since) {
        fputs("; before ", to);
        put_version(to, list->since);
        fputs(" its inner lists are in its place", to);
    }
    fputs("\n", to);
    put_fields(to, list, depth + 1);
}

static void put_field(FILE *to, const struct td_schema_list *list, const struct td_field *field, int depth)
{
    if (field->since > TD_FILE_VERSION_NEWEST)
        return;
    fprintf(to, "%*s* ", 2 * depth, "");
    put_name(to, list, field);
    if (field->kind == TD_FIELD_LIST && field->list == list) {
        fputs(": a list of the same form\n", to);
        return;
    }
    put_bounds(to, field->since, field->before);
    if (field->kind == TD_FIELD_LIST) {
        put_list(to, field->list, depth);
        return;
    }
    fputs(": `", to);
    if (field->kind == TD_FIELD_COUNT && field->fixed == 1)
        fputs("u8", to);
    else
        put_lower(to, kinds[field->kind].name);
    fputs("`", to);
    if (field->kind == TD_FIELD_FIXED)
        fprintf(to, " (%u)", field->fixed);
    if (field->has_column && list->table < TD_TABLE_COUNT)
        fprintf(to, " %s.%s", td_table_get_shape((enum td_table)list->table)->name, column_of(list, field));
    if (field->has_column && field->since && field->like)
        fprintf(to, "; before: as %s",
                td_table_get_shape((enum td_table)list->table)->column[field->like - 1].name);
    else if (field->has_column && field->since && list->table < TD_TABLE_COUNT)
        fprintf(to, "; before: %d", field->missing);
    fputs("\n", to);
}

static void put_fields(FILE *to, const struct td_schema_list *list, int depth)
{
    for (unsigned i = 0; i < list->field_count; i++)
        put_field(to, list, &list->fields[i], depth);
}

static void put_kinds(FILE *to)
{
    fputs("| kind | bytes and meaning |\n|---|---|\n", to);
    for (unsigned i = 0; i < TD_FIELD_LIST; i++) {
        fputs("| `", to);
        put_lower(to, kinds[i].name);
        fprintf(to, "` | %s |\n", kinds[i].text);
    }
}

static char strip_letter(unsigned strip)
{
#define TD_X(letter, name)                                                                                   \
    if (strip == TD_STRIP_##name)                                                                            \
        return letter;
    TD_STRIP(TD_X)
#undef TD_X
    return 0;
}

void describe_format(FILE *to)
{
    fputs("# What is in a trace file\n"
          "\n"
          "To read or write a `.tracy` file in a program of your own, use this page. It lists every field\n"
          "of the format, in the order of the file.\n"
          "\n"
          "The page is made by `test_schema --write-docs` from\n"
          "[host/file/schema.c](../host/file/schema.c). Tendril's reader and writer use the same table.\n"
          "To change the page, change that file, or the kinds of fields in\n"
          "[host/file/schema.h](../host/file/schema.h). A test fails when the page is out of date.\n"
          "\n"
          "A file is a container ([in.h](../host/file/in.h), [out.h](../host/file/out.h)) of blocks of\n"
          "65536 bytes, which are compressed. A *classic* container has one compressed stream with all\n"
          "blocks. A *parallel* one (from 0.11 on) has several streams, and consecutive blocks go to them\n"
          "in turn. Unpacked and joined in order, the blocks are the *payload*: the sections below, in\n"
          "this order, without gaps, little-endian.\n"
          "\n"
          "The versions on this page are those of the Tracy that wrote the file. A field with \"from\n"
          "0.11.2 on\" is in files of that version and of all later ones. Tendril reads and writes every\n"
          "version from 0.9.0 to 0.14.0.\n"
          "\n"
          "## How to read an entry\n"
          "\n"
          "* \"start: `time` FRAME.START\" is a field called start, of the kind `time`. Tendril's model\n"
          "  keeps it in column START of its table FRAME ([tables.h](../host/trace/tables.h)). Fields\n"
          "  without such a name are in no table.\n"
          "* A list is a number of items, then the fields of each item, which are indented below it. The\n"
          "  number is a u64, if the entry says nothing else; \"number above\": an earlier field has it.\n"
          "* \"before: VALUE\" after a column is the value that Tendril takes where the version lacks the\n"
          "  field.\n"
          "\n"
          "## Kinds of fields\n"
          "\n",
          to);
    put_kinds(to);
    for (unsigned i = 0; i < TD_SECTION_COUNT; i++) {
        const struct td_section *section = &td_sections[i];
        fprintf(to, "\n## %s %s\n\n", section->id, section->what);
        if (section->since) {
            fputs("From ", to);
            put_version(to, section->since);
            fputs(" on.\n\n", to);
        }
        if (strip_letter(section->strip))
            fprintf(to, "Empty in files that were written with `--strip %c`.\n\n",
                    strip_letter(section->strip));
        put_fields(to, &section->body, 0);
    }
}
