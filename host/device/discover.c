#include "host/base/err.h"
#include "host/device/discover.h"
#include "host/base/debug_log.h"
#include "host/base/grow.h"
#include "host/base/path.h"
#include "host/transport/link/usb.h"
#include "host/transport/sim/shm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_PROBES = 16 };

struct look {
    const struct td_board *boards;
    size_t board_count;
    int (*seen)(void *self, const struct td_discovered *present);
    void *self;
    const char *sysfs;
};

static int report(const struct look *l, const struct td_discovered *p)
{
    td_debug(board, "seen: %s, %s%s%s%s%s", p->where, p->what, p->boards[0] ? ", can be " : "", p->boards,
             p->why_not[0] ? "; cannot be opened: " : "", p->why_not);
    return l->seen(l->self, p);
}

static int read_id(const char *folder, const char *name, uint32_t *value)
{
    char path[600], text[32];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    const int error = errno;
    if (fd >= 0)
        close(fd);
    errno = n ? error : ENOENT;
    if (n <= 0)
        return TD_E_IO;
    text[n] = 0;
    *value = (uint32_t)strtoul(text, NULL, 0);
    return 0;
}

static void add_name(char *names, size_t bytes, const char *name)
{
    size_t used = strlen(names);
    snprintf(names + used, bytes - used, "%s%s", used ? "," : "", name);
}

/* Names of the boards with this PCI id that `transport` reaches; how many there are. */
static int boards_of_id(const struct look *l, uint32_t vendor, uint32_t device, const char *transport,
                        char *names, size_t bytes)
{
    int found = 0;
    names[0] = 0;
    for (size_t i = 0; i < l->board_count; i++) {
        const struct td_board *b = &l->boards[i];
        if (!td_board_has_pci_id(b, vendor, device) || !td_board_has_transport(b, transport))
            continue;
        found++;
        if (!b->simulated) /* the memory of the device contains the description of the simulated board */
            add_name(names, bytes, b->name);
    }
    return found;
}

static void driver_of(const char *folder, char *name, size_t bytes)
{
    char path[600], target[300];
    snprintf(path, sizeof path, "%s/driver", folder);
    ssize_t n = readlink(path, target, sizeof target - 1);
    target[n > 0 ? n : 0] = 0;
    const char *slash = strrchr(target, '/');
    snprintf(name, bytes, "%.60s", slash ? slash + 1 : target);
}

static int look_at_pci(const struct look *l, const char *devices, const char *address)
{
    struct td_discovered p = {0};
    char folder[500], driver[64];
    uint32_t vendor, device;
    snprintf(folder, sizeof folder, "%.400s/%.40s", devices, address);
    if (read_id(folder, "vendor", &vendor) || read_id(folder, "device", &device)) {
        if (td_folder_error(errno) == 0)
            return 0;
        snprintf(p.where, sizeof p.where, "pci:%.40s", address);
        snprintf(p.what, sizeof p.what, "PCI device");
        snprintf(p.why_not, sizeof p.why_not, "its ids cannot be read: %s", strerror(errno));
        return report(l, &p);
    }
    if (!boards_of_id(l, vendor, device, "pci", p.boards, sizeof p.boards))
        return 0;
    driver_of(folder, driver, sizeof driver);
    int is_vfio = strcmp(driver, "vfio-pci") == 0;
    snprintf(p.where, sizeof p.where, "pci:%.40s%s", address, is_vfio ? "/vfio" : "");
    snprintf(p.what, sizeof p.what, "PCI device %04x:%04x%s%s%s", vendor, device,
             p.boards[0] ? "" : ", memory of a simulated board", driver[0] ? ", driver " : "", driver);
    if (strcmp(driver, "tenstorrent") == 0)
        snprintf(p.why_not, sizeof p.why_not, "the vendor's driver has it; use tenstorrent:N");
    return report(l, &p);
}

/* Calls `at` with each name in a folder, in order. */
static int each_name(const struct look *l, const char *folder,
                     int (*at)(const struct look *l, const char *folder, const char *name))
{
    struct dirent **names;
    int count = scandir(folder, &names, NULL, versionsort), rc = count < 0 ? td_folder_error(errno) : 0;
    for (int i = 0; i < count; i++) {
        if (rc == 0 && names[i]->d_name[0] != '.')
            rc = at(l, folder, names[i]->d_name);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
    return rc;
}

static int look_at_card(const struct look *l, const char *folder, const char *number)
{
    struct td_discovered p = {0};
    char device_folder[500], path[500];
    uint32_t vendor = 0, device = 0;
    if (number[strspn(number, "0123456789")])
        return 0;
    snprintf(device_folder, sizeof device_folder, "%s/class/tenstorrent/tenstorrent!%.20s/device", l->sysfs,
             number);
    snprintf(path, sizeof path, "%.400s/%.20s", folder, number);
    snprintf(p.where, sizeof p.where, "tenstorrent:%.20s", number);
    if (read_id(device_folder, "vendor", &vendor) || read_id(device_folder, "device", &device))
        snprintf(p.what, sizeof p.what, "card of the vendor's driver, of unknown kind");
    else
        snprintf(p.what, sizeof p.what, "card of the vendor's driver, %04x:%04x", vendor, device);
    if (!boards_of_id(l, vendor, device, "tenstorrent", p.boards, sizeof p.boards) && vendor)
        snprintf(p.why_not, sizeof p.why_not, "no description of a board names %04x:%04x", vendor, device);
    if (access(path, R_OK | W_OK))
        snprintf(p.why_not, sizeof p.why_not, "%.200s: %s", path, strerror(errno));
    return report(l, &p);
}

/* A simulator's file contains its board. Skips files whose simulator has ended, files of other kinds, and
 * anything that is not a regular file: another user's link to a device would act when it is opened. */
static int look_at_file(const struct look *l, const char *path)
{
    struct td_discovered p = {0};
    struct td_err err = {0};
    struct stat st;
    if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return 0;
    struct td_transport *t = td_shm_open_own(path, &err);
    if (!t && (err.code == TD_E_NOTFOUND || err.code == TD_E_FORMAT))
        return 0;
    struct td_board *b = t ? malloc(sizeof *b) : NULL;
    snprintf(p.where, sizeof p.where, "shm:%.290s", path);
    if (b && td_board_of_transport(b, t, &err) == 0) {
        snprintf(p.boards, sizeof p.boards, "%s", b->name);
        snprintf(p.what, sizeof p.what, "simulator, %u chip%s of %ux%u tiles", b->chips,
                 b->chips > 1 ? "s" : "", b->grid_width, b->grid_height);
    } else {
        snprintf(p.what, sizeof p.what, "file of a simulator");
        snprintf(p.why_not, sizeof p.why_not, "%.290s", err.text);
    }
    free(b);
    td_transport_close(t);
    return report(l, &p);
}

struct file_paths {
    char **list;
    size_t count, room;
};

static int add_path(void *self, const char *path)
{
    struct file_paths *paths = self;
    for (size_t i = 0; i < paths->count; i++)
        if (strcmp(paths->list[i], path) == 0)
            return 0;
    if (td_grow(&paths->list, &paths->room, paths->count + 1, sizeof *paths->list))
        return TD_E_NOMEM;
    char *own = strdup(path);
    if (own)
        paths->list[paths->count++] = own;
    return own ? 0 : TD_E_NOMEM;
}

/* Folders may lie in each other: each file counts once. */
static int look_for_files(const struct look *l, const char *const *folders)
{
    struct file_paths paths = {0};
    int rc = 0;
    for (; *folders && rc == 0; folders++)
        rc = td_files_below(*folders, ".bar", add_path, &paths);
    for (size_t i = 0; i < paths.count; i++) {
        rc = rc ? rc : look_at_file(l, paths.list[i]);
        free(paths.list[i]);
    }
    free(paths.list);
    return rc;
}

static int look_for_probes(const struct look *l)
{
    struct td_usb_seen probes[MAX_PROBES];
    int count = td_usb_list(probes, MAX_PROBES, NULL), rc = 0;
    for (int i = 0; i < count && rc == 0; i++) {
        struct td_discovered p = {0};
        snprintf(p.where, sizeof p.where, "usb:%.127s", probes[i].serial);
        snprintf(p.what, sizeof p.what, "probe at %.63s", probes[i].place);
        if (probes[i].why_not)
            snprintf(p.why_not, sizeof p.why_not, "%.290s", probes[i].why_not);
        rc = report(l, &p);
    }
    return rc;
}

int td_discover_each(const struct td_discover_roots *roots, const struct td_board *boards, size_t board_count,
                     int (*seen)(void *self, const struct td_discovered *present), void *self)
{
    const char *temporary = getenv("TMPDIR");
    const char *const usual[] = {"/dev/shm", "/tmp",
                                 temporary && strcmp(temporary, "/tmp") != 0 ? temporary : NULL, NULL};
    const char *const *folders = roots->folders ? roots->folders : usual;
    struct look l = {boards, board_count, seen, self, roots->sysfs ? roots->sysfs : "/sys"};
    char devices[500];
    int rc = look_for_files(&l, folders);
    if (rc == 0)
        rc = each_name(&l, roots->tenstorrent ? roots->tenstorrent : "/dev/tenstorrent", look_at_card);
    snprintf(devices, sizeof devices, "%s/bus/pci/devices", l.sysfs);
    rc = rc ? rc : each_name(&l, devices, look_at_pci);
    return rc || roots->no_usb ? rc : look_for_probes(&l);
}
