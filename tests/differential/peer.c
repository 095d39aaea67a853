#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "ort/host.h"

struct peer {
    ort_host host;
};

peer *peer_open(const char **why) {
    static peer one;
    *why = one.host.error;
    return ort_open(&one.host, OB_ONNXRUNTIME_LIBRARY) ? &one : NULL;
}

void peer_close(peer *p) {
    if (p) ort_close(&p->host);
}

const char *peer_version(const peer *p) {
    return p->host.version;
}

#ifdef OB_ORT_PLUGIN
static const char *const plugin = OB_ORT_PLUGIN;
#else
static const char *const plugin = NULL;
#endif

/* Results of one model; views are freed with ort_views_free. */
typedef struct answer {
    bool ran;
    size_t n;
    ob_view views[ORT_MAX_VALUES];
} answer;

static bool uses_own_domain(const graph_case *c) {
    for (uint32_t n = 0; n < c->n_nodes; n++)
        if (strcmp(c->nodes[n].op->domain, "onnx_broadcast") == 0) return true;
    return false;
}

/* The error stays in p->host.error. */
static void run_bytes(peer *p, const graph_case *c, const byte_buffer *bytes, bool with_plugin, bool optimize, answer *a) {
    ort_session session;
    ob_view inputs[MAX_VALUES];
    ort_options options = {.plugin = with_plugin ? plugin : NULL, .optimize = optimize};
    *a = (answer){.ran = false};
    size_t n = case_inputs(c, inputs);
    if (n > ORT_MAX_VALUES || !ort_session_open(&p->host, bytes->data, bytes->n, &options, &session)) return;
    a->n = session.n_outputs;
    a->ran = ort_run(&session, inputs, n, a->views, a->n);
    ort_session_close(&session);
}

static void keep_refusal(peer *p, peer_note *note) {
    const char *from = p->host.error, *at = strstr(from, " : ");
    snprintf(note->refusal, sizeof note->refusal, "%.290s", at ? at + 3 : from);
    for (char *c = note->refusal; *c; c++)
        if (*c == '\n') *c = ' ';
}

static const case_node *producer(const graph_case *c, int value, int *index) {
    for (uint32_t n = 0; n < c->n_nodes; n++)
        for (uint32_t i = 0; i < c->nodes[n].n_out; i++)
            if (c->nodes[n].out[i] == value) {
                *index = (int)n;
                return &c->nodes[n];
            }
    return NULL;
}

/* Ours beside the answer; false with the verdict. */
static bool compare_outputs(const graph_case *c, const answer *a, verdict_kind kind, const char *what, verdict *v) {
    int outputs[MAX_VALUES], index = -1;
    size_t n = case_outputs(c, outputs);
    char why[400];
    if (n != a->n) return judged(v, kind, -1, "%s: another number of outputs", what);
    for (size_t i = 0; i < n; i++) {
        const case_node *node = producer(c, outputs[i], &index);
        if (!node || close_enough(c, node, &c->values[outputs[i]].view, &a->views[i], why, sizeof why)) continue;
        return judged(v, kind, index, "%s: %s", what, why);
    }
    return true;
}

/* One node's results depend on its operands alone: they are fed with ours. */
static bool judge_alone(peer *p, graph_case *c, bool optimize, verdict *v) {
    static graph_case alone;
    for (uint32_t n = 0; n < c->n_nodes; n++) {
        byte_buffer bytes = {0};
        ob_model *model = NULL;
        ob_error error;
        answer a = {.ran = false};
        case_extract(c, n, &alone);
        if (case_build(&alone, &bytes, &model, &error) == OB_OK)
            run_bytes(p, &alone, &bytes, uses_own_domain(&alone), optimize, &a);
        ob_model_close(&model);
        free(bytes.data);
        bool same = !a.ran || compare_outputs(&alone, &a, VERDICT_VALUES, "beside ONNX Runtime", v);
        ort_views_free(a.views, a.n);
        if (same) continue;
        *c = alone;
        return false;
    }
    return true;
}

static bool judge_form(peer *p, const graph_case *c, const ob_model *model, ob_form form, const byte_buffer *original,
                       const answer *reference, verdict *v, peer_note *note) {
    byte_buffer bytes = {0};
    ob_model *rewritten = NULL;
    ob_error error;
    answer a = {.ran = false};
    bool same = true, with_plugin = form == OB_FORM_BROADCAST || uses_own_domain(c);
    ob_status status = make_variant(model, form, &bytes, &rewritten, &error);
    bool is_other = status == OB_OK && (bytes.n != original->n || memcmp(bytes.data, original->data, bytes.n) != 0);
    if (is_other && (!with_plugin || plugin)) {
        run_bytes(p, c, &bytes, with_plugin, false, &a);
        bool has_kernels = a.ran || !strstr(p->host.error, "Could not find an implementation"); /* Expand of this type */
        if (!a.ran && has_kernels)
            same = judged(v, VERDICT_FORM_VALUES, -1, "ONNX Runtime, %s: %.400s", ob_form_name(form), p->host.error);
        note->n_forms += a.ran;
        for (size_t i = 0; same && a.ran && i < reference->n; i++) {
            char why[400];
            int outputs[MAX_VALUES], index = -1;
            case_outputs(c, outputs);
            const case_node *node = producer(c, outputs[i], &index);
            if (!close_enough(c, node, &a.views[i], &reference->views[i], why, sizeof why))
                same = judged(v, VERDICT_FORM_VALUES, index, "ONNX Runtime, %s: %s", ob_form_name(form), why);
        }
    }
    ort_views_free(a.views, a.n);
    ob_model_close(&rewritten);
    free(bytes.data);
    return same;
}

/* A form's results differ. Of several nodes: each alone, fed with our operands; what none of them shows is a rounding that later
 * nodes amplify. */
static bool judge_form_alone(peer *p, graph_case *c, ob_form form, verdict *v, peer_note *note) {
    static graph_case alone;
    verdict whole = *v;
    if (c->n_nodes == 1 || !strstr(v->what, "element")) return false;
    *v = (verdict){.kind = VERDICT_SAME, .node = -1};
    for (uint32_t n = 0; n < c->n_nodes; n++) {
        byte_buffer bytes = {0};
        ob_model *model = NULL;
        ob_error error;
        answer a = {.ran = false};
        bool same = true;
        case_extract(c, n, &alone);
        if (case_build(&alone, &bytes, &model, &error) == OB_OK) {
            run_bytes(p, &alone, &bytes, uses_own_domain(&alone), false, &a);
            if (a.ran) same = judge_form(p, &alone, model, form, &bytes, &a, v, note);
        }
        if (!a.ran) {
            *v = whole;
            same = false;
        }
        ort_views_free(a.views, a.n);
        ob_model_close(&model);
        free(bytes.data);
        if (!same) return false;
    }
    return note->amplified = true;
}

void judge_peer(peer *p, graph_case *c, verdict *v, peer_note *note) {
    byte_buffer bytes = {0};
    ob_model *model = NULL;
    ob_error error;
    answer a;
    bool optimize = c->number % 4 == 0;
    *note = (peer_note){.ran = false};
    *v = (verdict){.kind = VERDICT_SAME, .node = -1};
    if (case_build(c, &bytes, &model, &error) == OB_OK) {
        run_bytes(p, c, &bytes, uses_own_domain(c), optimize, &a);
        note->ran = a.ran;
        if (!a.ran) keep_refusal(p, note);
        bool go_on = a.ran;
        for (int form = 0; go_on && form < OB_FORM_COUNT; form++)
            go_on = judge_form(p, c, model, (ob_form)form, &bytes, &a, v, note) || judge_form_alone(p, c, (ob_form)form, v, note);
        if (go_on && !compare_outputs(c, &a, VERDICT_VALUES, "beside ONNX Runtime", v) && c->n_nodes > 1) {
            *v = (verdict){.kind = VERDICT_SAME, .node = -1};
            note->amplified = judge_alone(p, c, optimize, v);
        }
        ort_views_free(a.views, a.n);
    }
    ob_model_close(&model);
    free(bytes.data);
}

void ask_peer(peer *p, const graph_case *c, peer_note *note) {
    byte_buffer bytes = {0};
    ob_model *model = NULL;
    ob_error error;
    answer a = {.ran = false};
    *note = (peer_note){.ran = false};
    if (case_build(c, &bytes, &model, &error) == OB_OK) run_bytes(p, c, &bytes, uses_own_domain(c), false, &a);
    note->ran = a.ran;
    if (!a.ran) keep_refusal(p, note);
    ort_views_free(a.views, a.n);
    ob_model_close(&model);
    free(bytes.data);
}
