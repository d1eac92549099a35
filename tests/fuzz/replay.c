/* Gives every file of a corpus to the fuzz target it is linked with: one named TAP subtest a
 * file. */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* what libFuzzer reads at most by default is far below this */
#define FILE_MAX_BYTES (16U << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *dir, const char *name, unsigned int n)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(FILE_MAX_BYTES);
    if (file == NULL || data == NULL) {
        printf("not ok %u - %s # %s\n", n, name, strerror(errno));
        if (file != NULL)
            fclose(file);
        free(data);
        return 1;
    }
    const size_t size = fread(data, 1, FILE_MAX_BYTES, file);
    fclose(file);
    /* an allocation of exactly this size, so that AddressSanitizer sees a read behind the end */
    uint8_t *exact = malloc(size > 0 ? size : 1);
    if (exact != NULL) {
        memcpy(exact, data, size);
        LLVMFuzzerTestOneInput(exact, size);
    }
    free(exact);
    free(data);
    printf("ok %u - %s\n", n, name);
    fflush(stdout);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: replay FOLDER\n", stderr);
        return 1;
    }
    struct dirent **entries;
    const int entries_n = scandir(argv[1], &entries, NULL, alphasort);
    if (entries_n < 0) {
        fprintf(stderr, "%s: %s\n", argv[1], strerror(errno));
        return 1;
    }
    unsigned int n = 0;
    int failed = 0;
    for (int i = 0; i < entries_n; i++) {
        if (entries[i]->d_name[0] != '.')
            failed |= replay(argv[1], entries[i]->d_name, ++n);
        free(entries[i]);
    }
    free(entries);
    printf("1..%u\n", n);
    if (n == 0) {
        fprintf(stderr, "%s: an empty corpus tests nothing\n", argv[1]);
        return 1;
    }
    return failed;
}
