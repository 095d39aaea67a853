#include "definition/answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_file(answers *all, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    long n = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    all->bytes = n > 0 ? malloc((size_t)n) : NULL;
    all->n_bytes = n > 0 ? (size_t)n : 0;
    rewind(file);
    bool ok = all->bytes && fread(all->bytes, 1, all->n_bytes, file) == all->n_bytes;
    fclose(file);
    return ok;
}

/* In the order of the file: by rank, then by sizes, the outermost first. */
static void list_shapes(answers *all) {
    uint16_t n = 0, n_small = 0;
    for (int32_t rank = 0, count = 1; rank <= TABLE_RANK; rank++, count *= SIZES)
        for (int32_t k = 0; k < count; k++, n++) {
            bool is_small = true;
            all->shapes[n].rank = rank;
            for (int32_t axis = rank, rest = k; axis-- > 0; rest /= SIZES) {
                all->shapes[n].at[axis] = (uint8_t)(rest % SIZES);
                is_small &= rest % SIZES < SMALL;
            }
            all->small_of[n] = is_small ? n_small : (uint16_t)NO_SHAPE;
            if (is_small) all->small[n_small++] = n;
        }
}

uint16_t answers_number(int32_t rank, const int64_t *dims) {
    int32_t before = 0, within = 0;
    if (rank < 0 || rank > TABLE_RANK) return NO_SHAPE;
    for (int32_t lower = 0, count = 1; lower < rank; lower++, count *= SIZES) before += count;
    for (int32_t axis = 0; axis < rank; axis++) {
        if (dims[axis] < 0 || dims[axis] >= SIZES) return NO_SHAPE;
        within = within * SIZES + (int32_t)dims[axis];
    }
    return (uint16_t)(before + within);
}

/* n bytes from *at on, NULL if the file ends before. */
static const uint8_t *take(const answers *all, size_t *at, size_t n) {
    if (!all->bytes || n > all->n_bytes - *at) return NULL;
    const uint8_t *here = all->bytes + *at;
    *at += n;
    return here;
}

static uint16_t word(const uint8_t *bytes) {
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

static bool read_offsets(answers *all, size_t *at) {
    all->offsets = calloc(N_SMALL, sizeof *all->offsets);
    for (const uint8_t *head = take(all, at, 2); all->offsets && head; head = take(all, at, 2)) {
        if (word(head) == NO_SHAPE) return true;
        const uint8_t *rest = take(all, at, 4);
        if (!rest || word(head) >= N_SHAPES || word(rest) >= N_SHAPES || word(rest + 2) > MAX_ELEMENTS) return false;
        uint16_t from = all->small_of[word(head)], to = all->small_of[word(rest)], n = word(rest + 2);
        const uint8_t *offsets_here = take(all, at, n);
        if (from == NO_SHAPE || to == NO_SHAPE || !offsets_here) return false;
        all->offsets[from][to] = (offsets){offsets_here, n};
    }
    return false;
}

bool answers_mapping(int32_t i, mapping *out) {
    for (out->rank = 0; out->rank <= TABLE_RANK; out->rank++) {
        int32_t count = 1, n_entries = out->rank + 2; /* -1 .. rank */
        for (out->n = 0; out->n <= TABLE_RANK; out->n++, count *= n_entries) {
            if (i >= count) {
                i -= count;
                continue;
            }
            for (int32_t k = out->n; k-- > 0; i /= n_entries) out->at[k] = i % n_entries - 1;
            return true;
        }
    }
    return false;
}

uint16_t answers_placed(const answers *all, int32_t i, uint16_t small) {
    return word(all->placed + 2 * ((size_t)i * N_SMALL + small));
}

static bool read_placed(answers *all, size_t *at) {
    int32_t n = 0;
    for (mapping ignored; answers_mapping(n, &ignored);) n++;
    all->placed = take(all, at, (size_t)n * N_SMALL * 2);
    return all->placed;
}

static bool read_tables(answers *all) {
    const size_t n_pairs = (size_t)N_SHAPES * N_SHAPES;
    size_t at = 0;
    const uint8_t *two = take(all, &at, 2 * n_pairs);
    all->stretches = take(all, &at, n_pairs);
    all->two = malloc(n_pairs * sizeof *all->two);
    if (!two || !all->stretches || !all->two) return false;
    for (size_t i = 0; i < n_pairs; i++) {
        all->two[i] = word(two + 2 * i);
        if (all->two[i] >= N_SHAPES && all->two[i] != NO_SHAPE) return false;
    }
    if (!read_offsets(all, &at) || !read_placed(all, &at)) return false;
    const uint8_t *count = take(all, &at, 4);
    if (!count) return false;
    all->n_drawn = (uint32_t)word(count) | (uint32_t)word(count + 2) << 16;
    all->drawn = all->bytes + at;
    return true;
}

bool answers_read(answers *all, const char *path) {
    memset(all, 0, sizeof *all);
    list_shapes(all);
    if (read_file(all, path) && read_tables(all)) return true;
    fprintf(stderr, "%s: not readable, or not a complete file of answers\n", path);
    answers_free(all);
    return false;
}

void answers_free(answers *all) {
    free(all->bytes);
    free(all->two);
    free(all->offsets);
    memset(all, 0, sizeof *all);
}
