/* Numbers as text and back: casts of strings. */
#ifndef OB_KERNELS_CONVERT_TEXT_H
#define OB_KERNELS_CONVERT_TEXT_H

#include "core/base/arena.h"
#include "core/base/error.h"
#include "core/base/pace.h"
#include "kernels/loop.h"
#include "onnx_broadcast/view.h"

/* What a call of a loop needs; the address of its address is passed as its parameters. */
typedef struct obk_text_cast {
    ob_dtype from, to;
    /* From int64 (integers) or double to the target; to these, or uint64, from the source. Without a step the bytes are
     * copied. */
    int n_steps;
    obk_convert steps[2];
    ob_arena *strings; /* for the results */
    ob_status status;  /* the loop does nothing unless it is OB_OK */
    ob_error *error;
    obk_pace pace;
} obk_text_cast;

/* Inputs: the elements; see number_text.h. */
typedef struct obk_texts {
    ob_loop read;  /* E_FORMAT: a string is no number of the type, or beyond its numbers */
    ob_loop write; /* E_MEMORY */
} obk_texts;

#endif
