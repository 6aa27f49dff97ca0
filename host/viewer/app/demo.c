#include "host/viewer/app/demo.h"
#include "host/base/path.h"
#include "host/file/out_file.h"
#include "host/viewer/model/store.h"

extern const unsigned char
    td_demo_trace[]; /* app/demo.tracy, and its length; made when the program is built */
extern const unsigned long td_demo_trace_bytes;

int td_demo_path(char *path, size_t room, struct td_err *err)
{
    if (!td_store_path(TD_STORE_STATE, "demo.tracy", path, room))
        return td_fail(err, TD_E_NOTFOUND, "there is no folder for the demo trace: set HOME");
    int rc = td_folders_make(path, 0700, err);
    struct td_out_file *file = rc == 0 ? td_out_file_open(path, TD_OUT_PRIVATE, err) : NULL;
    if (rc == 0 && !file)
        rc = TD_E_IO;
    if (rc == 0)
        rc = td_out_file_write(file, td_demo_trace, td_demo_trace_bytes, NULL, NULL, err);
    if (rc == 0)
        rc = td_out_file_commit(file, err);
    td_out_file_close(file);
    return rc;
}
