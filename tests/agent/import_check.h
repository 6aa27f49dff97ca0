/* Reads any bytes as a file of another format: the result is one error or a sound trace. */
#pragma once
#include "host/agent/import/importer.h"

/* Fed in pieces of `piece` bytes. -1: it was refused; else what was kept of it: zones, messages, samples ... */
int64_t import_check(const struct td_importer *importer, const void *bytes, size_t count, size_t piece);
