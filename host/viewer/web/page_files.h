/* The files of the page. CMake makes their texts from the files in this folder. */
#pragma once
#include <stddef.h>

struct td_web_file {
    const char *path, *type, *text;
};

/* NULL: there is no such file. */
const struct td_web_file *td_web_file_find(const char *path);
