/* Plans as C. For runtime/emit/ only. */
#ifndef OB_RUNTIME_EMIT_EMITTER_H
#define OB_RUNTIME_EMIT_EMITTER_H

#include "core/base/arena.h"
#include "core/base/map.h"
#include "core/base/members.h"
#include "core/base/text.h"
#include "onnx_broadcast/emit.h"
#include "runtime/plan/plan.h"

/* An object that was written, so that several pointers to it become one object. */
typedef struct ob_emitted {
    const void *at;
    const ob_struct *type; /* NULL: numbers */
    uint64_t n_bytes;
    uint32_t number; /* NAME_kNUMBER */
    struct ob_emitted *next;
} ob_emitted;

/* Read-only elements: an initializer, a folded constant, or a constant in a kernel's own form. */
typedef struct ob_emitted_constant {
    const char *at; /* the lowest address that a step reads */
    uint64_t n_bytes;
    uint32_t width;   /* bytes of a number in it */
    uint32_t number;  /* NAME_cNUMBER */
    uint64_t offset;  /* in the binary file */
    uint32_t n_plans; /* of the last one that has a place for it, its number + 1; 0: none */
    uint32_t place;   /* there */
    struct ob_emitted_constant *next;
} ob_emitted_constant;

typedef struct ob_emitter {
    ob_session *session;
    const ob_emit_options *options;
    ob_arena arena;
    ob_text functions; /* declarations */
    ob_map declared;   /* their names */
    ob_text objects;
    ob_text plans;
    ob_emitted *emitted;
    ob_emitted_constant *constants, **constants_end;
    uint32_t n_constants, n_objects;
    uint64_t weights_bytes;
    const ob_node *node; /* whose step is written, for messages */
    uint32_t most_views, most_places;
    uint64_t arena_bytes; /* the most of all plans */
    ob_error *error;
} ob_emitter;

/* runtime/emit/value.c: writes constant values and returns the expression of their address, in the emitter's arena. at NULL: "0".
 * NULL: an error was recorded. */
const char *ob__emit_struct(ob_emitter *e, const ob_struct *type, const void *at, uint64_t count);
/* Declares a function once; is_run: with the parameters of an ob__run. */
void ob__emit_declaration(ob_emitter *e, const char *name, bool is_run);
/* The expression of a function that is kept as `what`; NULL: an error was recorded. */
const char *ob__emit_function(ob_emitter *e, const char *what, void (*function)(void));
/* A fresh string in the arena; NULL: no memory. */
const char *ob__emit_printf(ob_emitter *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The bits of a number of 1, 2, 4 or 8 bytes. */
uint64_t ob__read_number(const void *at, uint32_t width);
/* Numbers of `width` bytes, as C: 16 on a line. */
void ob__emit_numbers(ob_text *out, const void *at, uint64_t n, uint32_t width, bool is_signed);
/* E_UNSUPPORTED, with the node. */
ob_status ob__emit_refuse(ob_emitter *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* runtime/emit/weights.c: the constant that holds these bytes. NULL: no memory. */
ob_emitted_constant *ob__emit_constant(ob_emitter *e, const void *at, uint64_t n_bytes, uint32_t width);
/* Writes their definitions: before everything else in NAME.c, or into the binary file. */
ob_status ob__emit_weights(ob_emitter *e, ob_text *source, ob_text *binary, ob_text *assembly);

/* A control step whose table is not yet written. */
typedef struct ob_emitted_control {
    const ob_step *step;
    uint32_t number; /* NAME_controlPLAN_NUMBER */
    struct ob_emitted_control *next;
} ob_emitted_control;

/* A plan while it is written. */
typedef struct ob_emitted_plan {
    ob_emitter *e;
    const ob_plan *plan;
    uint32_t number;
    uint32_t *place_of; /* by number of the buffer: its place; UINT32_MAX: none yet */
    ob_text sizes, places, values, controls, steps, conversions;
    uint32_t n_sizes, n_places, n_values, n_controls, n_steps, n_conversions;
    bool converts[OB_DTYPE_COUNT][OB_DTYPE_COUNT];
    ob_emitted_control *waiting, **waiting_end; /* their bodies come after the steps around them */
} ob_emitted_plan;

/* runtime/emit/tables.c: the tables of one plan, NAME_planNUMBER. */
ob_status ob__emit_plan(ob_emitter *e, const ob_plan *plan, uint32_t number);
/* The place of a buffer other than a constant. */
ob_status ob__emit_place(ob_emitted_plan *t, const ob_buffer *buffer, uint32_t *place);
/* The place of a slot, and the bytes from there to its first element; OB_AHEAD_NOWHERE: it has no elements. */
ob_status ob__emit_address(ob_emitted_plan *t, const ob_slot *slot, uint32_t *place, int64_t *offset);
/* The steps of the subplan, without those of bodies in it. */
ob_status ob__emit_subplan(ob_emitted_plan *t, const ob_subplan *subplan);

/* runtime/emit/control.c: the expressions of a control step, whose body is written later. */
ob_status ob__emit_control(ob_emitted_plan *t, const ob_step *step, const char **run, const char **state);
/* The bodies and tables of all control steps so far, and of those in the bodies. */
ob_status ob__emit_bodies(ob_emitted_plan *t);

#endif
