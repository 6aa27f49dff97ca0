/* A Fuchsia trace as a format of `tendril import`. */
#include "host/agent/import/fuchsia_trace.h"
#include "host/agent/import/importer.h"

static void *create_fuchsia(struct td_hub *hub)
{
    return td_fuchsia_create(hub);
}

static void destroy_fuchsia(void *self)
{
    td_fuchsia_destroy(self);
}

static int feed_fuchsia(void *self, const uint8_t *bytes, size_t count, struct td_err *err)
{
    return td_fuchsia_feed(self, bytes, count, err);
}

static int end_fuchsia_file(void *self, bool *cut, struct td_err *err)
{
    const int bad = td_fuchsia_close(self, err);
    *cut = td_fuchsia_is_cut(self);
    return bad;
}

static void report_fuchsia(void *self, const struct td_import_lines *to)
{
    td_timeline_report(td_fuchsia_get_counts(self), to);
}

const struct td_importer td_import_fuchsia = {
    .name = "a Fuchsia trace",
    .about = "It is a file .fxt. What a Chrome trace has is imported in the same way.",
    .begins = td_fuchsia_begins,
    .create = create_fuchsia,
    .destroy = destroy_fuchsia,
    .feed = feed_fuchsia,
    .end_file = end_fuchsia_file,
    .report = report_fuchsia,
};
