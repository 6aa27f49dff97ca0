/* A folder of files, which gets its name when it is complete. */
#pragma once
#include "host/tools/export/export.h"

#include <stdio.h>

/* fill() writes files TABLEending into a new folder, which then becomes work->path: nothing, or an empty
 * folder, may be there. */
int export_folder(const struct export_work *work, const char *ending,
                  int (*fill)(const struct export_work *work, const char *folder, struct td_err *err),
                  struct td_err *err);
/* Opens a new file FOLDER/NAMEending. NULL: see err. */
FILE *export_open_file(const char *folder, const char *name, const char *ending, struct td_err *err);
