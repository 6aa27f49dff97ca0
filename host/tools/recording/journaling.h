/* The journal of a command that records: capture and record.
 *
 *   begin after output_open(); record, with the journal in the collection's options; collected before the trace
 *   is written; end
 */
#pragma once
#include "host/tools/recording/collect_options.h"
#include "host/tools/files/output.h"

struct journaling {
    struct td_journal *journal; /* NULL: none */
    /* The command recover, which is offered on a terminal; set by the caller. */
    int (*recover)(int argc, char **argv, struct td_err *err);
    struct output *output;
};

/* Prints a line, or asks on a terminal, if there are journals of this output that a killed recording has
 * left. Puts the folder for temporary files into `options`. Creates the journal and puts it there, unless `given` has --no-journal or the output is no
 * file. If it cannot be created, one line says so. */
void journaling_begin(struct journaling *journaling, struct output *output,
                      const struct collect_options *given, struct td_collection_options *options);
/* The recording has ended: all of it is on the disk when this returns. A journal that has failed goes away as soon
 * as the trace is safe somewhere, because the trace may need its room. */
void journaling_collected(struct journaling *journaling);
/* Removes the journal if the trace is saved, or if there is nothing to recover. Else it stays, and *err names
 * it. */
void journaling_end(struct journaling *journaling, struct td_err *err);
