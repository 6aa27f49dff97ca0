/* The sections of a trace: parts of the run that its program has named, in categories. Sections of a category
 * may overlap, so each category has as many lanes as are needed to draw them apart. */
#pragma once
#include "host/trace/trace.h"

struct td_section_item {
    int64_t start_ns, end_ns; /* end TD_OPEN: it never ended */
    uint32_t text;            /* string */
    uint32_t category;        /* index in the list below */
    uint32_t lane;            /* of the category; sections of a lane do not overlap */
};

struct td_section_category {
    uint64_t number;
    uint32_t text; /* string; 0: none */
    uint32_t lanes;
    size_t first, count; /* of its items */
};

struct td_sections {               /* all zero: none */
    struct td_section_item *items; /* by category, lane and start */
    size_t count;
    struct td_section_category *categories; /* that have sections, by number */
    uint32_t category_count;
};

/* 0 or TD_E_NOMEM. */
int td_sections_build(struct td_sections *sections, const struct td_trace *trace);
void td_sections_free(struct td_sections *sections);
/* The first item of the lane that ends after time_ns; *end: after the last one of the lane. */
size_t td_sections_after(const struct td_sections *sections, uint32_t category, uint32_t lane, double time_ns,
                         size_t *end);
