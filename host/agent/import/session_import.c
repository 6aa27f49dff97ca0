/* A saved session as a format of `tendril import`. */
#include "host/agent/client/saved_session.h"
#include "host/agent/import/importer.h"

static void *create_session(struct td_hub *hub)
{
    return td_saved_session_create(hub);
}

static void destroy_session(void *self)
{
    td_saved_session_destroy(self);
}

static int feed_session(void *self, const uint8_t *bytes, size_t count, struct td_err *err)
{
    return td_saved_session_feed(self, bytes, count, err);
}

static int end_session_file(void *self, bool *cut, struct td_err *err)
{
    const int bad = td_saved_session_close(self, err);
    *cut = !td_saved_session_complete(self);
    return bad;
}

static const struct td_saved_session *session_of(const void *self)
{
    return self;
}

const struct td_importer td_import_session = {
    .name = "a saved session",
    .about =
        "A program with TENDRIL_SAVE or TRACY_SAVE_NO_SEND saved it, or it was recorded on its way, of any "
        "release of Tracy from 0.9.0 to 0.14.0 or of Tenstorrent's fork. OUT has what capture would have "
        "written.",
    .begins = td_saved_session_begins,
    .create = create_session,
    .destroy = destroy_session,
    .feed = feed_session,
    .end_file = end_session_file,
    .session = session_of,
};
