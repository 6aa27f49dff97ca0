#include "host/transport/link/functionfs.h"
#include "proto/probe/usb.h"

#include <linux/usb/functionfs.h>
#include <string.h>

static enum td_functionfs_event setup(const struct usb_ctrlrequest *request)
{
    if (request->bRequestType == TD_USB_REQUEST_TYPE && request->bRequest == TD_USB_REQUEST_RESET &&
        request->wLength == 0)
        return TD_FUNCTIONFS_RESET;
    return request->bRequestType & USB_DIR_IN ? TD_FUNCTIONFS_REFUSE_IN : TD_FUNCTIONFS_REFUSE_OUT;
}

enum td_functionfs_event td_functionfs_take_event(const void *bytes, size_t count, size_t *used)
{
    struct usb_functionfs_event event;
    *used = 0;
    if (count < sizeof event)
        return TD_FUNCTIONFS_NONE;
    *used = sizeof event;
    memcpy(&event, bytes, sizeof event);
    switch (event.type) {
    case FUNCTIONFS_ENABLE:
        return TD_FUNCTIONFS_START;
    case FUNCTIONFS_DISABLE:
    case FUNCTIONFS_UNBIND:
        return TD_FUNCTIONFS_STOP;
    case FUNCTIONFS_SETUP:
        return setup(&event.u.setup);
    default: /* bound, asleep, awake: nothing to do */
        return TD_FUNCTIONFS_NONE;
    }
}
