#include "host/viewer/drive/run_line.h"
#include "host/viewer/drive/commands.h"
#include "host/viewer/timeline/notes.h"

void td_view_run_line(struct td_view *view, const char *line)
{
    struct td_err err = {0};
    int rc = 0;
    while (rc == 0 && *line) {
        struct td_script_words words;
        rc = td_words_next(&words, &line, &err);
        if (rc == 0)
            rc = td_view_run(view, &words, NULL, &err);
        td_words_free(&words);
    }
    if (rc < 0)
        td_view_say(view, err.text);
}
