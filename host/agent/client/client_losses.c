#include "host/agent/client/client_losses.h"
#include "host/base/debug_log.h"
#include "host/wire/hello.h"

#include <inttypes.h>

#define UNNAMED "%" PRIu64 " events have no name"

int td_client_refused(const char *where, uint8_t status, struct td_err *err)
{
    td_debug(client, "%s: refused with status %u", where, status);
    switch (status) {
    case TD_WIRE_STATUS_MISMATCH:
        return td_fail(err, TD_E_VERSION,
                       "the program at %s speaks none of the protocols of Tracy " TD_WIRE_OLDEST_TRACY
                       " to " TD_WIRE_NEWEST_TRACY
                       ": build it with Tendril's client library or one of these releases",
                       where);
    case TD_WIRE_STATUS_NOT_AVAILABLE:
        return td_fail(
            err, TD_E_GONE,
            "the program at %s has already given its events to another capture or viewer; start it "
            "again",
            where);
    default:
        return td_fail(err, TD_E_FORMAT,
                       "the program at %s answers with status %u, which no Tracy client has", where, status);
    }
}

int td_client_not_greeted(const char *where, bool is_busy, int waited_ms, struct td_err *err)
{
    if (is_busy)
        return td_fail(err, TD_E_GONE,
                       "the program at %s is busy with another capture or viewer; it serves one at a time",
                       where);
    return td_fail(
        err, TD_E_TIMEOUT,
        "the program at %s does not answer within %d ms: it is busy with another capture or viewer, "
        "or it is not a Tracy client",
        where, waited_ms);
}

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

int td_client_not_understood(const char *where, int code, const struct td_err *why,
                             struct td_client_counts counts, struct td_err *err)
{
    if (code != TD_E_FORMAT)
        return td_fail(err, code, "%s", why->text);
    return td_fail(
        err, code,
        "the program at %s sends bytes that make no sense (%s); kept what came before: %llu zones, "
        "%llu messages",
        where, why->text, (unsigned long long)counts.zones, (unsigned long long)counts.messages);
}
