/* TfIdfVectorizer 9: the number of times that the n-grams of a pool occur in each row. The items of an n-gram are at equal
 * distances of 1 .. max_skip_count + 1; single items are counted once. TF: the count; IDF: the weight of an n-gram that occurs;
 * TFIDF: the count times the weight. As specified, weights belong to n-grams. N-grams with the same position in the result are
 * summed.
 *
 * The pool is a tree. Each item of a row is looked up once and becomes a number; it leads from the root to a node, and from a
 * node to the next one. */
#include "core/base/number_map.h"
#include "ops/kernel/common.h"
#include "ops/text/params.h"

typedef struct state {
    ob_weighting mode;
    int64_t most, skips, width, n_grams, n_nodes, row_length;
    bool strings;
    ob_map texts;            /* items to numbers from 1 on: strings ... */
    ob_number_map ints;      /* ... or integers */
    uint32_t *first;         /* for each item, its node as first item of an n-gram; 0: none */
    ob_number_map next;      /* from a node and an item (an edge) to a node */
    const uint32_t *node_of; /* for each n-gram; 0: its size is not counted */
    const int64_t *places;
    const float *weights; /* NULL: all 1 */
} state;

/* ---- The pool ---- */

static inline uint64_t edge(uint32_t node, uint32_t item) {
    return (uint64_t)node << 32 | item;
}

/* The number of item i of the pool; *n_items + 1 if it is new. 0: out of memory. */
static uint32_t add_item(state *s, const ob_tfidf_params *p, int64_t i, uint32_t *n_items) {
    if (!s->strings) {
        uint32_t *number = ob__number_place(&s->ints, (uint64_t)p->ints.at[i]);
        if (*number == 0) *number = ++*n_items;
        return *number;
    }
    const ob_string *text = &p->strings.at[i];
    ob_map_entry *entry = ob__map_insert(&s->texts, text->n ? text->data : "", text->n);
    if (entry && !entry->value) entry->value = (void *)(uintptr_t)++ * n_items;
    return entry ? (uint32_t)(uintptr_t)entry->value : 0;
}

/* The numbers of items and nodes so far. */
typedef struct growth {
    uint32_t items, nodes;
} growth;

static bool add_gram(state *s, const ob_tfidf_params *p, int64_t begin, uint32_t n, growth *made, uint32_t *node) {
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t item = add_item(s, p, begin + k, &made->items);
        if (item == 0) return false;
        uint32_t *next = k == 0 ? &s->first[item] : ob__number_place(&s->next, edge(*node, item));
        if (*next == 0) *next = ++made->nodes;
        *node = *next;
    }
    return true;
}

static ob_status build(const ob_kernel_site *site, state *s, const ob_tfidf_params *p) {
    uint32_t *node_of = ob__tail(site, p->places.n, sizeof *node_of);
    const size_t n_items = (size_t)ob__tfidf_pool(p);
    growth made = {0, 0};
    int64_t gram = 0;
    ob__map_init(&s->texts, site->arena);
    s->first = ob__tail(site, n_items + 1, sizeof *s->first);
    if (!node_of || !s->first || !ob__number_map_init(&s->ints, site->arena, s->strings ? 0 : n_items) ||
        !ob__number_map_init(&s->next, site->arena, p->most > 1 ? n_items : 0))
        return OB_E_MEMORY;
    for (uint32_t n = 1; n <= p->starts.n; n++) {
        bool asked = n >= p->least && n <= p->most;
        for (int64_t at = p->starts.at[n - 1]; at < ob__tfidf_end(p, n); at += n, gram++)
            if (asked && !add_gram(s, p, at, n, &made, &node_of[gram])) return OB_E_MEMORY;
    }
    s->node_of = node_of;
    s->n_nodes = (int64_t)made.nodes + 1;
    return OB_OK;
}

static ob_status plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    state *s = args->state;
    const ob_view *in = &args->in[0];
    ob_tfidf_params p = {0};
    const char *wrong = ob__tfidf_params(site->node, &p);
    OB_FAIL_IF(wrong, error, OB_E_ARGUMENT, "%s", wrong);
    s->strings = p.strings.n > 0;
    OB_FAIL_IF(s->strings != (in->dtype == OB_STRING), error, OB_E_TYPE, "the pool has %s, the input is %s",
               s->strings ? "strings" : "integers", ob_dtype_name(in->dtype));
    OB_FAIL_IF(in->rank < 1 || in->rank > 2, error, OB_E_SHAPE, "the input has rank %d", in->rank);
    s->mode = p.mode;
    s->most = p.most;
    s->row_length = in->dims[in->rank - 1];
    s->skips = p.skips < s->row_length ? p.skips : s->row_length;
    s->width = p.width;
    s->n_grams = p.places.n;
    OB_TRY(ob__keep_list(site, &p.places));
    s->places = p.places.at;
    if (p.weights && p.mode != OB_TF) {
        float *weights = ob__tail(site, p.places.n, sizeof *weights);
        if (!weights) return OB_E_MEMORY;
        memcpy(weights, p.weights, p.places.n * sizeof *weights);
        s->weights = weights;
    }
    OB_TRY(build(site, s, &p));
    OB_TRY(ob__need_lanes(needs, s->row_length, sizeof(uint32_t), error));
    return ob__need_lanes(needs, s->n_nodes, sizeof(int64_t), error);
}

/* ---- Rows ---- */

static inline uint32_t item_at(const state *s, const ob_view *in, int64_t i) {
    if (!s->strings) return ob__number_find(&s->ints, (uint64_t)ob__index_at(in, i));
    const ob_string *text = (const ob_string *)in->data + i;
    const ob_map_entry *entry = ob__map_find(&s->texts, text->n ? text->data : "", text->n);
    return entry ? (uint32_t)(uintptr_t)entry->value : 0;
}

/* Counts the n-grams with this distance between items, at the nodes where they end. */
static void count_at_distance(const state *s, const uint32_t *items, int64_t distance, int64_t *counts, obk_pace *pace) {
    enum { WORK_OF_START = 2, WORK_OF_STEP = 8 };
    const int64_t n = distance > 1 ? s->row_length - distance : s->row_length, most = s->most;
    const ob_number_map next = s->next;
    for (int64_t start = 0; start < n && !obk_stops(pace, WORK_OF_START); start++) {
        uint32_t node = s->first[items[start]];
        counts[node] += distance == 1; /* counts of the root are not used */
        int64_t at = start;
        for (int64_t size = 2; size <= most && node && s->row_length - at > distance; size++) {
            if (obk_stops(pace, WORK_OF_STEP)) return;
            at += distance;
            node = items[at] ? ob__number_find(&next, edge(node, items[at])) : 0;
            counts[node]++;
        }
    }
}

static void weigh(const state *s, const int64_t *counts, float *out) {
    memset(out, 0, (size_t)s->width * sizeof *out);
    for (int64_t gram = 0; gram < s->n_grams; gram++) {
        const int64_t count = counts[s->node_of[gram]];
        if (count == 0) continue;
        out[s->places[gram]] += (s->mode == OB_IDF ? 1 : (float)count) * (s->weights ? s->weights[gram] : 1);
    }
}

static void do_row(void *context, int64_t row, int lane) {
    enum { WORK_OF_ITEM = 32 };
    const ob_kernel_args *args = context;
    const state *s = args->state;
    char *next = ob__lane(args->lanes, args->lane_stride, lane);
    uint32_t *items = ob__take(&next, s->row_length, sizeof *items);
    int64_t *counts = ob__take(&next, s->n_nodes, sizeof *counts);
    memset(counts, 0, (size_t)s->n_nodes * sizeof *counts);
    obk_pace pace = ob__pace(args->threads);
    for (int64_t i = 0; i < s->row_length && !obk_stops(&pace, WORK_OF_ITEM); i++)
        items[i] = item_at(s, &args->in[0], row * s->row_length + i);
    if (ob__stopped_inside(args->threads)) return;
    for (int64_t distance = 1; distance <= s->skips + 1; distance++) {
        if (distance > 1 && (s->most == 1 || distance >= s->row_length)) break;
        if (obk_stops(&pace, 1)) return;
        count_at_distance(s, items, distance, counts, &pace);
    }
    counts[0] = 0; /* no n-gram ends at the root */
    weigh(s, counts, (float *)args->out[0].data + row * s->width);
}

static ob_status run(const ob_kernel_args *args, ob_error *error) {
    (void)error;
    ob__each_chunk(args->threads, args->in[0].rank == 2 ? args->in[0].dims[0] : 1, do_row, (void *)(uintptr_t)args);
    return OB_OK;
}

const ob_kernel ob__kernel_tfidf = {.name = "tfidf", .state_bytes = sizeof(state), .plan = plan, .run = run};
