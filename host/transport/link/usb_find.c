#include "host/transport/link/usb_find.h"
#include "host/base/clock.h"
#include "host/base/debug_log.h"
#include "proto/probe/usb.h"

#include <stdio.h>
#include <string.h>

#define RESCAN_MS 200 /* if libusb does not report new devices */
#define MAX_SEEN  32

static const char not_permitted[] = "no permission to open it (docs/usb.md has a rule for udev)";
static const char other_version[] = "it speaks another version of the protocol";
static const char no_endpoints[] = "its interface lacks endpoints";
static const char not_readable[] = "it does not answer";

/* One look at all devices. */
struct scan {
    libusb_context *context;
    const char *wanted; /* serial number, or NULL */
    struct td_usb_seen *seen;
    int count, room;
    struct td_usb_found *found; /* NULL: only look */
};

static const struct libusb_interface_descriptor *
probe_interface(const struct libusb_config_descriptor *config)
{
    for (int i = 0; i < config->bNumInterfaces; i++)
        for (int k = 0; k < config->interface[i].num_altsetting; k++) {
            const struct libusb_interface_descriptor *d = &config->interface[i].altsetting[k];
            if (d->bInterfaceClass == TD_USB_CLASS && d->bInterfaceSubClass == TD_USB_SUBCLASS &&
                d->bAlternateSetting == 0)
                return d;
        }
    return NULL;
}

static void take_endpoints(const struct libusb_interface_descriptor *d, struct td_usb_found *found)
{
    found->interface = d->bInterfaceNumber;
    for (int i = 0; i < d->bNumEndpoints; i++) {
        uint8_t address = d->endpoint[i].bEndpointAddress, type = d->endpoint[i].bmAttributes & 3;
        int in = (address & LIBUSB_ENDPOINT_IN) != 0;
        if (type == LIBUSB_TRANSFER_TYPE_BULK && in && !found->in)
            found->in = address;
        else if (type == LIBUSB_TRANSFER_TYPE_BULK && !in && !found->out)
            found->out = address;
        else if (type == LIBUSB_TRANSFER_TYPE_INTERRUPT && in && !found->notify) {
            found->notify = address;
            found->notify_packet = d->endpoint[i].wMaxPacketSize & 0x7ff;
        }
    }
}

/* Reads the strings that distinguish a probe from other devices of its class. 1: it is a probe, or may be
 * one. */
static int examine_device(libusb_device *device, const struct libusb_interface_descriptor *d,
                          struct td_usb_found *found)
{
    struct libusb_device_descriptor about;
    unsigned char name[64];
    struct td_usb_seen *seen = &found->seen;
    int rc = libusb_open(device, &found->handle);
    if (rc == LIBUSB_ERROR_NO_DEVICE || rc == LIBUSB_ERROR_NOT_FOUND)
        return 0;
    if (rc < 0) {
        found->handle = NULL;
        seen->why_not = rc == LIBUSB_ERROR_ACCESS ? not_permitted : libusb_strerror(rc);
        return 1;
    }
    rc = libusb_get_string_descriptor_ascii(found->handle, d->iInterface, name, sizeof name);
    if (rc == LIBUSB_ERROR_NO_DEVICE || (rc >= 0 && strcmp((char *)name, TD_USB_INTERFACE_NAME) != 0))
        return 0;
    if (rc < 0 || libusb_get_device_descriptor(device, &about) < 0 ||
        libusb_get_string_descriptor_ascii(found->handle, about.iSerialNumber, (unsigned char *)seen->serial,
                                           sizeof seen->serial) < 0) {
        seen->serial[0] = 0;
        seen->why_not = not_readable;
    } else if (d->bInterfaceProtocol != TD_USB_PROTOCOL)
        seen->why_not = other_version;
    else if (!found->in || !found->out)
        seen->why_not = no_endpoints;
    for (char *c = seen->serial; *c; c++)
        *c = *c < ' ' || *c > '~' ? '?' : *c;
    return 1;
}

static void scan_device(struct scan *s, libusb_device *device)
{
    struct libusb_config_descriptor *config;
    if (libusb_get_active_config_descriptor(device, &config) < 0)
        return;
    const struct libusb_interface_descriptor *d = probe_interface(config);
    struct td_usb_found found = {.context = s->context};
    if (d) {
        snprintf(found.seen.place, sizeof found.seen.place, "/dev/bus/usb/%03u/%03u",
                 libusb_get_bus_number(device), libusb_get_device_address(device));
        take_endpoints(d, &found);
        /* A probe whose serial number cannot be read may be the wanted one: if that is not found, report
         * it. */
        const int is_probe = examine_device(device, d, &found);
        td_debug(usb, "%s: %s, serial number '%s'%s%s", found.seen.place,
                 is_probe ? "a probe" : "another device of its class", found.seen.serial,
                 found.seen.why_not ? ": " : "", found.seen.why_not ? found.seen.why_not : "");
        if (is_probe && s->count < s->room &&
            (!s->wanted || !found.seen.serial[0] || strcmp(s->wanted, found.seen.serial) == 0)) {
            s->seen[s->count++] = found.seen;
            if (s->found && !s->found->handle && !found.seen.why_not) {
                *s->found = found;
                found.handle = NULL;
            }
        }
    }
    if (found.handle)
        libusb_close(found.handle);
    libusb_free_config_descriptor(config);
}

/* Looks at the devices that are plugged in now. Needs a new context, which sees devices that were not
 * reported. */
static void scan(struct scan *s)
{
    libusb_device **devices;
    ssize_t count = libusb_get_device_list(s->context, &devices);
    for (ssize_t i = 0; i < count; i++)
        scan_device(s, devices[i]);
    if (count >= 0)
        libusb_free_device_list(devices, 1);
}

static int new_context(libusb_context **context)
{
    *context = NULL;
    int rc = libusb_init(context);
    return rc == LIBUSB_ERROR_NO_MEM ? TD_E_NOMEM : rc < 0 ? TD_E_NOTFOUND : TD_OK;
}

/* 0: exactly one usable probe was found; else the error. */
static int judge(const struct scan *s, struct td_err *err)
{
    char names[256] = "";
    int usable = 0;
    for (int i = 0; i < s->count; i++) {
        const struct td_usb_seen *one = &s->seen[i];
        size_t used = strlen(names);
        usable += !one->why_not;
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                 one->serial[0] ? one->serial : one->place);
    }
    const struct td_usb_seen *first = s->seen;
    const char *who = first->serial[0] ? first->serial : first->place;
    if (usable == 1 && (s->wanted || s->count == 1))
        return TD_OK;
    if (s->wanted && usable > 1)
        return td_fail(err, TD_E_USAGE, "%d probes on USB have the serial number %s; unplug all but one",
                       usable, s->wanted);
    if (s->count > 1 && !s->wanted)
        return td_fail(err, TD_E_USAGE, "%d probes are on USB: %s; name one by its serial number, usb:SERIAL",
                       s->count, names);
    if (s->count >= 1)
        return td_fail(err, first->why_not == other_version ? TD_E_VERSION : TD_E_IO,
                       "cannot use the USB probe %s: %s", who, first->why_not);
    if (s->wanted)
        return td_fail(err, TD_E_NOTFOUND, "no probe with the serial number %s is on USB", s->wanted);
    return td_fail(err, TD_E_NOTFOUND, "no probe is on USB");
}

static int LIBUSB_CALL on_arrival(libusb_context *context, libusb_device *device, libusb_hotplug_event event,
                                  void *self)
{
    *(int *)self = 1;
    return 0;
}

/* Waits until libusb reports a new device, at most timeout_ms. */
static void wait_for_arrival(libusb_context *context, int timeout_ms)
{
    struct timeval time = {0, timeout_ms * 1000};
    int arrived = 0;
    if (!context || !libusb_has_capability(LIBUSB_CAP_HAS_HOTPLUG) ||
        libusb_hotplug_register_callback(context, LIBUSB_HOTPLUG_EVENT_DEVICE_ARRIVED, 0,
                                         LIBUSB_HOTPLUG_MATCH_ANY, LIBUSB_HOTPLUG_MATCH_ANY,
                                         LIBUSB_HOTPLUG_MATCH_ANY, on_arrival, &arrived, NULL) < 0) {
        nanosleep(&(struct timespec){0, timeout_ms * 1000000L}, NULL);
        return;
    }
    libusb_handle_events_timeout_completed(context, &time, &arrived);
}

int td_usb_find(const char *serial, int wait_ms, struct td_usb_found *found, struct td_err *err)
{
    int64_t until = td_mono_ns() + (int64_t)wait_ms * 1000000;
    struct td_usb_seen seen[MAX_SEEN];
    for (;;) {
        struct scan s = {.wanted = serial && serial[0] ? serial : NULL, .seen = seen, .room = MAX_SEEN};
        struct td_err why = {0};
        *found = (struct td_usb_found){0};
        s.found = found;
        int rc = new_context(&s.context);
        if (rc == TD_E_NOMEM)
            return td_fail_no_memory(err, NULL);
        if (rc)
            td_fail(&why, rc, "no probe is on USB: this machine has no USB, or it cannot be used");
        else {
            scan(&s);
            rc = judge(&s, &why);
            td_debug(usb, "looked for %s: %s", s.wanted ? s.wanted : "the only probe",
                     rc ? why.text : "found");
            if (rc == TD_OK)
                return rc;
        }
        /* A device that was just plugged in may not be readable yet. Only several probes, or one of
         * another version, are final. */
        int final = rc == TD_E_USAGE || rc == TD_E_VERSION;
        int64_t left_ms = (until - td_mono_ns()) / 1000000;
        if (!final && left_ms > 0)
            wait_for_arrival(s.context, left_ms < RESCAN_MS ? (int)left_ms + 1 : RESCAN_MS);
        found->context = s.context;
        td_usb_found_close(found);
        if (final || left_ms <= 0)
            return td_fail(err, why.code, "%s", why.text);
    }
}

void td_usb_found_close(struct td_usb_found *found)
{
    if (found->handle)
        libusb_close(found->handle);
    if (found->context)
        libusb_exit(found->context);
    found->handle = NULL;
    found->context = NULL;
}

int td_usb_list(struct td_usb_seen *seen, int room, struct td_err *err)
{
    struct scan s = {.seen = seen, .room = room};
    int rc = new_context(&s.context);
    if (rc == TD_E_NOMEM)
        return td_fail_no_memory(err, NULL);
    if (rc)
        return 0;
    scan(&s);
    libusb_exit(s.context);
    return s.count;
}
