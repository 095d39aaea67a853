/* Private to ops/body/: the state while a body is read, shared by its files. */
#ifndef OB_OPS_BODY_READ_H
#define OB_OPS_BODY_READ_H

#include "ops/body/write.h"

enum { OB_BODY_NAMES = 64, OB_BODY_DEPTH = 32, OB_BODY_NAME = 63, OB_BODY_LIST = 32 };

typedef struct ob_body_name {
    char name[OB_BODY_NAME + 1];
    ob_term term;
    int32_t input, output; /* number of the call's operand or result; -1: neither */
} ob_body_name;

typedef struct ob_body_attribute {
    char name[OB_BODY_NAME + 1];
    ob_term otherwise; /* the default; no value and no literal: none */
    const char *text;  /* a default that is a text, or NULL */
} ob_body_attribute;

typedef struct ob_body_reader {
    ob_body_writer writer;
    const ob_body *body;
    const char *at;
    const ob_type *in_types;
    ob_body_name *names;
    ob_body_attribute *attributes;
    uint32_t n_names, n_attributes;
    int depth;
    bool skips;
} ob_body_reader;

/* ---- scan.c: words and numbers. `take` moves past the text if it is next; otherwise it does not move. ---- */

/* Fails with E_INTERNAL and the place in the text. */
ob_status ob__body_wrong(const ob_body_reader *r, const char *what);
void ob__body_skip_space(ob_body_reader *r);
bool ob__body_next_is(ob_body_reader *r, const char *symbol);
bool ob__body_take(ob_body_reader *r, const char *symbol);
ob_status ob__body_expect(ob_body_reader *r, const char *symbol);
bool ob__body_next_is_name(ob_body_reader *r);
ob_status ob__body_take_name(ob_body_reader *r, char name[OB_BODY_NAME + 1]);
/* Takes the word if it is next, but not as the beginning of a longer word. */
bool ob__body_take_word(ob_body_reader *r, const char *word);
ob_status ob__body_take_number(ob_body_reader *r, ob_term *out);
/* A text in quotes, in the model's arena. */
ob_status ob__body_take_text(ob_body_reader *r, const char **out);

/* ---- names.c: values of names: operands, attributes and results of the call ---- */

ob_body_name *ob__body_find_name(const ob_body_reader *r, const char *name);
ob_status ob__body_add_name(ob_body_reader *r, const char *name, ob_body_name **out);
ob_status ob__body_take_attribute(ob_body_reader *r, const ob_body_attribute **out);
/* The value of an attribute: a number or a list. If it is missing, its default; without one, a term without value and literal. */
ob_status ob__body_attribute_term(const ob_body_reader *r, const ob_body_attribute *attribute, ob_term *out);
const char *ob__body_attribute_text(const ob_body_reader *r, const ob_body_attribute *attribute);
/* Rank and element type of the operand in brackets, or its size along an axis; -1 and OB_NONE if it is omitted. */
ob_status ob__body_operand_rank(ob_body_reader *r, int64_t *out);
ob_status ob__body_operand_type(ob_body_reader *r, int64_t *out);
ob_status ob__body_operand_size(ob_body_reader *r, int64_t *out);
/* "(X, 1, -1)": the axes of the operand as a list, with axis 1 moved to the end. */
ob_status ob__body_moved_axes(ob_body_reader *r, ob_term *out);
/* "(@perm)": the inverse of this permutation. */
ob_status ob__body_inverse(ob_body_reader *r, ob_term *out);
/* "[0, @groups, -1]" */
ob_status ob__body_take_list(ob_body_reader *r, ob_term *out);

/* ---- condition.c ---- */

ob_status ob__body_condition(ob_body_reader *r, bool *holds);

#endif
