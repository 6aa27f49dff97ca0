/* What the user has chosen among the settings, by words. */
#pragma once
#include "host/viewer/model/settings.h"

struct td_view;

struct td_choices {
    struct td_settings *shared; /* of the window; NULL: those of the picture */
    struct td_settings own;
};

/* Those of the window, or of the picture. */
struct td_settings *td_view_settings(struct td_view *view);
/* What is chosen in the window, or in the picture. */
int td_view_choice(const struct td_view *view, enum td_choice choice);
/* Chooses a word by the name of the choice, and uses it at once. TD_E_USAGE: *err lists what there is. */
int td_view_choose(struct td_view *view, const char *name, const char *word, struct td_err *err);

/* Chooses the next word, after the last one the first. */
void td_view_next_choice(struct td_view *view, enum td_choice choice);
int td_view_choose_next(struct td_view *view, const char *name, struct td_err *err);
int td_view_target_fps(const struct td_view *view); /* frames a second that the program should reach */
