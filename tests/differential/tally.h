/* The results of the cases, in memory shared by the counting and the working process. */
#ifndef OB_TESTS_DIFFERENTIAL_TALLY_H
#define OB_TESTS_DIFFERENTIAL_TALLY_H

#include "judge.h"
#include "peer.h"

enum { MAX_FINDINGS = 600, MAX_KNOWN = 200, MAX_ROWS = 2000, MAX_CRASHES = 200 };

/* Cases with the same error: kind, operator and message agree. */
typedef struct finding {
    verdict_kind kind;
    char signature[200];
    size_t n;
    uint64_t number;       /* the first case */
    char description[500]; /* the first case, reduced */
    char what[600];
} finding;

typedef struct known_line {
    char pattern[500]; /* fnmatch, of "KIND: DESCRIPTION | WHAT" */
    size_t n;
} known_line;

typedef struct row_tally {
    size_t n_made, n_peer_ran, n_unsupported;
    char refusal[200]; /* the last that ONNX Runtime gave when it did not run a graph of this node alone */
    char unsupported[200];
} row_tally;

typedef enum phase { PHASE_OURS, PHASE_PEER } phase;

typedef struct tally {
    volatile uint64_t number; /* the current case */
    volatile phase phase;
    volatile int finished; /* the worker came to its end */
    uint64_t peer_crashes[MAX_CRASHES];
    char peer_crash_text[MAX_CRASHES][300];
    char now[300]; /* description of the current case */
    size_t n_cases, n_nodes, n_generated_nothing, n_peer_ran, n_peer_not, n_peer_crashes, n_peer_forms, n_amplified, n_mutants,
        n_sizes, n_unsupported, n_dropped;
    size_t n_findings, n_known, n_explained;
    finding findings[MAX_FINDINGS];
    known_line known[MAX_KNOWN];
    row_tally rows[MAX_ROWS]; /* by index in the operator table */
} tally;

tally *tally_new(void); /* shared; NULL: out of memory */
/* Lines of known.txt: PATTERN, a tab or two blanks and "--", the reason. False: it cannot be read. */
bool tally_read_known(tally *t, const char *path);
/* The line that explains it, or -1. */
int tally_find_known(const tally *t, const char *line);
/* The entry for a verdict of this case, made when it is new; NULL when there is no room. */
finding *tally_finding(tally *t, const graph_case *c, const verdict *v, bool *is_new);
void describe_verdict(const graph_case *c, const verdict *v, char *text, size_t n_bytes);
void tally_print(const tally *t, bool with_table, bool with_peer);
row_tally *tally_row(tally *t, const ob_op *op);

#endif
