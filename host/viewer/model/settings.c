#include "host/viewer/model/settings.h"
#include "host/base/plain_text.h"
#include "host/query/table/format.h"
#include "host/viewer/ui/color.h"
#include "host/viewer/ui/imgui_shim.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETTINGS_NAME "settings.json"
#define REGIONS       "regions"
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

int td_choice_number(enum td_choice choice, const char *word)
{
    char *end;
    for (int i = 0; td_choice_word(choice, i); i++)
        if (!strcmp(td_choice_word(choice, i), word))
            return i;
    const long number = strtol(word, &end, 10);
    const bool is_number = *word >= '0' && *word <= '9' && !*end && number >= 1 && number <= TD_FPS_MAX;
    return choice == TD_CHOICE_FPS && is_number ? -(int)number : INT_MIN;
}

const char *td_choice_text(enum td_choice choice, int number, char room[TD_CHOICE_BYTES])
{
    if (number >= 0)
        return td_choice_word(choice, number);
    snprintf(room, TD_CHOICE_BYTES, "%d", -number);
    return room;
}

void td_settings_read(struct td_settings *settings)
{
    cJSON *object = td_store_read(TD_STORE_SETTINGS, SETTINGS_NAME);
    *settings =
        (struct td_settings){.scale = td_store_number(object, "scale", 0, TD_UI_MIN_SCALE, TD_UI_MAX_SCALE)};
    for (int c = 0; c < TD_CHOICE_COUNT; c++) {
        const int number = td_choice_number(c, td_store_text(object, td_choice_name(c)));
        settings->choices[c] = number == INT_MIN ? 0 : number;
    }
    struct td_tab_places regions = {0};
    if (td_tab_places_from_json(&regions, cJSON_GetObjectItemCaseSensitive(object, REGIONS), NULL) == 0)
        settings->regions = regions;
    cJSON_Delete(object);
}

cJSON *td_settings_to_json(const struct td_settings *settings)
{
    cJSON *object = cJSON_CreateObject();
    char room[TD_CHOICE_BYTES];
    if (settings->scale > 0)
        cJSON_AddNumberToObject(object, "scale", settings->scale);
    for (int c = 0; c < TD_CHOICE_COUNT; c++)
        cJSON_AddStringToObject(object, td_choice_name(c), td_choice_text(c, settings->choices[c], room));
    cJSON *regions = td_tab_places_to_json(&settings->regions);
    if (regions)
        cJSON_AddItemToObject(object, REGIONS, regions);
    return object;
}

static int take_choice(struct td_settings *settings, const cJSON *field, struct td_err *err)
{
    for (int c = 0; c < TD_CHOICE_COUNT; c++) {
        if (strcmp(td_choice_name(c), field->string))
            continue;
        const int number = cJSON_IsString(field) ? td_choice_number(c, field->valuestring) : INT_MIN;
        if (number != INT_MIN) {
            settings->choices[c] = number;
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
    int rc = 0;
    for (const cJSON *field = object->child; field && rc == 0; field = field->next) {
        const bool is_scale = !strcmp(field->string, "scale");
        if (is_scale && !(cJSON_IsNumber(field) && field->valuedouble >= TD_UI_MIN_SCALE &&
                          field->valuedouble <= TD_UI_MAX_SCALE))
            return td_fail(err, TD_E_FORMAT, "\"scale\" is not between %g and %g", TD_UI_MIN_SCALE,
                           TD_UI_MAX_SCALE);
        if (is_scale)
            settings->scale = field->valuedouble;
        else if (!strcmp(field->string, REGIONS))
            rc = td_tab_places_from_json(&settings->regions, field, err);
        else
            rc = take_choice(settings, field, err);
    }
    return rc;
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
    td_theme_choose((enum td_theme_kind)settings->choices[TD_CHOICE_COLOURS]);
}
