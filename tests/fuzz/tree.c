#include "tree.h"

#include <stdlib.h>
#include <string.h>

enum { POOL_BYTES = 8 << 20, MAX_DEPTH = 60 };

void *tree_alloc(tree_pool *pool, size_t n_bytes) {
    if (!pool->block && !(pool->block = malloc(POOL_BYTES))) return NULL;
    n_bytes = (n_bytes + 15) & ~(size_t)15;
    if (n_bytes > POOL_BYTES - pool->used) return NULL;
    pool->used += n_bytes;
    return pool->block + pool->used - n_bytes;
}

void tree_pool_clear(tree_pool *pool) {
    pool->used = 0;
}

/* ---- Reading ---- */

static bool read_varint(const uint8_t **at, const uint8_t *end, uint64_t *out) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
        uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out = value;
            return true;
        }
    }
    return false;
}

static bool read_fixed(const uint8_t **at, const uint8_t *end, size_t n, uint64_t *out) {
    if ((size_t)(end - *at) < n) return false;
    *out = 0;
    for (size_t i = n; i-- > 0;) *out = *out << 8 | (*at)[i];
    *at += n;
    return true;
}

static const ProtobufCMessageDescriptor *message_type(const ProtobufCMessageDescriptor *type, uint32_t id) {
    const ProtobufCFieldDescriptor *field = type ? protobuf_c_message_descriptor_get_field(type, id) : NULL;
    return field && field->type == PROTOBUF_C_TYPE_MESSAGE ? field->descriptor : NULL;
}

static bool parse_fields(tree_pool *pool, tree *message, const uint8_t *at, const uint8_t *end, int depth);

static bool parse_field(tree_pool *pool, tree *field, const uint8_t **at, const uint8_t *end, int depth) {
    uint64_t tag, n;
    if (!read_varint(at, end, &tag) || tag >> 3 == 0 || tag >> 32 != 0) return false;
    field->id = (uint32_t)(tag >> 3);
    field->wire = (uint8_t)(tag & 7);
    switch (field->wire) {
    case WIRE_VARINT: return read_varint(at, end, &field->value);
    case WIRE_64: return read_fixed(at, end, 8, &field->value);
    case WIRE_32: return read_fixed(at, end, 4, &field->value);
    case WIRE_BYTES: break;
    default: return false;
    }
    if (!read_varint(at, end, &n) || n > (uint64_t)(end - *at)) return false;
    field->bytes = *at;
    field->n = (size_t)n;
    *at += n;
    field->type = depth < MAX_DEPTH ? message_type(field->parent->type, field->id) : NULL;
    if (field->type && !parse_fields(pool, field, field->bytes, *at, depth + 1)) {
        field->type = NULL; /* broken inside: bytes */
        field->first = NULL;
    }
    return true;
}

static bool parse_fields(tree_pool *pool, tree *message, const uint8_t *at, const uint8_t *end, int depth) {
    tree **last = &message->first;
    while (at < end) {
        tree *field = tree_alloc(pool, sizeof *field);
        if (!field) return false;
        *field = (tree){.parent = message};
        if (!parse_field(pool, field, &at, end, depth)) return false;
        *last = field;
        last = &field->next;
    }
    return true;
}

tree *tree_parse(tree_pool *pool, const ProtobufCMessageDescriptor *type, const uint8_t *bytes, size_t n) {
    tree *root = tree_alloc(pool, sizeof *root);
    if (!root) return NULL;
    *root = (tree){.type = type, .wire = WIRE_BYTES};
    return parse_fields(pool, root, bytes, bytes + n, 0) ? root : NULL;
}

/* ---- Writing ---- */

static size_t varint_size(uint64_t value) {
    size_t n = 1;
    while (value >>= 7) n++;
    return n;
}

static uint8_t *put_varint(uint8_t *out, uint64_t value) {
    for (; value >= 0x80; value >>= 7) *out++ = (uint8_t)(value | 0x80);
    *out++ = (uint8_t)value;
    return out;
}

static uint64_t tag_of(const tree *field) {
    return (uint64_t)field->id << 3 | field->wire;
}

size_t tree_size(tree *message) {
    size_t n = 0;
    for (tree *field = message->first; field; field = field->next) {
        n += varint_size(tag_of(field));
        if (field->type) tree_size(field);
        switch (field->wire) {
        case WIRE_VARINT: n += varint_size(field->value); break;
        case WIRE_64: n += 8; break;
        case WIRE_32: n += 4; break;
        default: n += varint_size(field->n) + field->n; break;
        }
    }
    message->n = n;
    return n;
}

void tree_write(const tree *message, uint8_t *out) {
    for (const tree *field = message->first; field; field = field->next) {
        out = put_varint(out, tag_of(field));
        switch (field->wire) {
        case WIRE_VARINT: out = put_varint(out, field->value); break;
        case WIRE_64:
        case WIRE_32:
            for (int i = 0; i < (field->wire == WIRE_64 ? 8 : 4); i++) *out++ = (uint8_t)(field->value >> 8 * i);
            break;
        default:
            out = put_varint(out, field->n);
            if (field->type)
                tree_write(field, out);
            else if (field->n > 0)
                memcpy(out, field->bytes, field->n);
            out += field->n;
            break;
        }
    }
}

/* ---- Changing ---- */

tree *tree_copy(tree_pool *pool, const tree *field) {
    tree *copy = tree_alloc(pool, sizeof *copy);
    if (!copy) return NULL;
    *copy = *field;
    copy->parent = copy->next = copy->first = NULL;
    tree **last = &copy->first;
    for (const tree *inner = field->first; inner; inner = inner->next) {
        tree *added = tree_copy(pool, inner);
        if (!added) return NULL;
        added->parent = copy;
        *last = added;
        last = &added->next;
    }
    return copy;
}

void tree_append(tree *parent, tree *field) {
    tree **last = &parent->first;
    while (*last) last = &(*last)->next;
    field->parent = parent;
    field->next = NULL;
    *last = field;
}

void tree_insert(tree *field, tree *added) {
    added->parent = field->parent;
    added->next = field->next;
    field->next = added;
}

static tree *add(tree_pool *pool, tree *parent, uint32_t id, uint8_t wire) {
    tree *field = tree_alloc(pool, sizeof *field);
    if (!field) return NULL;
    *field = (tree){.id = id, .wire = wire};
    tree_append(parent, field);
    return field;
}

tree *tree_add_number(tree_pool *pool, tree *parent, uint32_t id, uint64_t value) {
    tree *field = add(pool, parent, id, WIRE_VARINT);
    if (field) field->value = value;
    return field;
}

tree *tree_add_bytes(tree_pool *pool, tree *parent, uint32_t id, const void *bytes, size_t n) {
    tree *field = add(pool, parent, id, WIRE_BYTES);
    if (field) {
        field->bytes = bytes;
        field->n = n;
    }
    return field;
}

tree *tree_add_text(tree_pool *pool, tree *parent, uint32_t id, const char *text) {
    return tree_add_bytes(pool, parent, id, text, strlen(text));
}

tree *tree_add_message(tree_pool *pool, tree *parent, uint32_t id) {
    tree *field = add(pool, parent, id, WIRE_BYTES);
    if (field) field->type = message_type(parent->type, id);
    return field;
}

void tree_remove(tree *field) {
    for (tree **at = &field->parent->first; *at; at = &(*at)->next) {
        if (*at != field) continue;
        *at = field->next;
        break;
    }
    field->next = field->parent = NULL;
}

static void adopt(tree *message) {
    for (tree *field = message->first; field; field = field->next) field->parent = message;
}

void tree_swap(tree *a, tree *b) {
    tree kept = *a;
    *a = *b;
    a->parent = kept.parent, a->next = kept.next;
    kept.parent = b->parent, kept.next = b->next;
    *b = kept;
    adopt(a);
    adopt(b);
}

tree *tree_find(const tree *message, uint32_t id) {
    for (tree *field = message->first; field; field = field->next)
        if (field->id == id) return field;
    return NULL;
}

tree *tree_walk(const tree *root, tree *field) {
    if (field->first) return field->first;
    while (field != root && !field->next) field = field->parent;
    return field == root ? NULL : field->next;
}
