/* JSON values as Python prints them: {'a': 1, 'b': [True, None]}. tt-metal's scripts write values of
 * operations so, and readers of their reports expect this form. */
#pragma once
#include "host/report/tt/text_arena.h"

#include <cjson/cJSON.h>

/* A string is printed as it is; what is in lists and objects is printed with quotes. NULL: "". */
struct td_tt_text td_python_text(struct td_text_arena *arena, const cJSON *value);
