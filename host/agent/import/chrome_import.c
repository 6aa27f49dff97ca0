/* A Chrome trace as a format of `tendril import`. */
#include "host/agent/import/chrome_trace.h"
#include "host/agent/import/importer.h"

static void *create_chrome(struct td_hub *hub)
{
    return td_chrome_create(hub);
}

static void destroy_chrome(void *self)
{
    td_chrome_destroy(self);
}

static int feed_chrome(void *self, const uint8_t *bytes, size_t count, struct td_err *err)
{
    return td_chrome_feed(self, bytes, count, err);
}

static int end_chrome_file(void *self, bool *cut, struct td_err *err)
{
    const int bad = td_chrome_close(self, err);
    *cut = td_chrome_is_cut(self);
    return bad;
}

static void report_chrome(void *self, const struct td_import_lines *to)
{
    td_timeline_report(td_chrome_get_counts(self), to);
}

const struct td_importer td_import_chrome = {
    .name = "a Chrome trace",
    .about =
        "It is JSON, with zones, asynchronous operations, messages, counters, frames and flows. Zones that "
        "overlap get tracks of their own. What is damaged or not understood is left out; one line says how "
        "much of each kind.",
    .begins = td_chrome_begins,
    .create = create_chrome,
    .destroy = destroy_chrome,
    .feed = feed_chrome,
    .end_file = end_chrome_file,
    .report = report_chrome,
};
