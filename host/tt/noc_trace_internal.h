/* The fields of an object of a NoC trace, as a table for reader, writer and texts. */
#pragma once
#include "proto/tt/noc_trace.h"

enum td_tt_noc_kind {
    TD_TT_NOC_IS_NUM,
    TD_TT_NOC_IS_TEXT,
    TD_TT_NOC_IS_NOC,
    TD_TT_NOC_IS_BOOL,
    TD_TT_NOC_IS_TYPE,
    TD_TT_NOC_IS_PHASE
};
enum td_tt_noc_where {
    TD_TT_NOC_IN_TRACK,
    TD_TT_NOC_IN_ZONE,
    TD_TT_NOC_IN_EVENT, /* the object itself: this one and those before */
    TD_TT_NOC_IN_SEND,
    TD_TT_NOC_IN_MUX
};

struct td_tt_noc_field_form {
    const char *name;
    enum td_tt_noc_kind kind;
    enum td_tt_noc_where where;
};
extern const struct td_tt_noc_field_form td_tt_noc_fields[TD_TT_NOC_FIELD_COUNT];
