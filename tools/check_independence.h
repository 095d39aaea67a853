/* onnx-broadcast-check --independent. */
#ifndef OB_TOOLS_CHECK_INDEPENDENCE_H
#define OB_TOOLS_CHECK_INDEPENDENCE_H

#include "print.h"

enum { MAX_SYMBOLS = 64 };

/* Symbols in the order of the options ("-": the first axis of the inputs), and the answers for one model. */
typedef struct independence_asked {
    const char *symbols[MAX_SYMBOLS];
    ob_independence *answers[MAX_SYMBOLS];
    size_t n;
    uint64_t max_nodes;
} independence_asked;

/* False: there are too many. A message was printed. */
bool independence_ask(independence_asked *asked, const char *symbol);
/* Fills the answers. False: a model lacks a symbol, or the like. A message was printed. */
bool independence_examine(independence_asked *asked, const char *file, const ob_model *model);
void independence_release(independence_asked *asked);
bool independence_is_refuted(const independence_asked *asked);
void independence_print(const printer *to, const char *file, const independence_asked *asked);

#endif
