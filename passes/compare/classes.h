/* Classes of values of two models. Values of one class are equal tensors, shape and elements, in every run that both models make
 * with the same inputs. This is proved by looking at both graphs, and by nothing that a file claims:
 *
 * - inputs of one name are equal, and weights of one type, shape and content are
 * - an operator whose results do not vary has equal results for operands of equal classes and equal attributes
 * - an operator of kind MULTI (ops/table/op.h) computes each element of its result from the elements that its operands show
 * there. So its operands may be expanded in one model and not in the other, or differently, if the shape of the result is the
 * same: equal terms, or all operands come from one Broadcast. These are lemmas of proofs/broadcast.mlw
 * - bodies of branches and loops are compared for equal inputs, and calls of local functions as if they were inlined
 *
 * Whatever is not recognised has a class of its own. */
#ifndef OB_PASSES_COMPARE_CLASSES_H
#define OB_PASSES_COMPARE_CLASSES_H

#include "passes/compare/comparing.h"

/* Lemmas of proofs/broadcast.mlw: one row per lemma. */
#define OB_LEMMA_LIST(X)                                                                                                         \
    X(ITSELF, "Tensor.expand_to_itself")                                                                                         \
    X(TWICE, "Tensor.expand_twice")                                                                                              \
    X(EXCHANGED, "Operands.expansions_are_exchanged")                                                                            \
    X(SHAPES, "Nary.nary_of_nary")                                                                                               \
    X(MEMBERS, "Nary.nary_of_members")

enum {
#define OB_LEMMA_ENUM(name, text) OB_LEMMA_AT_##name,
    OB_LEMMA_LIST(OB_LEMMA_ENUM)
#undef OB_LEMMA_ENUM
        OB_LEMMA_COUNT
};
#define OB_LEMMA(name) (UINT32_C(1) << OB_LEMMA_AT_##name)

typedef struct ob_value_class {
    uint32_t source;       /* the class whose expansion it is; its own number: none is known */
    uint32_t lemmas;       /* on which its values' equality rests: OB_LEMMA(...) */
    const uint32_t *roots; /* of an expansion: classes whose common shape it has, ascending; NULL: not known */
    uint32_t n_roots;
    bool before;     /* a value of the old model is in it */
    const char *why; /* of a class of the new model alone: why none of the old one is known to be; in the arena */
} ob_value_class;

typedef struct ob_classes {
    ob_value_class *items; /* by number; 0: no class */
    uint32_t n, capacity;
    uint32_t *of[2]; /* by value id: the number. Of values in bodies of functions, in the call that was compared last */
} ob_classes;

/* Names sizes that only a run knows by axes of classes (ob__compared_name). Linear in nodes and bytes of weights. E_MEMORY. */
ob_status ob__classify(ob_comparing *c, ob_classes *out);

#endif
