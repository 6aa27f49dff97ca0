#include "host/viewer/drive/bare.h"
#include "host/viewer/drive/commands.h"
#include "host/viewer/ui/drawing.h"
#include "host/viewer/ui/imgui_shim.h"

#include <string.h>

#define SETTLE_FRAMES 3 /* until widgets no longer change */

static int write_png(struct td_bare *bare, const char *path, struct td_err *err)
{
    for (int rest = SETTLE_FRAMES; rest > 0; rest--) {
        if (!td_ui_poll(bare->ui, 0)) {
            bare->quit = true;
            bare->discards = !td_ui_is_closed(bare->ui);
            break;
        }
        bare->draw(bare->self);
        if (td_ui_lacks_letters(bare->ui))
            rest = SETTLE_FRAMES;
    }
    td_ui_hold(bare->ui);
    bare->draw(bare->self);
    return td_ui_save_png(bare->ui, path, err);
}

static int run(struct td_bare *bare, const struct td_script_words *words, cJSON *result, struct td_err *err)
{
    const struct td_view_command *command = words->count ? td_view_command_named(words->word[0]) : NULL;
    if (!words->count)
        return 0;
    if (!command)
        return td_view_command_unknown(words->word[0], err);
    const int rc = td_view_command_check(command, words, err);
    if (rc < 0)
        return rc;
    if (!strcmp(command->name, "screenshot"))
        return td_picture_check(words->word[1], "png", err) < 0 ? TD_E_USAGE
                                                                : write_png(bare, words->word[1], err);
    if (!strcmp(command->name, "quit")) {
        bare->discards = words->count > 1;
        if (bare->discards && strcmp(words->word[1], "discard") != 0)
            return td_fail(err, TD_E_USAGE, "'%.80s' is not 'discard'", words->word[1]);
        bare->quit = true;
        return 0;
    }
    if (strcmp(command->name, "state") != 0)
        return td_fail(err, TD_E_NOTFOUND, "no trace is shown, and %s needs one", command->name);
    cJSON_AddNullToObject(result, "file");
    return 0;
}

bool td_bare_step(struct td_bare *bare, const struct td_requests *requests)
{
    size_t bytes;
    const char *line;
    bool any = false;
    while (requests && !bare->quit && (line = requests->take(requests->self, &bytes))) {
        struct td_err err = {0};
        struct td_request request;
        cJSON *result = cJSON_CreateObject();
        if (td_request_parse(&request, line, bytes, &err) == 0)
            run(bare, &request.words, result, &err);
        requests->reply(requests->self, td_request_reply(&request, result, &err));
        td_request_free(&request);
        cJSON_Delete(result);
        any = true;
    }
    return any;
}
