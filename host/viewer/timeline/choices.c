#include "host/viewer/timeline/choices.h"
#include "host/viewer/timeline/view.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct td_settings *td_view_settings(struct td_view *view)
{
    return view->choices.shared ? view->choices.shared : &view->choices.own;
}

int td_view_choice(const struct td_view *view, enum td_choice choice)
{
    return (view->choices.shared ? view->choices.shared : &view->choices.own)->choices[choice];
}

static void add_word(char *list, size_t bytes, const char *word)
{
    const size_t used = strlen(list);
    snprintf(list + used, bytes - used, "%s%s", used ? ", " : "", word);
}

int td_view_choose(struct td_view *view, const char *name, const char *word, struct td_err *err)
{
    struct td_settings *settings = td_view_settings(view);
    char known[200] = "";
    for (int c = 0; c < TD_CHOICE_COUNT; c++) {
        add_word(known, sizeof known, td_choice_name(c));
        if (strcmp(td_choice_name(c), name) != 0)
            continue;
        known[0] = 0;
        const int number = td_choice_number((enum td_choice)c, word);
        if (number != INT_MIN) {
            settings->choices[c] = number;
            td_settings_apply(settings);
            view->wishes.page = TD_WISH_SETTINGS;
            return 0;
        }
        for (int i = 0; td_choice_word(c, i); i++)
            add_word(known, sizeof known, td_choice_word(c, i));
        return td_fail(err, TD_E_USAGE, "'%.80s' is not a value of %s; there are %s", word, name, known);
    }
    return td_fail(err, TD_E_USAGE, "there is no setting '%.80s'; there are %s", name, known);
}

void td_view_next_choice(struct td_view *view, enum td_choice choice)
{
    const char *next = td_choice_word(choice, td_view_choice(view, choice) + 1);
    td_view_choose(view, td_choice_name(choice), next ? next : td_choice_word(choice, 0), NULL);
}

int td_view_choose_next(struct td_view *view, const char *name, struct td_err *err)
{
    for (int c = 0; c < TD_CHOICE_COUNT; c++)
        if (!strcmp(td_choice_name(c), name)) {
            td_view_next_choice(view, (enum td_choice)c);
            return 0;
        }
    return td_view_choose(view, name, "", err);
}

int td_view_target_fps(const struct td_view *view)
{
    char room[TD_CHOICE_BYTES];
    return atoi(td_choice_text(TD_CHOICE_FPS, td_view_choice(view, TD_CHOICE_FPS), room));
}
