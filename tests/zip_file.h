/* Makes small .npz files, byte by byte. */
#ifndef OB_TESTS_ZIP_FILE_H
#define OB_TESTS_ZIP_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ZIP_ROOM = 4096 };

typedef struct zip_file {
    uint8_t bytes[ZIP_ROOM], directory[ZIP_ROOM];
    size_t n, n_directory, n_members;
} zip_file;

static inline void zip_put(uint8_t *at, uint64_t value, int n) {
    for (int i = 0; i < n; i++) at[i] = (uint8_t)(value >> (8 * i));
}

static inline uint32_t zip_crc(const uint8_t *bytes, size_t n) {
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    return ~crc;
}

/* A .npy file of format 1.0 with this dictionary; returns its bytes. */
static inline size_t npy_file(uint8_t *out, const char *dictionary, const void *data, size_t n) {
    const size_t n_text = strlen(dictionary);
    memcpy(out, "\x93NUMPY\1\0", 8);
    zip_put(out + 8, n_text, 2);
    memcpy(out + 10, dictionary, n_text);
    if (n) memcpy(out + 10 + n_text, data, n);
    return 10 + n_text + n;
}

/* Adds a member, deflated as one block of plain bytes, or stored. */
static inline void zip_add(zip_file *zip, const char *name, const uint8_t *data, size_t n, bool deflated) {
    const size_t n_name = strlen(name), n_packed = deflated ? n + 5 : n, offset = zip->n;
    uint8_t *local = zip->bytes + zip->n, *entry = zip->directory + zip->n_directory;
    memset(local, 0, 30);
    zip_put(local, 0x04034b50, 4);
    zip_put(local + 8, deflated ? 8 : 0, 2);
    zip_put(local + 14, zip_crc(data, n), 4);
    zip_put(local + 18, n_packed, 4);
    zip_put(local + 22, n, 4);
    zip_put(local + 26, n_name, 2);
    memcpy(local + 30, name, n_name);
    uint8_t *to = local + 30 + n_name;
    if (deflated) {
        *to++ = 1; /* the last block, not compressed */
        zip_put(to, n, 2);
        zip_put(to + 2, ~n, 2);
        to += 4;
    }
    memcpy(to, data, n);
    zip->n += 30 + n_name + n_packed;
    memset(entry, 0, 46);
    zip_put(entry, 0x02014b50, 4);
    memcpy(entry + 10, local + 8, 2);
    memcpy(entry + 16, local + 14, 12);
    zip_put(entry + 28, n_name, 2);
    zip_put(entry + 42, offset, 4);
    memcpy(entry + 46, name, n_name);
    zip->n_directory += 46 + n_name;
    zip->n_members++;
}

/* Appends the directory and the end; a second call would append it again. */
static inline void zip_end(zip_file *zip) {
    uint8_t *end = zip->bytes + zip->n + zip->n_directory;
    memcpy(zip->bytes + zip->n, zip->directory, zip->n_directory);
    memset(end, 0, 22);
    zip_put(end, 0x06054b50, 4);
    zip_put(end + 8, zip->n_members, 2);
    zip_put(end + 10, zip->n_members, 2);
    zip_put(end + 12, zip->n_directory, 4);
    zip_put(end + 16, zip->n, 4);
    zip->n += zip->n_directory + 22;
}

/* Two members: x, float [2, 3], stored; n, int64 [2], deflated. */
static inline void zip_example(zip_file *zip) {
    uint8_t npy[400];
    const float x[6] = {0, 1, 2, 3, 4, 5};
    const int64_t n[2] = {7, -8};
    memset(zip, 0, sizeof *zip);
    zip_add(zip, "x.npy", npy, npy_file(npy, "{'descr': '=f4', 'fortran_order': False, 'shape': (2, 3), }", x, sizeof x), false);
    zip_add(zip, "n.npy", npy, npy_file(npy, "{'descr': '=i8', 'fortran_order': False, 'shape': (2,), }", n, sizeof n), true);
    zip_add(zip, "note.txt", (const uint8_t *)"hello", 5, false);
    zip_end(zip);
}

#endif
