/* The command `drift`: the clock of a GPU context. */
#pragma once
#include "host/base/err.h"

struct td_view_model;

/* context: its number or name; drift: "auto", or ns for each s; offset: a time such as "-2us", or NULL. */
int td_drive_drift(struct td_view_model *model, const char *context, const char *drift, const char *offset,
                   struct td_err *err);
