/* A protobuf message as a tree that can be cut, copied and grown: the data of the mutator. The message classes tell which
 * fields hold messages; unknown fields are kept as bytes. Everything lives in one pool, which is emptied as a whole. */
#ifndef OB_FUZZ_TREE_H
#define OB_FUZZ_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <protobuf-c/protobuf-c.h>

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

typedef struct tree tree;
struct tree {
    tree *parent, *next, *first;            /* NULL for the root; the field behind; the first field of a message */
    const ProtobufCMessageDescriptor *type; /* of a message, NULL of a leaf */
    uint32_t id;                            /* the field's number, 0 for the root */
    uint8_t wire;                           /* WIRE_... */
    uint64_t value;                         /* of the wires with a number */
    const uint8_t *bytes;                   /* of a leaf with WIRE_BYTES */
    size_t n;                               /* bytes; of a message after tree_size() */
};

/* Memory for trees, taken at the first use. */
typedef struct tree_pool {
    char *block;
    size_t used;
} tree_pool;

/* NULL when the pool is full. */
void *tree_alloc(tree_pool *pool, size_t n_bytes);
void tree_pool_clear(tree_pool *pool);

/* The bytes as a message of `type`; NULL when they are none, or too large. Leaves point into `bytes`. */
tree *tree_parse(tree_pool *pool, const ProtobufCMessageDescriptor *type, const uint8_t *bytes, size_t n);
/* Bytes that the message takes; sets n of every message in it. */
size_t tree_size(tree *message);
/* Writes tree_size() bytes. */
void tree_write(const tree *message, uint8_t *out);

/* NULL when the pool is full. The copy has no parent. */
tree *tree_copy(tree_pool *pool, const tree *field);
/* A field of message `parent` whose kind of content the message class tells; appended. NULL when the pool is full. */
tree *tree_add_number(tree_pool *pool, tree *parent, uint32_t id, uint64_t value);
tree *tree_add_bytes(tree_pool *pool, tree *parent, uint32_t id, const void *bytes, size_t n);
tree *tree_add_text(tree_pool *pool, tree *parent, uint32_t id, const char *text);
tree *tree_add_message(tree_pool *pool, tree *parent, uint32_t id);
/* Puts a field without a parent after the last one of `parent`. */
void tree_append(tree *parent, tree *field);
/* Puts a field without a parent after `field`. */
void tree_insert(tree *field, tree *added);
/* Takes the field out of its message. */
void tree_remove(tree *field);
/* Exchanges the contents of two fields, which keep their places. */
void tree_swap(tree *a, tree *b);
/* The first field of that number, NULL when there is none. */
tree *tree_find(const tree *message, uint32_t id);
/* The field behind in a walk through everything below `root`, parents first; NULL at the end. */
tree *tree_walk(const tree *root, tree *field);

#endif
