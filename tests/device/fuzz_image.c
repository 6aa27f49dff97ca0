/* Any bytes as a kernel's ELF: an error with a message, or an image of which every part can be read. */
#include "host/device/image/image.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct td_image *image)
{
    uint32_t args[3] = {1, 0x20000, 0xffffffff}, offset;
    char text[64];
    for (uint32_t id = 0; id < 64; id++) {
        const struct td_site *site = td_image_site(image, id);
        if (!site)
            continue;
        if (!site->name || !site->file || !site->function)
            abort();
        td_image_format(image, site->name, args, 3, text, sizeof text);
        if (strlen(text) >= sizeof text)
            abort();
    }
    for (uint32_t address = 0; address < 0x100000; address += 0x7ffc) {
        td_image_symbol(image, address, &offset);
        td_image_string(image, address);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int fd = memfd_create("elf", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct td_err err = {0};
    struct td_image *image = td_image_open(path, &err);
    if (!image && !err.text[0])
        abort();
    if (image)
        ask(image);
    td_image_close(image);
    close(fd);
    return 0;
}
