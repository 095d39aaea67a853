/* A target without libFuzzer: replay_NAME [--mutate N] [--keep FILE] PATH... runs the target on every file below each PATH, and
 * on N changed copies of each (the same ones every time). --keep writes every input to FILE before it is tried: after a crash,
 * FILE is the input that caused it. */
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

enum { MAX_BYTES = 1 << 20 };

static uint64_t random_state;

static uint32_t next_random(void) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33);
}

/* A few bytes changed, a piece cut out or doubled. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t n_max) {
    static const uint8_t special[] = {0, 1, 2, 0x7f, 0x80, 0xff, 0x0a, 0x12};
    size_t at = n ? next_random() % n : 0, length = next_random() % 16;
    if (length > n - at) length = n - at;
    switch (next_random() % 8) {
    case 0: return at;
    case 1: memmove(data + at, data + at + length, n - at - length); return n - length;
    case 2:
        if (length == 0) length = 1;
        if (n + length > n_max) return n;
        memmove(data + at + length, data + at, n - at);
        for (size_t i = 0; i < length && n == 0; i++) data[i] = (uint8_t)next_random();
        return n + length;
    default:
        for (uint32_t count = n ? 1 + next_random() % 3 : 0; count > 0; count--) {
            at = next_random() % n;
            data[at] = next_random() % 2 ? special[next_random() % 8] : (uint8_t)(data[at] ^ 1 << next_random() % 8);
        }
        return n;
    }
}

#pragma weak LLVMFuzzerCustomMutator /* not every target has one */

typedef struct settings {
    unsigned long n_mutations;
    const char *keep;
    size_t n_files, n_inputs;
} settings;

/* In a block of the exact size, so that sanitizers see reads beyond it. */
static void run(settings *s, const uint8_t *data, size_t n) {
    uint8_t *exact = malloc(n ? n : 1);
    if (!exact) abort();
    if (n) memcpy(exact, data, n);
    FILE *file = s->keep ? fopen(s->keep, "wb") : NULL;
    if (file) {
        fwrite(exact, 1, n, file);
        fclose(file);
    }
    LLVMFuzzerTestOneInput(exact, n);
    free(exact);
    s->n_inputs++;
}

static void run_file(settings *s, const char *path) {
    static uint8_t original[MAX_BYTES], changed[MAX_BYTES];
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(2);
    }
    size_t n = fread(original, 1, sizeof original, file);
    fclose(file);
    s->n_files++;
    if (getenv("OB_FUZZ_VERBOSE")) fprintf(stderr, "%s\n", path);
    run(s, original, n);
    uint64_t seed = fuzz_hash(original, n);
    for (unsigned long i = 0; i < s->n_mutations; i++) {
        random_state = seed + i;
        memcpy(changed, original, n);
        size_t n_max = n + 1024 < MAX_BYTES ? n + 1024 : MAX_BYTES;
        size_t n_changed = LLVMFuzzerCustomMutator ? LLVMFuzzerCustomMutator(changed, n, n_max, (unsigned)(seed + i))
                                                   : LLVMFuzzerMutate(changed, n, n_max);
        run(s, changed, n_changed);
    }
}

static void run_path(settings *s, const char *path) {
    DIR *folder = opendir(path);
    if (!folder) {
        run_file(s, path);
        return;
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        char inner[4096];
        if (entry->d_name[0] == '.') continue;
        if (snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name) < (int)sizeof inner) run_path(s, inner);
    }
    closedir(folder);
}

int main(int argc, char **argv) {
    settings s = {0};
    int i = 1;
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        if (strcmp(argv[i], "--mutate") == 0) s.n_mutations = strtoul(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--keep") == 0) s.keep = argv[i + 1];
    }
    if (i >= argc) {
        fprintf(stderr, "usage: %s [--mutate N] [--keep FILE] PATH...\n", argv[0]);
        return 2;
    }
    for (; i < argc; i++) run_path(&s, argv[i]);
    printf("%zu files, %zu inputs\n", s.n_files, s.n_inputs);
    return 0;
}
