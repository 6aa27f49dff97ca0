#include "host/viewer/app/settings.h"
#include "host/base/plain_text.h"
#include "host/viewer/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETTINGS_NAME "settings.json"
#define WORDS_MAX     6

const char *td_choice_name(enum td_choice choice)
{
    static const char *const names[] = {
#define TD_X(id, name, ...) #name,
        TD_CHOICES(TD_X)
#undef TD_X
    };
    return names[choice];
}

const char *td_choice_word(enum td_choice choice, int number)
{
    static const char *const words[][WORDS_MAX] = {
#define TD_X(id, name, ...) {__VA_ARGS__},
        TD_CHOICES(TD_X)
#undef TD_X
    };
    return number >= 0 && number < WORDS_MAX ? words[choice][number] : NULL;
}

int td_view_choice(const struct td_view *view, enum td_choice choice)
{
    return (view->settings ? view->settings : &view->own_settings)->choices[choice];
}

static void add_word(char *list, size_t bytes, const char *word)
{
    const size_t used = strlen(list);
    snprintf(list + used, bytes - used, "%s%s", used ? ", " : "", word);
}

int td_view_choose(struct td_view *view, const char *name, const char *word, struct td_err *err)
{
    struct td_settings *settings = view->settings ? view->settings : &view->own_settings;
    char known[200] = "";
    for (int c = 0; c < TD_CHOICE_COUNT; c++) {
        add_word(known, sizeof known, td_choice_name(c));
        if (strcmp(td_choice_name(c), name) != 0)
            continue;
        known[0] = 0;
        for (int i = 0; td_choice_word(c, i); i++) {
            add_word(known, sizeof known, td_choice_word(c, i));
            if (strcmp(td_choice_word(c, i), word) != 0)
                continue;
            settings->choices[c] = i;
            td_settings_apply(settings);
            view->wish = TD_WISH_SETTINGS;
            return 0;
        }
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
    return atoi(td_choice_word(TD_CHOICE_FPS, td_view_choice(view, TD_CHOICE_FPS)));
}

void td_settings_read(struct td_settings *settings)
{
    cJSON *object = td_store_read(TD_STORE_SETTINGS, SETTINGS_NAME);
    *settings =
        (struct td_settings){.scale = td_store_number(object, "scale", 0, TD_UI_MIN_SCALE, TD_UI_MAX_SCALE)};
    for (int c = 0; c < TD_CHOICE_COUNT; c++) {
        const char *word = td_store_text(object, td_choice_name(c));
        for (int i = 0; td_choice_word(c, i); i++)
            if (!strcmp(td_choice_word(c, i), word))
                settings->choices[c] = i;
    }
    cJSON_Delete(object);
}

cJSON *td_settings_to_json(const struct td_settings *settings)
{
    cJSON *object = cJSON_CreateObject();
    if (settings->scale > 0)
        cJSON_AddNumberToObject(object, "scale", settings->scale);
    for (int c = 0; c < TD_CHOICE_COUNT; c++)
        cJSON_AddStringToObject(object, td_choice_name(c), td_choice_word(c, settings->choices[c]));
    return object;
}

static int take_choice(struct td_settings *settings, const cJSON *field, struct td_err *err)
{
    for (int c = 0; c < TD_CHOICE_COUNT; c++) {
        if (strcmp(td_choice_name(c), field->string))
            continue;
        for (int i = 0; cJSON_IsString(field) && td_choice_word(c, i); i++)
            if (!strcmp(td_choice_word(c, i), field->valuestring)) {
                settings->choices[c] = i;
                return 0;
            }
        return td_fail(err, TD_E_FORMAT, "\"%s\" is not a choice of the panel Options", field->string);
    }
    return td_fail(err, TD_E_FORMAT, "\"%.60s\" is not known", TD_PLAIN(field->string));
}

int td_settings_from_json(struct td_settings *settings, const cJSON *object, struct td_err *err)
{
    if (!cJSON_IsObject(object))
        return td_fail(err, TD_E_FORMAT, "the settings are not an object");
    for (const cJSON *field = object->child; field; field = field->next) {
        const bool is_scale = !strcmp(field->string, "scale");
        if (is_scale && !(cJSON_IsNumber(field) && field->valuedouble >= TD_UI_MIN_SCALE &&
                          field->valuedouble <= TD_UI_MAX_SCALE))
            return td_fail(err, TD_E_FORMAT, "\"scale\" is not between %g and %g", TD_UI_MIN_SCALE,
                           TD_UI_MAX_SCALE);
        if (is_scale)
            settings->scale = field->valuedouble;
        else if (take_choice(settings, field, err) < 0)
            return TD_E_FORMAT;
    }
    return 0;
}

int td_settings_write(const struct td_settings *settings, struct td_err *err)
{
    cJSON *object = td_settings_to_json(settings);
    int rc = td_store_write(TD_STORE_SETTINGS, SETTINGS_NAME, object, err);
    cJSON_Delete(object);
    return rc;
}

void td_settings_apply(const struct td_settings *settings)
{
    td_format_times((enum td_format_style)settings->choices[TD_CHOICE_TIMES]);
    td_theme_contrast(settings->choices[TD_CHOICE_COLOURS]);
}
