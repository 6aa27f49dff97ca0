/* What the host reads from a kernel's ELF. The ELF is cross-compiled from kernels/image.c; without a
 * cross-compiler the tests that need it are skipped. */
#include "host/device/image/image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define ELF TD_BINARY_DIR "/tests/device_kernels/image.elf"

static struct td_image *open_elf(void)
{
    if (access(ELF, R_OK) != 0) {
        print_message("skipped: no cross-compiled %s\n", ELF);
        skip();
    }
    struct td_err err = {0};
    struct td_image *image = td_image_open(ELF, &err);
    if (!image)
        fail_msg("%s", err.text);
    return image;
}

static void sites_are_read_with_the_functions_that_they_are_in(void **state)
{
    struct td_image *image = open_elf();
    assert_int_equal(td_image_site_count(image), 3);
    int seen = 0;
    for (uint32_t id = 0; id < 3; id++) {
        const struct td_site *site = td_image_site(image, id);
        assert_non_null(site);
        assert_string_equal(site->file, "kernels/image.c");
        assert_int_equal(site->line, 42);
        assert_int_equal(site->color, 0x123456);
        seen |= 1 << site->kind;
        if (site->kind == TD_SITE_WAIT) {
            assert_string_equal(site->function, "inlined_here");
            assert_string_equal(site->name, "inlined_here");
        } else {
            assert_string_equal(site->function, "outer");
            assert_string_equal(site->name, site->kind == TD_SITE_LOG ? "n=%d at %s" : "outer zone");
        }
    }
    assert_int_equal(seen, 1 << TD_SITE_ZONE | 1 << TD_SITE_WAIT | 1 << TD_SITE_LOG);
    assert_null(td_image_site(image, 3));
    assert_null(td_image_site(image, UINT32_MAX));
    td_image_close(image);
}

static void table_build_id_entry_and_segments_are_read(void **state)
{
    struct td_image *image = open_elf();
    assert_int_equal(td_image_table(image)[TD_IMAGE_version], 1);
    assert_int_equal(td_image_table(image)[TD_IMAGE_core], 2);
    assert_int_not_equal(td_image_build_id(image), 0);
    assert_int_equal(td_image_entry(image), 0x20000);
    int local = 0;
    for (size_t i = 0; i < td_image_segment_count(image); i++) {
        const struct td_segment *s = td_image_segment(image, i);
        assert_true(s->address >= 0x20000 && s->address < 0x40000);
        local += s->virtual_address == 0xFFB00000;
    }
    assert_int_equal(local, 1);
    td_image_close(image);
}

static void code_addresses_have_symbols_and_offsets(void **state)
{
    struct td_image *image = open_elf();
    uint32_t offset = 99;
    assert_string_equal(td_image_symbol(image, 0x20000, &offset), "_start");
    assert_int_equal(offset, 0);
    assert_string_equal(td_image_symbol(image, 0x20004, &offset), "_start");
    assert_int_equal(offset, 4);
    assert_null(td_image_symbol(image, 0x1fffc, &offset));
    assert_null(td_image_symbol(image, 0x30000, &offset));
    td_image_close(image);
}

static size_t find_text(const struct td_image *image, const char *text)
{
    for (size_t i = 0; i < td_image_segment_count(image); i++) {
        const struct td_segment *s = td_image_segment(image, i);
        const char *at = s->file_bytes ? memmem(s->data, s->file_bytes, text, strlen(text) + 1) : NULL;
        if (at)
            return s->virtual_address + (size_t)(at - (const char *)s->data);
    }
    return 0;
}

static void a_string_argument_is_found_in_the_image(void **state)
{
    struct td_image *image = open_elf();
    uint32_t args[] = {7, (uint32_t)find_text(image, "a constant"), 0x10};
    assert_int_not_equal(args[1], 0);
    assert_string_equal(td_image_string(image, args[1]), "a constant");
    assert_null(td_image_string(image, 0x10));
    char text[64];
    td_image_format(image, "n=%d at %s (%s)", args, 3, text, sizeof text);
    assert_string_equal(text, "n=7 at a constant (<0x10>)");
    td_image_close(image);
}

static void messages_are_formatted_as_printf_would(void **state)
{
    static const struct {
        const char *format;
        uint32_t args[4];
        size_t count;
        const char *text;
    } cases[] = {
        {"plain", {0}, 0, "plain"},
        {"%d %i %u", {(uint32_t)-5, 6, 4000000000u}, 3, "-5 6 4000000000"},
        {"%x %X %o %#x", {255, 255, 8, 255}, 4, "ff FF 10 0xff"},
        {"[%5d|%-5d|%05d|%+d]", {42, 42, 42, 42}, 4, "[   42|42   |00042|+42]"},
        {"%.3f %g", {0x40490fdb, 0x3f000000}, 2, "3.142 0.5"},
        {"%e", {0x3f800000}, 1, "1.000000e+00"},
        {"%a", {0x3f800000}, 1, "0x1p+0"},
        {"100%% %c", {'x'}, 1, "100% x"},
        {"%*d|%-*d|", {4, 1, 4, 2}, 4, "   1|2   |"},
        {"%.*f", {1, 0x40490fdb}, 2, "3.1"},
        {"%ld %lu %hd %hhu", {1, 2, 0x12345, 0x1ff}, 4, "1 2 9029 255"},
        {"%d and %d", {1}, 1, "1 and <?>"},
        {"%p", {0x1234}, 1, "0x1234"},
        {"%s", {0x1234}, 1, "<0x1234>"},
        {"%q %", {1}, 1, "%q %"},
        {"%n", {1}, 1, "%n"},
        {"", {0}, 0, ""},
        {"%*d", {(uint32_t)-4, 7}, 2, "7   "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[100];
        size_t n = td_image_format(NULL, cases[i].format, cases[i].args, cases[i].count, text, sizeof text);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(n, strlen(text));
    }
}

static void formatting_never_overruns(void **state)
{
    static const char pieces[] = "%d%s%5.3x%-*c%.9999f%99999d%%%lu%#+- 0Lg%.*s%hhn%e ab";
    uint32_t seed = 5, args[8];
    for (int round = 0; round < 20000; round++) {
        char format[40], *out;
        size_t n = (size_t)rand_r(&seed) % (sizeof format - 1), room = (size_t)rand_r(&seed) % 60 + 1;
        for (size_t i = 0; i < n; i++)
            format[i] = pieces[(size_t)rand_r(&seed) % (sizeof pieces - 1)];
        format[n] = 0;
        for (int i = 0; i < 8; i++)
            args[i] = (uint32_t)rand_r(&seed) << (rand_r(&seed) % 2);
        out = malloc(room);
        assert_non_null(out);
        assert_true(td_image_format(NULL, format, args, (size_t)rand_r(&seed) % 9, out, room) < room);
        free(out);
    }
}

static void what_is_no_rv32_program_is_refused(void **state)
{
    struct td_err err = {0};
    assert_null(td_image_open("/nonexistent.elf", &err));
    assert_int_equal(err.code, TD_E_NOTFOUND);
    err = (struct td_err){0};
    assert_null(td_image_open("/proc/self/exe", &err)); /* an ELF, of another machine */
    assert_int_equal(err.code, TD_E_FORMAT);
    err = (struct td_err){0};
    assert_null(td_image_open(TD_SOURCE_DIR "/LICENSE", &err));
    assert_int_equal(err.code, TD_E_FORMAT);
    err = (struct td_err){0};
    assert_null(td_image_open("/tmp", &err));
    assert_int_equal(err.code, TD_E_FORMAT);
}

static char *slurp(const char *path, size_t *size)
{
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    char *bytes = malloc(1 << 20);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 20, f);
    fclose(f);
    return bytes;
}

static void spill(const char *path, const char *bytes, size_t size)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

static void a_damaged_elf_is_an_error_or_an_image_and_never_a_crash(void **state)
{
    td_image_close(open_elf());
    char path[] = "/tmp/tendril-elf-XXXXXX";
    close(mkstemp(path));
    size_t size;
    char *bytes = slurp(ELF, &size), *copy = malloc(size);
    uint32_t seed = 3;
    assert_non_null(copy);
    for (int round = 0; round < 1500; round++) {
        memcpy(copy, bytes, size);
        size_t keep = round % 3 ? size : (size_t)rand_r(&seed) % size;
        for (int i = rand_r(&seed) % 8; i >= 0 && round % 3; i--)
            copy[(size_t)rand_r(&seed) % (i % 2 ? size : 200)] ^= (char)(1 << rand_r(&seed) % 8);
        if (round % 3 == 2) /* the section headers */
            for (int i = 0; i < 4; i++)
                copy[size - 1 - (size_t)rand_r(&seed) % 1000] = (char)rand_r(&seed);
        spill(path, copy, keep);
        struct td_err err = {0};
        struct td_image *image = td_image_open(path, &err);
        assert_true((image != NULL) == (err.code == 0));
        for (uint32_t id = 0; image && id < td_image_site_count(image) && id < 100; id++) {
            const struct td_site *site = td_image_site(image, id);
            assert_true(!site || strlen(site->name) + strlen(site->file) + strlen(site->function) < size);
        }
        td_image_close(image);
    }
    free(copy);
    free(bytes);
    unlink(path);
}

static void images_are_found_by_build_id_also_when_they_come_later(void **state)
{
    struct td_image *image = open_elf();
    uint64_t id = td_image_build_id(image);
    td_image_close(image);
    char folder[] = "/tmp/tendril-elfs-XXXXXX", below[60], path[100];
    assert_non_null(mkdtemp(folder));
    const char *const folders[] = {"/nonexistent", folder};
    struct td_images *images = td_images_create(folders, 2);
    struct td_err err = {0};
    assert_null(td_images_find(images, id, &err));
    assert_int_equal(err.code, TD_E_NOTFOUND);
    assert_null(td_images_find(images, 0, NULL));
    size_t size;
    char *bytes = slurp(ELF, &size);
    snprintf(below, sizeof below, "%s/kernels", folder);
    snprintf(path, sizeof path, "%s/some.elf", below);
    assert_int_equal(mkdir(below, 0700), 0);
    spill(path, bytes, size);
    const struct td_image *found = td_images_find(images, id, NULL);
    assert_non_null(found);
    assert_int_equal(td_image_build_id(found), id);
    assert_ptr_equal(td_images_find(images, id, NULL), found);
    assert_null(td_images_find(images, id + 1, NULL));
    td_images_destroy(images);
    unlink(path);
    rmdir(below);
    rmdir(folder);
    free(bytes);
}

static void a_build_id_reads_as_other_tools_show_it(void **state)
{
    char text[17];
    td_build_id_text(UINT64_C(0x77665544332211f0), text);
    assert_string_equal(text, "f011223344556677");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sites_are_read_with_the_functions_that_they_are_in),
        cmocka_unit_test(table_build_id_entry_and_segments_are_read),
        cmocka_unit_test(code_addresses_have_symbols_and_offsets),
        cmocka_unit_test(a_string_argument_is_found_in_the_image),
        cmocka_unit_test(messages_are_formatted_as_printf_would),
        cmocka_unit_test(formatting_never_overruns),
        cmocka_unit_test(what_is_no_rv32_program_is_refused),
        cmocka_unit_test(a_damaged_elf_is_an_error_or_an_image_and_never_a_crash),
        cmocka_unit_test(images_are_found_by_build_id_also_when_they_come_later),
        cmocka_unit_test(a_build_id_reads_as_other_tools_show_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
