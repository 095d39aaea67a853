/* NumPy's .npz files: zip archives of .npy files. The central directory at the end of the archive is believed, local headers give
 * only the place of the data. Source: PKWARE, APPNOTE.TXT 6.3. */
#include <string.h>

#include "core/base/error.h"
#include "proto/tensor_set.h"

#ifdef OB_WITH_ZLIB
#include <zlib.h>
#endif

enum {
    END_BYTES = 22,   /* the end of the central directory, without its comment */
    END64_BYTES = 56, /* the same with 64-bit fields */
    LOCATOR64_BYTES = 20,
    ENTRY_BYTES = 46, /* an entry of the central directory, without name, extra field and comment */
    LOCAL_BYTES = 30, /* the header before the data, without name and extra field */
    MOST_COMMENT = 0xFFFF,
    MOST_RATIO = 1032, /* deflate gives at most so many bytes for one */
    ENCRYPTED = 1,     /* a flag */
    STORED = 0,
    DEFLATED = 8
};

static uint16_t get16(const uint8_t *p) {
    return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t get32(const uint8_t *p) {
    return (uint32_t)get16(p) | (uint32_t)get16(p + 2) << 16;
}

static uint64_t get64(const uint8_t *p) {
    return get32(p) | (uint64_t)get32(p + 4) << 32;
}

static ob_status damaged(const ob_tensor_set *set, const char *what, uint64_t at, ob_error *error) {
    return ob__fail(error, OB_E_FORMAT, "\"%s\": damaged archive: %s at byte %llu", set->path, what, (unsigned long long)at);
}

/* ---- The central directory ---- */

/* The last end record whose comment reaches to the end of the file. */
static bool find_end(const uint8_t *bytes, size_t n, size_t *out) {
    const size_t first = n > END_BYTES + MOST_COMMENT ? n - END_BYTES - MOST_COMMENT : 0;
    for (size_t at = n - END_BYTES + 1; at-- > first;)
        if (memcmp(bytes + at, "PK\5\6", 4) == 0 && get16(bytes + at + 20) == n - END_BYTES - at) {
            *out = at;
            return true;
        }
    return false;
}

/* Fields that do not fit hold their largest value; their place in the extra field has the order of the entry. */
static bool widen(ob_set_member *member, const uint8_t *extra, size_t n_extra) {
    uint64_t *const wide[] = {&member->n_bytes, &member->n_packed, &member->offset};
    while (n_extra >= 4) {
        const size_t n = get16(extra + 2);
        if (n > n_extra - 4) return false;
        if (get16(extra) == 1) {
            size_t at = 4;
            for (int i = 0; i < 3; i++) {
                if (*wide[i] != UINT32_MAX) continue;
                if (n + 4 - at < 8) return false;
                *wide[i] = get64(extra + at);
                at += 8;
            }
            return true;
        }
        extra += 4 + n;
        n_extra -= 4 + n;
    }
    return true;
}

static bool ends_with_npy(const char *name, size_t n) {
    return n >= 4 && memcmp(name + n - 4, ".npy", 4) == 0;
}

/* One entry; *at moves behind it. */
static ob_status list_entry(ob_tensor_set *set, size_t *at, size_t end, ob_error *error) {
    const uint8_t *bytes = set->source.bytes, *entry = bytes + *at;
    if (end - *at < ENTRY_BYTES || memcmp(entry, "PK\1\2", 4) != 0) return damaged(set, "no entry of the directory", *at, error);
    const size_t n_name = get16(entry + 28), n_extra = get16(entry + 30), n_comment = get16(entry + 32);
    if (n_name + n_extra + n_comment > end - *at - ENTRY_BYTES) return damaged(set, "an entry that is too long", *at, error);
    const char *name = (const char *)entry + ENTRY_BYTES;
    ob_set_member member = {.flags = get16(entry + 8),
                            .method = get16(entry + 10),
                            .crc = get32(entry + 16),
                            .n_packed = get32(entry + 20),
                            .n_bytes = get32(entry + 24),
                            .offset = get32(entry + 42)};
    if (!widen(&member, entry + ENTRY_BYTES + n_name, n_extra)) return damaged(set, "a damaged extra field", *at, error);
    if (memchr(name, '\0', n_name)) return damaged(set, "a name with a NUL", *at, error);
    *at += ENTRY_BYTES + n_name + n_extra + n_comment;
    return ends_with_npy(name, n_name) ? ob__set_add(set, name, n_name - 4, &member, error) : OB_OK;
}

ob_status ob__npz_list(ob_tensor_set *set, ob_error *error) {
    const uint8_t *bytes = set->source.bytes;
    const size_t n = set->source.n_bytes;
    size_t end = 0;
    if (n < END_BYTES || !find_end(bytes, n, &end)) return damaged(set, "no end of the directory", n, error);
    uint64_t n_entries = get16(bytes + end + 10), n_bytes = get32(bytes + end + 12), offset = get32(bytes + end + 16);
    bool parts = get16(bytes + end + 4) != 0 || get16(bytes + end + 6) != 0;
    if (end >= LOCATOR64_BYTES && memcmp(bytes + end - LOCATOR64_BYTES, "PK\6\7", 4) == 0) {
        const uint64_t at = get64(bytes + end - LOCATOR64_BYTES + 8);
        if (end - LOCATOR64_BYTES < END64_BYTES || at > end - LOCATOR64_BYTES - END64_BYTES ||
            memcmp(bytes + at, "PK\6\6", 4) != 0)
            return damaged(set, "no 64-bit end of the directory", end, error);
        n_entries = get64(bytes + at + 32), n_bytes = get64(bytes + at + 40), offset = get64(bytes + at + 48);
        parts = get32(bytes + at + 16) != 0 || get32(bytes + at + 20) != 0;
    }
    OB_FAIL_IF(parts, error, OB_E_UNSUPPORTED, "\"%s\" is one of several parts of an archive", set->path);
    if (offset > end || n_bytes > end - offset) return damaged(set, "a directory that is not in the file", end, error);
    size_t at = (size_t)offset;
    for (uint64_t i = 0; i < n_entries; i++) OB_TRY(list_entry(set, &at, (size_t)(offset + n_bytes), error));
    return OB_OK;
}

/* ---- Members ---- */

/* Where the data of a member begins; it lies in the file. */
static ob_status find_data(const ob_tensor_set *set, const ob_set_member *member, const uint8_t **out, ob_error *error) {
    const uint8_t *bytes = set->source.bytes;
    const uint64_t n = set->source.n_bytes;
    if (member->offset > n || n - member->offset < LOCAL_BYTES || memcmp(bytes + member->offset, "PK\3\4", 4) != 0)
        return damaged(set, "no member", member->offset, error);
    const uint8_t *local = bytes + member->offset;
    const uint64_t start = member->offset + LOCAL_BYTES + get16(local + 26) + get16(local + 28);
    if (start > n || member->n_packed > n - start)
        return damaged(set, "a member that ends behind the file", member->offset, error);
    *out = bytes + start;
    return OB_OK;
}

#ifdef OB_WITH_ZLIB

static uint32_t checksum(const uint8_t *bytes, size_t n) {
    uLong crc = crc32(0, NULL, 0);
    for (size_t at = 0; at < n;) {
        const size_t part = n - at < (1u << 30) ? n - at : (1u << 30); /* zlib counts in 32 bits */
        crc = crc32(crc, bytes + at, (uInt)part);
        at += part;
    }
    return (uint32_t)crc;
}

/* Exactly n_out bytes from exactly n_in. */
static ob_status inflate_all(const ob_tensor_set *set, const uint8_t *in, size_t n_in, uint8_t *out, size_t n_out,
                             ob_error *error) {
    const size_t most = (size_t)1 << 30;
    z_stream stream = {0};
    OB_FAIL_IF(inflateInit2(&stream, -MAX_WBITS) != Z_OK, error, OB_E_MEMORY, "out of memory for \"%s\"", set->path);
    size_t read = 0, written = 0;
    int result = Z_OK;
    while (result == Z_OK) {
        const size_t part_in = n_in - read < most ? n_in - read : most,
                     part_out = n_out - written < most ? n_out - written : most;
        uint8_t beyond; /* zlib wants a place even if nothing may follow */
        stream.next_in = (Bytef *)(uintptr_t)(in + read);
        stream.avail_in = (uInt)part_in;
        stream.next_out = part_out ? out + written : &beyond;
        stream.avail_out = part_out ? (uInt)part_out : 1;
        result = inflate(&stream, Z_NO_FLUSH);
        read += part_in - stream.avail_in;
        if (!part_out) {
            if (stream.avail_out == 0) result = Z_DATA_ERROR;
        } else {
            written += part_out - stream.avail_out;
        }
    }
    inflateEnd(&stream);
    OB_FAIL_IF(result == Z_MEM_ERROR, error, OB_E_MEMORY, "out of memory for \"%s\"", set->path);
    if (result != Z_STREAM_END || read != n_in || written != n_out)
        return damaged(set, "deflated data that does not have the stated size", (uint64_t)(in - (uint8_t *)set->source.bytes),
                       error);
    return OB_OK;
}

#else

static uint32_t checksum(const uint8_t *bytes, size_t n) {
    uint32_t table[16], crc = UINT32_MAX;
    for (uint32_t i = 0; i < 16; i++) {
        table[i] = i;
        for (int bit = 0; bit < 4; bit++) table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xEDB88320u : 0);
    }
    for (size_t i = 0; i < n; i++) {
        crc = crc >> 4 ^ table[(crc ^ bytes[i]) & 15];
        crc = crc >> 4 ^ table[(crc ^ (uint32_t)bytes[i] >> 4) & 15];
    }
    return ~crc;
}

static ob_status inflate_all(const ob_tensor_set *set, const uint8_t *in, size_t n_in, uint8_t *out, size_t n_out,
                             ob_error *error) {
    (void)in, (void)n_in, (void)out, (void)n_out;
    return ob__fail(error, OB_E_UNSUPPORTED, "\"%s\" is deflated, and this build has no zlib; numpy.savez does not deflate",
                    set->path);
}

#endif

static ob_status read_unpacked(const ob_tensor_set *set, const ob_set_member *member, uint8_t *bytes,
                               const ob_allocator *allocator, ob_file_tensor *out, ob_error *error) {
    if (checksum(bytes, (size_t)member->n_bytes) != member->crc)
        return damaged(set, "a wrong checksum of the member", member->offset, error);
    const ob_source source = {.bytes = bytes, .n_bytes = (size_t)member->n_bytes, .kind = OB_SOURCE_CALLER};
    return ob__read_tensor_source(&source, set->path, allocator, ob__tensor_from_npy, out, error);
}

ob_status ob__npz_member(const ob_tensor_set *set, const ob_set_member *member, const ob_allocator *allocator,
                         ob_file_tensor *out, ob_error *error) {
    const uint8_t *data = NULL;
    OB_FAIL_IF(member->flags & ENCRYPTED, error, OB_E_UNSUPPORTED, "\"%s\" is encrypted", set->path);
    OB_FAIL_IF(member->method != STORED && member->method != DEFLATED, error, OB_E_UNSUPPORTED,
               "\"%s\": method %u of compression is not supported", set->path, member->method);
    OB_TRY(find_data(set, member, &data, error));
    if (member->method == STORED) {
        if (member->n_bytes != member->n_packed) return damaged(set, "two sizes of a stored member", member->offset, error);
        return read_unpacked(set, member, (uint8_t *)(uintptr_t)data, allocator, out, error);
    }
    if (member->n_bytes / MOST_RATIO > member->n_packed || member->n_bytes >= SIZE_MAX)
        return damaged(set, "a size that deflate cannot reach", member->offset, error);
    ob_arena arena;
    ob__arena_init(&arena, allocator);
    uint8_t *unpacked = ob__arena_alloc(&arena, (size_t)member->n_bytes);
    ob_status status = unpacked ? inflate_all(set, data, (size_t)member->n_packed, unpacked, (size_t)member->n_bytes, error)
                                : ob__fail(error, OB_E_MEMORY, "out of memory for \"%s\"", set->path);
    if (status == OB_OK) status = read_unpacked(set, member, unpacked, allocator, out, error);
    ob__arena_release(&arena);
    return status;
}
