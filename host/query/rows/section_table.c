/* The table of sections. */
#include "host/query/table/tables.h"
#include "host/trace/tables.h"

#define ROWS struct td_query_rows

static int64_t section_cell(const ROWS *r, uint64_t section, unsigned column)
{
    return td_series_get(td_trace_table(r->of.trace, TD_TABLE_SECTION), section, column);
}

static struct td_query_value category_text(const ROWS *r, int64_t category)
{
    const struct td_series *list = td_trace_table(r->of.trace, TD_TABLE_SECTION_CATEGORY);
    for (uint64_t i = 0; i < td_series_count(list); i++)
        if (td_series_get(list, i, TD_SECTION_CATEGORY_CATEGORY) == category)
            return td_is_string(r->dict, td_series_get(list, i, TD_SECTION_CATEGORY_TEXT));
    return td_is_text("");
}

/* clang-format off */
#define SECTION_COLUMNS(X)                                                                                               \
    X(category,    "Category",    ID,   76,  td_is_int(section_cell(r, i, TD_SECTION_CATEGORY)))                         \
    X(description, "Description", TEXT, 190, category_text(r, section_cell(r, i, TD_SECTION_CATEGORY)))                  \
    X(text,        "Section",     TEXT, 0,   td_is_string(r->dict, section_cell(r, i, TD_SECTION_TEXT)))                 \
    X(start_ns,    "Start",       TIME, 106, td_is_int(section_cell(r, i, TD_SECTION_START)))                            \
    X(end_ns,      "End",         TIME, 106,                                                                             \
      td_is_known(section_cell(r, i, TD_SECTION_END) >= 0, td_is_int(section_cell(r, i, TD_SECTION_END))))
/* clang-format on */
TD_QUERY_COLUMNS(SECTION_COLUMNS)

static int make_sections(struct td_query_rows *rows)
{
    rows->count = td_series_count(td_trace_table(rows->of.trace, TD_TABLE_SECTION));
    return 0;
}

const struct td_query_table td_table_sections = {
    .name = "sections",
    .about = "a part of the run that the program has named",
    TD_QUERY_WITH_COLUMNS,
    .make = make_sections,
};
