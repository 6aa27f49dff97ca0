/* What the panel of options says of each choice (model/settings.h). */
#pragma once
#include "host/viewer/model/settings.h"

struct td_option_text {
    const char *section; /* the first of a section; NULL: of the one before it */
    const char *title, *about;
    bool is_switch; /* a check box: which of the two words is on? */
    int on;
};

const struct td_option_text *td_text_of_option(enum td_choice choice);
