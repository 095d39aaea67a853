#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "tally.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

tally *tally_new(void) {
    void *memory = mmap(NULL, sizeof(tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* ---- What is known ---- */

bool tally_read_known(tally *t, const char *path) {
    FILE *file = fopen(path, "r");
    char line[3000];
    if (!file) return false;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = '\0';
        char *reason = strstr(line, " -- ");
        if (line[0] == '\0' || line[0] == '#') continue;
        if (!reason || t->n_known == MAX_KNOWN || (size_t)(reason - line) >= sizeof t->known[0].pattern) {
            fprintf(stderr, "%s: no PATTERN -- REASON, or no room: %.60s\n", path, line);
            fclose(file);
            return false;
        }
        *reason = '\0';
        strcpy(t->known[t->n_known++].pattern, line);
    }
    fclose(file);
    return true;
}

int tally_find_known(const tally *t, const char *line) {
    for (size_t i = 0; i < t->n_known; i++)
        if (fnmatch(t->known[i].pattern, line, 0) == 0) return (int)i;
    return -1;
}

void describe_verdict(const graph_case *c, const verdict *v, char *text, size_t n_bytes) {
    char description[1500];
    case_describe(c, description, sizeof description);
    snprintf(text, n_bytes, "%s: %s | %s", verdict_names[v->kind], description, v->what);
}

/* ---- What is new ---- */

/* Kind, operators, and the message without names and numbers. */
static void sign(const graph_case *c, const verdict *v, char *text, size_t n_bytes) {
    size_t n = (size_t)snprintf(text, n_bytes, "%s ", verdict_names[v->kind]);
    for (uint32_t i = 0; i < c->n_nodes && n < n_bytes; i++)
        if ((int)i == v->node || c->n_nodes == 1)
            n += (size_t)snprintf(text + n, n_bytes - n, "%s-%d ", c->nodes[i].op->name, c->nodes[i].op->since);
    for (const char *p = v->what; *p && n + 2 < n_bytes && n < 120; p++) {
        if (isdigit((unsigned char)*p)) continue;
        if (v->kind == VERDICT_VALUES && *p == '(') break;
        text[n++] = *p;
    }
    text[n < n_bytes ? n : n_bytes - 1] = '\0';
}

finding *tally_finding(tally *t, const graph_case *c, const verdict *v, bool *is_new) {
    char signature[200];
    sign(c, v, signature, sizeof signature);
    *is_new = false;
    for (size_t i = 0; i < t->n_findings; i++)
        if (strcmp(t->findings[i].signature, signature) == 0) {
            t->findings[i].n++;
            return &t->findings[i];
        }
    if (t->n_findings == MAX_FINDINGS) {
        t->n_dropped++;
        return NULL;
    }
    finding *f = &t->findings[t->n_findings++];
    *f = (finding){.kind = v->kind, .n = 1, .number = c->number};
    memcpy(f->signature, signature, sizeof f->signature);
    *is_new = true;
    return f;
}

row_tally *tally_row(tally *t, const ob_op *op) {
    for (size_t i = 0; i < ob__op_count() && i < MAX_ROWS; i++)
        if (ob__op_at(i) == op) return &t->rows[i];
    return &t->rows[MAX_ROWS - 1];
}

/* ---- The report ---- */

static void print_table(const tally *t, bool with_peer) {
    printf("\n%-34s %8s %8s %8s  %s\n", "operator", "graphs", "beside", "refused",
           "why ONNX Runtime does not run it, or we do not");
    for (size_t i = 0; i < ob__op_count() && i < MAX_ROWS; i++) {
        const ob_op *op = ob__op_at(i);
        const row_tally *row = &t->rows[i];
        char name[100];
        if (row->n_made == 0 && row->n_unsupported == 0) continue;
        snprintf(name, sizeof name, "%s%s%s-%d", op->domain, op->domain[0] ? "." : "", op->name, op->since);
        printf("%-34s %8zu %8zu %8zu  %.100s%s%.80s\n", name, row->n_made, row->n_peer_ran, row->n_unsupported,
               with_peer ? row->refusal : "", row->unsupported[0] ? " / we: " : "", row->unsupported);
    }
}

void tally_print(const tally *t, bool with_table, bool with_peer) {
    if (with_table) print_table(t, with_peer);
    for (size_t i = 0; i < t->n_findings; i++) {
        const finding *f = &t->findings[i];
        printf("%s: %s | %s\n    case %llu, %zu in all\n", verdict_names[f->kind], f->description, f->what,
               (unsigned long long)f->number, f->n);
    }
    for (size_t i = 0; i < t->n_known; i++)
        if (t->known[i].n) printf("known (%zu): %s\n", t->known[i].n, t->known[i].pattern);
    for (size_t i = 0; i < t->n_peer_crashes && i < MAX_CRASHES; i++)
        printf("ONNX Runtime died: case %llu: %s\n", (unsigned long long)t->peer_crashes[i], t->peer_crash_text[i]);
    printf("%zu graphs, %zu nodes; %zu mutants, %zu with other sizes; %zu not supported by us", t->n_cases, t->n_nodes,
           t->n_mutants, t->n_sizes, t->n_unsupported);
    if (with_peer)
        printf("\nONNX Runtime: %zu run beside it and %zu forms, %zu not run by it, %zu ended it, %zu with a tolerance that "
               "later nodes amplify",
               t->n_peer_ran, t->n_peer_forms, t->n_peer_not, t->n_peer_crashes, t->n_amplified);
    printf("\n%zu explained by known.txt, %zu kinds of difference unexplained%s\n", t->n_explained, t->n_findings,
           t->n_dropped ? " (more than there is room for)" : "");
}
