/* Changes to a message that keep it a message (mutate.c), and changes that know the meaning of ONNX's messages
 * (mutate_onnx.c). */
#ifndef OB_FUZZ_MUTATE_H
#define OB_FUZZ_MUTATE_H

#include "tree.h"

/* The message class of a target's inputs. */
extern const ProtobufCMessageDescriptor *const fuzz_root;

typedef struct mutator {
    tree_pool *pool;
    tree *root;
    uint64_t random;
} mutator;

/* 0 .. n - 1; 0 for n 0. */
uint64_t mutate_pick(mutator *m, uint64_t n);
/* One of the root's fields for which `wanted` is true, or any with NULL; NULL when there is none. */
tree *mutate_field(mutator *m, bool (*wanted)(const tree *field));
/* One of the fields `id` of messages of that type. */
tree *mutate_field_of(mutator *m, const ProtobufCMessageDescriptor *type, uint32_t id);
/* A number that has been trouble somewhere. */
uint64_t mutate_number(mutator *m);

/* One change that knows ONNX; false when it did not apply. */
bool mutate_onnx(mutator *m);

#endif
