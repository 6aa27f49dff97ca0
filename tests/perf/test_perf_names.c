/* Names of functions and threads, as the kernel and compilers at run time write them. */
#include "host/perf/functions.h"
#include "host/perf/proc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static const struct td_perf_host host = {.take = malloc, .give = free};

static const char symbols_text[] = "ffffffff81000200 T second\n"
                                   "ffffffff81000000 T first\n"
                                   "ffffffff81000000 t alias_of_first\n"
                                   "ffffffff81000100 D a_variable\n"
                                   "ffffffffc0000000 t in_module\t[a_module]\n"
                                   "ffffffffc0000040 t next_in_module\t[a_module]\n";

static void kernel_functions_are_found_by_address(void **state)
{
    struct td_function found;
    const size_t bytes = sizeof symbols_text - 1;
    for (size_t cut = 0; cut <= bytes; cut++) { /* wherever a piece ends */
        struct td_functions *symbols = td_functions_create(&host, TD_FUNCTIONS_KERNEL);
        assert_true(td_functions_add(symbols, symbols_text, cut));
        assert_true(td_functions_add(symbols, symbols_text + cut, bytes - cut));
        td_functions_sort(symbols);
        assert_int_equal(td_functions_count(symbols), 5);
        assert_true(td_functions_find(symbols, 0xffffffff810001ff, &found));
        assert_string_equal(found.name, "first");
        assert_int_equal(found.bytes, 0x200);
        assert_true(td_functions_find(symbols, 0xffffffffc0000041, &found));
        assert_string_equal(found.name, "next_in_module");
        assert_string_equal(found.module, "a_module");
        assert_true(td_functions_find(symbols, 0xffffffff81000201, &found));
        assert_string_equal(found.module, "");
        assert_false(td_functions_find(symbols, 0xffffffff80ffffff, &found));
        assert_false(td_functions_find(symbols, 0xffffffffffffffff, &found));
        td_functions_destroy(symbols);
    }
}

static void hidden_addresses_are_no_functions(void **state)
{
    static const char hidden[] = "0000000000000000 T first\n0000000000000000 T second\n";
    struct td_functions *symbols = td_functions_create(&host, TD_FUNCTIONS_KERNEL);
    struct td_function found;
    assert_true(td_functions_add(symbols, hidden, sizeof hidden - 1));
    td_functions_sort(symbols);
    assert_int_equal(td_functions_count(symbols), 0);
    assert_false(td_functions_find(symbols, 0xffffffff81000000, &found));
    td_functions_destroy(symbols);
}

/* As LLVM, V8 and perf's own agents write them; memory of a function is used again. */
static void functions_of_jit_code_have_lengths(void **state)
{
    static const char text[] = "7f0000001000 40 Builtin:Add\n0x7f0000001040 0x10 LazyCompile:~f a.js:1:2\n"
                               "7f0000002000 20 old\n7f0000002000 18 new\n7f0000003000 0 empty\n"
                               "7f0000004000 ffffffffffff too long\nno line\n7f0000005000 10\n";
    struct td_function found;
    struct td_functions *functions = td_functions_create(&host, TD_FUNCTIONS_JIT);
    assert_true(td_functions_add(functions, text, sizeof text - 1));
    td_functions_sort(functions);
    assert_int_equal(td_functions_count(functions), 4);
    assert_true(td_functions_find(functions, 0x7f000000103f, &found));
    assert_string_equal(found.name, "Builtin:Add");
    assert_true(found.address == 0x7f0000001000 && found.bytes == 0x40);
    assert_true(td_functions_find(functions, 0x7f0000001040, &found));
    assert_string_equal(found.name, "LazyCompile:~f a.js:1:2");
    assert_false(td_functions_find(functions, 0x7f0000001050, &found));
    assert_true(td_functions_find(functions, 0x7f0000002001, &found));
    assert_string_equal(found.name, "new");
    assert_false(td_functions_find(functions, 0x7f0000002018, &found));
    td_functions_destroy(functions);
}

/* Such files are in a folder where any user writes. */
static void names_of_jit_code_are_of_the_user(void **state)
{
    char path[] = "/tmp/tendril-jit-XXXXXX", link[sizeof path + 8];
    static const char line[] = "1000 20 function\n";
    uint64_t bytes = 0;
    const int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, line, sizeof line - 1) == sizeof line - 1);
    close(fd);
    snprintf(link, sizeof link, "%s-link", path);
    assert_int_equal(symlink(path, link), 0);
    assert_null(td_functions_of_jit(&host, link, getuid(), &bytes));
    if (getuid())
        assert_null(td_functions_of_jit(&host, path, getuid() + 1, &bytes));
    struct td_functions *functions = td_functions_of_jit(&host, path, getuid(), &bytes);
    assert_non_null(functions);
    assert_int_equal(bytes, sizeof line - 1);
    assert_null(td_functions_of_jit(&host, path, getuid(), &bytes)); /* it has not changed */
    assert_null(td_functions_of_jit(&host, "/tmp", getuid(), &bytes));
    td_functions_destroy(functions);
    unlink(link);
    unlink(path);
}

static void a_status_file_has_numbers(void **state)
{
    uint64_t number;
    assert_true(td_proc_status_number("Name:\tx\nTgid:\t42\nNgid:\t0\n", "Tgid", &number));
    assert_int_equal(number, 42);
    assert_false(td_proc_status_number("Name:\tTgid:\nTgid:\tx\n", "Tgid", &number));
    assert_false(td_proc_status_number("", "Tgid", &number));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_functions_are_found_by_address),
        cmocka_unit_test(hidden_addresses_are_no_functions),
        cmocka_unit_test(functions_of_jit_code_have_lengths),
        cmocka_unit_test(names_of_jit_code_are_of_the_user),
        cmocka_unit_test(a_status_file_has_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
