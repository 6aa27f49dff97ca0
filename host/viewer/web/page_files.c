#include "host/viewer/web/page_files.h"

#include <string.h>

extern const char td_web_page_html[], td_web_page_css[], td_web_page_js[], td_web_picture_js[],
    td_web_draw_js[], td_web_input_js[];

static const struct td_web_file files[] = {
    {"/", "text/html; charset=utf-8", td_web_page_html},
    {"/page.css", "text/css; charset=utf-8", td_web_page_css},
    {"/page.js", "text/javascript; charset=utf-8", td_web_page_js},
    {"/picture.js", "text/javascript; charset=utf-8", td_web_picture_js},
    {"/draw.js", "text/javascript; charset=utf-8", td_web_draw_js},
    {"/input.js", "text/javascript; charset=utf-8", td_web_input_js},
};

const struct td_web_file *td_web_file_find(const char *path)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!strcmp(files[i].path, path))
            return &files[i];
    return NULL;
}
