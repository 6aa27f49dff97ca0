#include "host/base/path.h"

#include <errno.h>
#include <sys/stat.h>

int td_folder_make(const char *path, struct td_err *err)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST ? 0
                                                     : td_fail_errno(err, "cannot make the folder %s", path);
}
