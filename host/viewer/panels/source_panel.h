/* The state of the panel Source, and how its two lists are drawn. */
#pragma once
#include "host/viewer/panels/source_data.h"

enum td_source_form { TD_FORM_BOTH, TD_FORM_TEXT, TD_FORM_CODE, TD_FORM_COUNT };

struct td_source_panel {
    struct td_job job;
    struct td_source_request request;
    struct td_source_data made, shown;
    struct td_source_place place;
    struct td_list lines, insns;
    enum td_source_form form;
    bool any, started;
    bool att;        /* AT&T's notation */
    bool inlined;    /* lines have the samples of functions that are inlined there */
    bool called;     /* lines and instructions have the samples of functions that are called there */
    bool whole_file; /* lines have the samples of all functions */
    char processor[TD_PROCESSOR_BYTES]; /* whose costs instructions have; "": none */
};

/* source_lists.c */
void td_source_draw_lines(struct td_view *view, struct td_source_panel *panel, const struct td_rect *place);
void td_source_draw_insns(struct td_view *view, struct td_source_panel *panel, const struct td_rect *place);
