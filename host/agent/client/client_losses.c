#include "host/agent/client/client_losses.h"

#include <inttypes.h>

#define UNNAMED "%" PRIu64 " events have no name"

int td_client_left_unanswered(const char *where, struct td_client_counts counts, struct td_err *err)
{
    if (!counts.unanswered)
        return 0;
    return td_fail(err, TD_E_GONE,
                   "the program at %s left %" PRIu64 " questions about names and code unanswered: " UNNAMED,
                   where, counts.unanswered, counts.unnamed);
}

int td_client_vanished(const char *where, struct td_client_counts counts, struct td_err *err)
{
    return td_fail(err, TD_E_GONE,
                   "the program at %s went away before its end (killed or crashed?); kept what arrived: "
                   "%" PRIu64 " zones, %" PRIu64 " messages; " UNNAMED,
                   where, counts.zones, counts.messages, counts.unnamed);
}

int td_client_never_ended(const char *where, int waited_s, struct td_client_counts counts, struct td_err *err)
{
    return td_fail(err, TD_E_TIMEOUT,
                   "the program at %s does not end its session within %d s; kept what arrived; " UNNAMED,
                   where, waited_s, counts.unnamed);
}
