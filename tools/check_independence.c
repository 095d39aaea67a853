/* onnx-broadcast-check --independent: whether elements of a batch affect each other. */
#include "check_independence.h"

#include <string.h>

#include "common.h"

static const char tool[] = "onnx-broadcast-check";

bool independence_ask(independence_asked *asked, const char *symbol) {
    if (asked->n == MAX_SYMBOLS) {
        complain(tool, NULL, "more than %d --independent options", MAX_SYMBOLS);
        return false;
    }
    asked->symbols[asked->n++] = symbol;
    return true;
}

bool independence_examine(independence_asked *asked, const char *file, const ob_model *model) {
    for (size_t i = 0; i < asked->n; i++) {
        ob_error error;
        const char *symbol = strcmp(asked->symbols[i], "-") == 0 ? NULL : asked->symbols[i];
        if (ob_independence_check(model, symbol, asked->max_nodes, &asked->answers[i], &error) == OB_OK) continue;
        complain_error(tool, file, &error);
        return false;
    }
    return true;
}

void independence_release(independence_asked *asked) {
    for (size_t i = 0; i < asked->n; i++) ob_independence_close(&asked->answers[i]);
}

bool independence_is_refuted(const independence_asked *asked) {
    for (size_t i = 0; i < asked->n; i++)
        if (asked->answers[i] && asked->answers[i]->verdict == OB_INDEPENDENCE_REFUTED) return true;
    return false;
}

/* ---- Text ---- */

enum { PATH_SHOWN = 12 }; /* names of nodes; a longer path keeps its beginning and its end */

static void print_path(FILE *out, const ob_independence *is) {
    fputs("  path: ", out);
    for (size_t i = 0; i < is->n_path; i++) {
        if (is->n_path > PATH_SHOWN && i == PATH_SHOWN - 2) {
            fprintf(out, "... (%zu more) -> ", is->n_path - PATH_SHOWN + 1);
            i = is->n_path - 1;
        }
        print_shortened(out, is->path[i], NAME_COLUMNS);
        fputs(" -> ", out);
    }
    fputs("output ", out);
    print_shortened(out, is->output, NAME_COLUMNS);
    putc('\n', out);
}

void independence_print(const printer *to, const char *file, const independence_asked *asked) {
    for (size_t i = 0; i < asked->n; i++) {
        const ob_independence *is = asked->answers[i];
        print_escaped(to->file, file);
        fputs(": independence along ", to->file);
        print_escaped(to->file, is->symbol);
        fprintf(to->file, ": %s", ob_independence_verdict_name(is->verdict));
        if (is->reason[0]) fputs("\n  ", to->file);
        if (is->node[0]) {
            print_node(to, "", is->node, is->op_type);
            fputs(": ", to->file);
        }
        print_escaped(to->file, is->reason);
        if (is->mixing != OB_MIXING_NONE) fprintf(to->file, " (%s)", ob_mixing_name(is->mixing));
        putc('\n', to->file);
        if (is->n_path) print_path(to->file, is);
    }
}
