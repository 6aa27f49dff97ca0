/* A trigger's condition as text. */
#pragma once
#include "host/agent/limits/triggers.h"

struct td_trigger_text {
    enum td_trigger_kind kind;
    char *pattern;    /* on the heap; NULL: the base frame set, or none */
    int64_t limit_ns; /* of zones and frames */
};

/* 0; TD_E_USAGE: `text` is no condition; TD_E_NOMEM. */
int td_trigger_text_parse(const char *text, struct td_trigger_text *trigger, struct td_err *err);
