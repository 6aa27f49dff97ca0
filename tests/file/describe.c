#include "tests/file/describe.h"
#include "host/file/file.h"
#include "host/file/schema.h"

#include <ctype.h>
#include <stdio.h>

static const struct {
    const char *name, *text;
} kinds[] = {
#define TD_X(name, bytes, text) {#name, text},
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
        ", u64 number first", ", u32 number first", ", u16 number first", "", ", always 256", ""};
    fputs(list->count == TD_COUNT_ONE ? ": one" : ": list", to);
    fputs(counts[list->count], to);
    if (list->most)
        fprintf(to, ", at most %u", list->most);
    if (list->least)
        fprintf(to, ", at least %u", list->least);
    if (list->since) {
        fputs("; before ", to);
        put_version(to, list->since);
        fputs(" its lists at once, without this level", to);
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
        fputs(": as this list\n", to);
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
          "Made by `test_schema --write-docs` from [host/file/schema.c](../host/file/schema.c), from which "
          "reader and\n"
          "writer work, too. Change that one; a test fails when this page is out of date.\n"
          "\n"
          "A file is a container ([in.h](../host/file/in.h), [out.h](../host/file/out.h)): blocks of 65536 "
          "bytes, packed\n"
          "one after the other in one stream (classic) or in turn in several (parallel, from 0.11 on). "
          "Unpacked and put\n"
          "together they are the payload: the sections below in this order, without gaps, little-endian. "
          "Versions are\n"
          "those of the program that wrote the file; layouts go by threshold. Every version from 0.9.0 to "
          "0.14.0 is\n"
          "read and written.\n"
          "\n"
          "Behind a field stands the column of the model's tables ([tables.h](../host/trace/tables.h)) that "
          "it is kept\n"
          "in, where it is one.\n"
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
            fprintf(to, "Empty if `%c` is stripped.\n\n", strip_letter(section->strip));
        put_fields(to, &section->body, 0);
    }
}
