/* Runs a fuzz target as a test: over the seeds in the folders and files that are given, over damaged copies
 * of them and over random bytes; the same each time. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_BYTES (1 << 18)
#define DAMAGED   200 /* copies of a seed */

static uint8_t bytes[MAX_BYTES], copy[MAX_BYTES];
static uint32_t seed = 1;

static size_t draw(size_t below)
{
    return below ? (size_t)rand_r(&seed) % below : 0;
}

static void run_damaged(size_t size)
{
    size_t n = size;
    memcpy(copy, bytes, size);
    for (size_t i = 1 + draw(8); i-- && n;) {
        size_t at = draw(n);
        switch (draw(4)) {
        case 0:
            copy[at] ^= (uint8_t)(1 << draw(8));
            break;
        case 1:
            copy[at] = (uint8_t)draw(256);
            break;
        case 2:
            n = at;
            break;
        default:
            memmove(copy + at, copy + draw(at + 1), n - at < 16 ? n - at : 16);
        }
    }
    LLVMFuzzerTestOneInput(copy, n);
}

static int run_file(const char *path)
{
    FILE *f = fopen(path, "r");
    if (!f)
        return 0;
    size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    LLVMFuzzerTestOneInput(bytes, size);
    for (int i = 0; i < DAMAGED; i++)
        run_damaged(size);
    return 1;
}

static int run_path(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0 || S_ISREG(st.st_mode))
        return run_file(path);
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort), files = 0;
    for (int i = 0; i < count; i++) {
        char file[4096];
        snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name);
        files += entries[i]->d_name[0] != '.' && run_file(file);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return files;
}

int main(int argc, char **argv)
{
    int files = 0;
    for (int i = 1; i < argc; i++)
        files += run_path(argv[i]);
    for (int i = 0; i < 500; i++) {
        size_t size = draw(2000);
        for (size_t k = 0; k < size; k++)
            bytes[k] = (uint8_t)draw(256);
        LLVMFuzzerTestOneInput(bytes, size);
    }
    printf("%d seeds, each with %d damaged copies\n", files, DAMAGED);
    return files ? 0 : 1;
}
