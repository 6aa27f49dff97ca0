/* What `tendril --version` prints. */
#pragma once
#include <stdbool.h>

/* Prints the version; if verbose, also the host, the features that are built in, the libraries in use with their
 * versions, and the releases of Tracy that programs and recorders may be of. */
void td_print_version(bool verbose);
