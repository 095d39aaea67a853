/* Rules that find legal broadcasts which are probably accidents. A rule looks at one broadcast and at the origins of its axes
 * (passes/origin/origins.h). Sizes alone never make a suspicion: that a vector of 32 meets a width of 32 is only worth a look if
 * the vector belongs to another axis. */
#ifndef OB_PASSES_ACCIDENT_SUSPECT_H
#define OB_PASSES_ACCIDENT_SUSPECT_H

#include "passes/check/fix.h"
#include "passes/check/groups.h"
#include "passes/check/work.h"
#include "passes/origin/origins.h"

/* The only reader of a value. */
typedef struct ob_reader {
    const ob_node *node; /* NULL: none, several, or the value is also an output */
    uint32_t n;
} ob_reader;

/* A broadcast under examination. */
typedef struct ob_suspect {
    ob_work *work;
    const ob_facts *facts;   /* in these calls */
    const ob_called *called; /* NULL: none */
    ob_origins *origins;
    const ob_reader *readers; /* by value id */
    ob_arena *arena;          /* for texts and links, until the pass ends */
    const ob_node *node;
    const ob_group *group; /* NULL: the node does not broadcast */
} ob_suspect;

/* A change of an operand, with memory for its axes and sizes. */
typedef struct ob_repair {
    ob_fix fix;
    int32_t axes[OB_MAX_RANK];
    ob_dim dims[OB_MAX_RANK];
} ob_repair;

/* Two sizes that an accident requires to be equal. */
typedef struct ob_size_pair {
    ob_dim a, b;
} ob_size_pair;
enum { OB_JOINED = 2 };

/* A suspicion about operands a and b of the group. */
typedef struct ob_suspicion {
    ob_finding_id id;
    uint32_t a, b;    /* entries of the group; UINT32_MAX: none */
    int32_t axis;     /* of the result, or -1 */
    const char *text; /* the reason, with both origins */
    const char *fix;  /* in words, if no change is certain */
    bool has_repair;
    uint32_t n_joined;
    ob_size_pair joined[OB_JOINED];
    ob_repair repair;
} ob_suspicion;

/* True: the rule suspects the node and has filled *out. */
typedef bool (*ob_suspect_rule)(const ob_suspect *s, ob_suspicion *out);

bool ob__suspect_shifted(const ob_suspect *s, ob_suspicion *out);   /* shifted.c: an axis meets another axis than its own */
bool ob__suspect_vector(const ob_suspect *s, ob_suspicion *out);    /* vector.c: a vector of the channels along another axis */
bool ob__suspect_scale(const ob_suspect *s, ob_suspicion *out);     /* vector.c: a scale along an axis that a product contracts */
bool ob__suspect_table(const ob_suspect *s, ob_suspicion *out);     /* batch.c: a table of positions along the batch */
bool ob__suspect_state(const ob_suspect *s, ob_suspicion *out);     /* batch.c: an input of batch 1 beside an open batch */
bool ob__suspect_cancelled(const ob_suspect *s, ob_suspicion *out); /* cancelled.c: an operand that a normalisation removes */

/* -- shared by rules -- */
/* The node's operand of entry i of the group; NULL: the shape that Expand's second input holds. */
const ob_value *ob__suspect_operand(const ob_suspect *s, uint32_t i);
/* The origin of entry i along an axis of the result; *absent: the operand does not have this axis. */
const ob_axis_origin *ob__suspect_axis(const ob_suspect *s, uint32_t i, int32_t axis, bool *absent);
/* The name of entry i for messages: "operand 1 'b'". NULL: out of memory. */
const char *ob__suspect_name(const ob_suspect *s, uint32_t i);
/* Whether the axis with this root is along features or channels: weights made it, or products with weights sum along it. */
bool ob__is_feature(const ob_origins *origins, uint32_t root);
/* Axis 0 of two inputs with the same number of elements: probably the same batch. */
bool ob__is_alike(const ob_origins *origins, uint32_t a, uint32_t b);
/* Whether the size is open and that of the batch: axis 0 of an input, or named so. */
bool ob__is_batch(const ob_work *work, ob_dim size);

/* -- repair.c -- */
/* Changes operand y so that its axes are where x has axes of the same origin. Holds pointers into *out. */
bool ob__repair(const ob_suspect *s, uint32_t x, uint32_t y, ob_repair *out);
/* Puts the elements of a vector along an axis of the result. */
bool ob__repair_vector(const ob_suspect *s, uint32_t v, int32_t axis, ob_repair *out);
/* Exchanges the operand's axes at two axes of the result. */
bool ob__repair_exchange(const ob_suspect *s, uint32_t y, int32_t a, int32_t b, ob_repair *out);

/* What rules found so far. */
typedef struct ob_suspected {
    bool *nodes;         /* by node id: it has a finding */
    ob_size_pair *pairs; /* that findings explain */
    uint32_t n_pairs;
} ob_suspected;
/* clauses.c: findings about clauses of the contract that no finding explains. */
ob_status ob__suspect_clauses(ob_work *work, const ob_suspected *suspected, ob_arena *arena);

#endif
