#include "ops/random/params.h"

#include <string.h>

#include "ops/table/attributes.h"

static uint64_t hash_of(const char *text) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

obk_random_key ob__random_key(const ob_node *node) {
    const ob_attribute *seed = ob__node_attribute(node, "seed");
    obk_random_key key = {{0, 0}};
    uint64_t bits = 0;
    if (seed && seed->type == OB_ATTR_FLOAT && !seed->ref) {
        memcpy(&key.word[0], &seed->u.f, sizeof key.word[0]);
        return key;
    }
    if (seed && seed->type == OB_ATTR_INT && !seed->ref)
        bits = (uint64_t)seed->u.i;
    else if (node->n_outputs > 0 && node->outputs[0])
        bits = hash_of(node->outputs[0]->name);
    key.word[0] = (uint32_t)bits;
    key.word[1] = (uint32_t)(bits >> 32);
    return key;
}

ob_random_params ob__random_params(const ob_node *node) {
    ob_random_params p = {.key = ob__random_key(node), .normal = strncmp(node->op_type, "RandomNormal", 12) == 0};
    if (p.normal) {
        p.first = (double)ob__attribute_float(node, "mean");
        p.span = (double)ob__attribute_float(node, "scale");
    } else {
        p.first = (double)ob__attribute_float(node, "low");
        p.span = (double)ob__attribute_float(node, "high") - p.first;
    }
    return p;
}
