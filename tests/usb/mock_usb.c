#include "tests/usb/mock_usb.h"

#include "proto/probe/usb.h"

#include <errno.h>
#include <linux/usbdevice_fs.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <umockdev.h>

#define MAX_DEVICES 4
#define MAX_URBS    64

struct ending {
    uint8_t endpoint;
    int status;
    uint8_t *bytes;
    size_t count;
};
struct plugged {
    struct mock_device *device;
    UMockdevIoctlBase *handler;
    struct usbdevfs_urb *flying[MAX_URBS], *finished[MAX_URBS];
    int flying_count, finished_count, hold_out;
    struct ending endings[MAX_URBS]; /* that have no transfer yet */
    int ending_count;
};

static UMockdevTestbed *testbed;
static struct plugged plugged[MAX_DEVICES];
static int plugged_count;
static pthread_mutex_t lock =
    PTHREAD_MUTEX_INITIALIZER; /* requests are answered by a thread of the testbed */

static void must(int ok)
{
    if (!ok)
        abort();
}

static void finish(struct plugged *p, struct usbdevfs_urb *urb, int status, size_t bytes)
{
    urb->status = status;
    urb->actual_length = (int)bytes;
    must(p->finished_count < MAX_URBS);
    p->finished[p->finished_count++] = urb;
}

/* A request on endpoint 0: string descriptors, and the one that begins a session. */
static void control(struct plugged *p, struct usbdevfs_urb *urb)
{
    uint8_t *setup = urb->buffer, *to = setup + 8;
    const char *text[] = {"", p->device->interface_name, p->device->serial};
    size_t room = (size_t)urb->buffer_length - 8, index = setup[2];
    if (setup[0] == TD_USB_REQUEST_TYPE && setup[1] == TD_USB_REQUEST_RESET) {
        p->device->resets++;
        finish(p, urb, p->device->reset_status, 0);
        return;
    }
    if (setup[0] != 0x80 || setup[1] != 6 || setup[3] != 3 || index > 2) {
        finish(p, urb, -EPIPE, 0);
        return;
    }
    uint8_t string[256] = {4, 3, 0x09, 0x04};
    if (index) {
        string[0] = (uint8_t)(2 + 2 * strlen(text[index]));
        for (size_t i = 0; text[index][i]; i++)
            string[2 + 2 * i] = (uint8_t)text[index][i], string[3 + 2 * i] = 0;
    }
    size_t bytes = string[0] < room ? string[0] : room;
    memcpy(to, string, bytes);
    finish(p, urb, 0, bytes);
}

static void drop(struct usbdevfs_urb **list, int *count, int i)
{
    memmove(list + i, list + i + 1, (size_t)(*count - i - 1) * sizeof *list);
    --*count;
}

/* Brings endings and transfers together. */
static void match(struct plugged *p)
{
    for (int e = 0; e < p->ending_count;) {
        struct ending *end = &p->endings[e];
        int i = 0;
        while (i < p->flying_count && p->flying[i]->endpoint != end->endpoint)
            i++;
        if (i == p->flying_count) {
            e++;
            continue;
        }
        struct usbdevfs_urb *urb = p->flying[i];
        size_t bytes = end->count < (size_t)urb->buffer_length ? end->count : (size_t)urb->buffer_length;
        if (end->endpoint & 0x80 && bytes)
            memcpy(urb->buffer, end->bytes, bytes);
        drop(p->flying, &p->flying_count, i);
        finish(p, urb, end->status, bytes);
        free(end->bytes);
        memmove(end, end + 1, (size_t)(--p->ending_count - e) * sizeof *end);
    }
}

static int submit(struct plugged *p, struct usbdevfs_urb *urb)
{
    if (urb->type == USBDEVFS_URB_TYPE_CONTROL) {
        control(p, urb);
        return 0;
    }
    must(p->flying_count < MAX_URBS);
    p->flying[p->flying_count++] = urb;
    match(p);
    if (urb->endpoint == MOCK_OUT)
        p->device->sent = (size_t)urb->buffer_length;
    if (urb->endpoint == MOCK_OUT && !p->hold_out && p->flying_count &&
        p->flying[p->flying_count - 1] == urb) {
        p->flying_count--;
        finish(p, urb, 0, (size_t)urb->buffer_length);
    }
    return 0;
}

static int discard(struct plugged *p, const struct usbdevfs_urb *urb)
{
    for (int i = 0; i < p->flying_count; i++)
        if (p->flying[i] == urb) {
            drop(p->flying, &p->flying_count, i);
            finish(p, (struct usbdevfs_urb *)(uintptr_t)urb, -ENOENT, 0);
            return 0;
        }
    return EINVAL;
}

static int reap(struct plugged *p, void **to)
{
    if (p->finished_count == 0)
        return EAGAIN;
    *to = p->finished[0];
    drop(p->finished, &p->finished_count, 0);
    return 0;
}

/* 0 or an errno; -1: unknown. The client is this process: its pointers are ours. */
static int answer(struct plugged *p, unsigned long request, void *arg)
{
    switch (request) {
    case USBDEVFS_GET_CAPABILITIES:
        *(uint32_t *)arg = USBDEVFS_CAP_BULK_SCATTER_GATHER | USBDEVFS_CAP_BULK_CONTINUATION |
                           USBDEVFS_CAP_NO_PACKET_SIZE_LIM | USBDEVFS_CAP_ZERO_PACKET |
                           USBDEVFS_CAP_REAP_AFTER_DISCONNECT;
        return 0;
    case USBDEVFS_CLAIMINTERFACE:
        p->device->claims++;
        return p->device->claim_errno;
    case USBDEVFS_RELEASEINTERFACE:
        p->device->releases++;
        return 0;
    case USBDEVFS_CLEAR_HALT:
        p->device->halts_cleared[*(unsigned *)arg & 0xff]++;
        return 0;
    case USBDEVFS_SUBMITURB:
        return submit(p, arg);
    case USBDEVFS_REAPURB:
    case USBDEVFS_REAPURBNDELAY:
        return reap(p, arg);
    case USBDEVFS_DISCARDURB:
        return discard(p, arg);
    default:
        return -1;
    }
}

static gboolean on_ioctl(UMockdevIoctlBase *handler, UMockdevIoctlClient *client, struct plugged *p)
{
    UMockdevIoctlData *data = umockdev_ioctl_client_get_arg(client);
    void *arg = *(void **)data->data;
    pthread_mutex_lock(&lock);
    int rc = answer(p, umockdev_ioctl_client_get_request(client), arg);
    pthread_mutex_unlock(&lock);
    if (rc >= 0)
        umockdev_ioctl_client_complete(client, rc ? -1 : 0, rc);
    return rc >= 0;
}

void mock_start(void)
{
    testbed = umockdev_testbed_new();
    must(testbed != NULL);
}

void mock_stop(void)
{
    for (int i = 0; i < plugged_count; i++) {
        struct plugged *p = &plugged[i];
        while (p->ending_count)
            free(p->endings[--p->ending_count].bytes);
        g_object_unref(p->handler);
        *p = (struct plugged){0};
    }
    plugged_count = 0;
    g_object_unref(testbed);
    testbed = NULL;
}

static int number_of(const struct mock_device *d)
{
    for (int i = 0; i < plugged_count; i++)
        if (plugged[i].device == d)
            return i;
    abort();
}

void mock_node(const struct mock_device *d, char *path, size_t room)
{
    char *root = umockdev_testbed_get_root_dir(testbed);
    snprintf(path, room, "%s/dev/bus/usb/001/%03d", root, number_of(d) + 1);
    g_free(root);
}

void mock_plug(struct mock_device *d)
{
    uint8_t bytes[] = {/* device */ 18,
                       1,
                       0x00,
                       0x02,
                       0,
                       0,
                       0,
                       64,
                       0x09,
                       0x12,
                       0x01,
                       0x00,
                       0,
                       1,
                       0,
                       0,
                       2,
                       1,
                       /* configuration */ 9,
                       2,
                       9 + TD_USB_DESCRIPTOR_BYTES,
                       0,
                       1,
                       1,
                       0,
                       0x80,
                       50,
                       TD_USB_FUNCTION(0, 1, 1, 2, 3, TD_USB_PACKET_HIGH, TD_USB_INTERVAL_HIGH)};
    char hex[2 * sizeof bytes + 1], text[1024], node[64];
    must(plugged_count < MAX_DEVICES);
    struct plugged *p = &plugged[plugged_count++];
    p->device = d;
    if (d->version)
        bytes[18 + 9 + 7] = (uint8_t)d->version;
    if (!d->interface_name)
        d->interface_name = TD_USB_INTERFACE_NAME;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
    p->handler = umockdev_ioctl_base_new();
    g_signal_connect_after(p->handler, "handle-ioctl", G_CALLBACK(on_ioctl), p);
    snprintf(node, sizeof node, "/dev/bus/usb/001/%03d", plugged_count);
    must(umockdev_testbed_attach_ioctl(testbed, node, p->handler, NULL));
    snprintf(text, sizeof text,
             "P: /devices/usb%d\nN: bus/usb/001/%03d\nE: SUBSYSTEM=usb\nE: DRIVER=usb\nE: BUSNUM=001\n"
             "E: DEVNUM=%03d\nE: DEVNAME=/dev/bus/usb/001/%03d\nE: DEVTYPE=usb_device\n"
             "A: bConfigurationValue=1\\n\nA: busnum=1\\n\nA: devnum=%d\\n\nA: speed=480\\n\n"
             "H: descriptors=%s\n",
             plugged_count, plugged_count, plugged_count, plugged_count, plugged_count, hex);
    must(umockdev_testbed_add_from_string(testbed, text, NULL));
}

void mock_end(struct mock_device *d, uint8_t endpoint, int status, const void *bytes, size_t count)
{
    struct plugged *p = &plugged[number_of(d)];
    pthread_mutex_lock(&lock);
    must(p->ending_count < MAX_URBS);
    struct ending *end = &p->endings[p->ending_count++];
    *end = (struct ending){.endpoint = endpoint, .status = status, .count = count};
    if (bytes) {
        end->bytes = malloc(count + 1);
        must(end->bytes != NULL);
        memcpy(end->bytes, bytes, count);
    }
    match(p);
    pthread_mutex_unlock(&lock);
}

void mock_hold_out(struct mock_device *d)
{
    plugged[number_of(d)].hold_out = 1;
}
