#include "host/tools/version.h"
#include "host/disasm/disasm.h"
#include "host/wire/releases.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <capstone/capstone.h>
#include <cjson/cJSON.h>
#include <elfutils/libdwfl.h>
#include <libusb.h>
#include <lz4.h>
#include <pcre2.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <zlib.h>
#include <zstd.h>

static void print_library(const char *name, const char *version)
{
    printf("  %-12s %s\n", name, version);
}

static void print_numbers(const char *name, unsigned major, unsigned minor, unsigned patch)
{
    char text[48];
    snprintf(text, sizeof text, "%u.%u.%u", major, minor, patch);
    print_library(name, text);
}

/* As they are loaded, which may be others than at build time. */
static void print_libraries(void)
{
    char text[64] = "";
    int major = 0, minor = 0;
    puts("libraries");
    cs_version(&major, &minor);
    snprintf(text, sizeof text, "%d.%d", major, minor);
    print_library("capstone", text);
    print_library("cJSON", cJSON_Version());
    print_library("elfutils", dwfl_version(NULL));
    const struct libusb_version *usb = libusb_get_version();
    print_numbers("libusb", usb->major, usb->minor, usb->micro);
    print_library("lz4", LZ4_versionString());
    if (pcre2_config(PCRE2_CONFIG_VERSION, NULL) < (int)sizeof text &&
        pcre2_config(PCRE2_CONFIG_VERSION, text) > 0)
        print_library("pcre2", text);
    print_library("zlib", zlibVersion());
    print_library("zstd", ZSTD_versionString());
}

static void print_features(void)
{
    struct td_err err = {0};
    struct td_disasm *riscv = td_disasm_open(&(struct td_disasm_options){.arch = TD_CODE_RISCV32}, &err);
    const char *missing = riscv ? td_disasm_missing(riscv) : err.text;
#ifdef TD_HAVE_VIEWER
    const char *viewer = "built in: tendril-view --version has its libraries";
#else
    const char *viewer = "left out (TD_BUILD_VIEWER)";
#endif
    puts("features");
    print_library("viewer", viewer);
    print_library("RISC-V code", missing ? missing : "is decoded");
    td_disasm_close(riscv);
}

void td_print_version(bool verbose)
{
    struct utsname system;
    const struct td_wire_release *release;
    printf("tendril " TD_VERSION "\n");
    if (!verbose)
        return;
    if (uname(&system) == 0)
        printf("host           %s %s, %s\n", system.sysname, system.release, system.machine);
    print_features();
    print_libraries();
    puts("releases of Tracy, of programs and recorders, by protocol");
    for (size_t i = 0; (release = td_wire_release_at(i)); i++)
        printf("  %-12u %s\n", release->protocol, release->tracy);
}
