/* The demo trace: three launches on 20 cores and the program that waits for them. It is a part of the program. */
#pragma once
#include "host/base/err.h"

#include <stddef.h>

/* Writes it to the folder of the viewer's state, and gives its path. */
int td_demo_path(char *path, size_t room, struct td_err *err);
