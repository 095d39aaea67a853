/* Comparison with ONNX Runtime; peer_none.c replaces it if its headers are missing. */
#ifndef OB_TESTS_DIFFERENTIAL_PEER_H
#define OB_TESTS_DIFFERENTIAL_PEER_H

#include "judge.h"

typedef struct peer peer;

typedef struct peer_note {
    bool ran;          /* the graph */
    bool amplified;    /* the graph's results differ by more than the tolerance, those of each node do not */
    size_t n_forms;    /* forms that ran */
    char refusal[300]; /* why it did not run */
} peer_note;

/* NULL, with a sentence, if there is none. */
peer *peer_open(const char **why);
void peer_close(peer *p);
const char *peer_version(const peer *p);

/* `c` has been evaluated. A verdict about one node makes *c the graph of that node alone. */
void judge_peer(peer *p, graph_case *c, verdict *v, peer_note *note);
/* True if ONNX Runtime runs a case that our executor refuses. */
void ask_peer(peer *p, const graph_case *c, peer_note *note);

#endif
