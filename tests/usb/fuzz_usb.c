/* Input from USB other than the engine's messages: transfers, notifications, the gadget's events. The first
 * byte selects the kind. */
#include "host/transport/link/functionfs.h"
#include "proto/probe/usb.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int right)
{
    if (!right)
        abort();
}

static void transfers(const uint8_t *data, size_t size)
{
    struct td_probe_head head;
    if (td_usb_is_message(data, size)) {
        check(size >= sizeof head && size <= TD_PROBE_MAX_BYTES);
        memcpy(&head, data, sizeof head);
        check(head.bytes + sizeof head == size);
    } else
        check(!td_usb_is_notify(data, size));
}

/* Every event takes at least one byte and at most all bytes. Only our request gives RESET. */
static void events(const uint8_t *data, size_t size)
{
    size_t used;
    for (size_t at = 0;; at += used) {
        enum td_functionfs_event event = td_functionfs_take_event(data + at, size - at, &used);
        check(used <= size - at);
        if (used == 0) {
            check(event == TD_FUNCTIONFS_NONE);
            break;
        }
        if (event == TD_FUNCTIONFS_RESET)
            check(data[at] == TD_USB_REQUEST_TYPE && data[at + 1] == TD_USB_REQUEST_RESET &&
                  data[at + 6] == 0 && data[at + 7] == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    /* A copy of the exact size, so that reading past it is seen. */
    uint8_t *copy = malloc(size);
    if (!copy)
        return 0;
    memcpy(copy, data + 1, size - 1);
    if (data[0] & 1)
        events(copy, size - 1);
    else
        transfers(copy, size - 1);
    free(copy);
    return 0;
}
