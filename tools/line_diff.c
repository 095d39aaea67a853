#include "line_diff.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CONTEXT = 3, MOST_EDITS = 1000 };

typedef struct lines {
    const diff_text *text;
    const char **at; /* n + 1: the last is the end */
    uint32_t *ids;   /* equal lines have equal ids */
    bool *kept;      /* the line is in both texts */
    uint32_t n;
} lines;

typedef struct differ {
    lines a, b;
    uint32_t n_ids;
} differ;

/* ---- Lines and their ids ---- */

static bool split(lines *l, const diff_text *text) {
    const char *end = text->bytes + text->n_bytes;
    size_t n = 0, i = 0;
    for (size_t k = 0; k < text->n_bytes; k++) n += text->bytes[k] == '\n';
    n += text->n_bytes > 0 && end[-1] != '\n';
    if (n >= UINT32_MAX / 2) return false;
    l->text = text;
    l->n = (uint32_t)n;
    l->at = calloc(n + 1, sizeof *l->at);
    l->ids = calloc(n + 1, sizeof *l->ids);
    l->kept = calloc(n + 1, sizeof *l->kept);
    if (!l->at || !l->ids || !l->kept) return false;
    for (const char *line = text->bytes; i < n; i++) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        l->at[i] = line;
        line = next ? next + 1 : end;
    }
    l->at[n] = end;
    return true;
}

static size_t length(const lines *l, uint32_t i) {
    return (size_t)(l->at[i + 1] - l->at[i]);
}

static uint64_t hash(const char *bytes, size_t n) {
    uint64_t h = 0x9e3779b97f4a7c15u ^ n;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    return h ^ h >> 29;
}

typedef struct slot {
    const char *bytes;
    size_t n;
    uint64_t hash;
    uint32_t id; /* 0: empty */
} slot;

static void number(differ *d, lines *l, slot *slots, size_t mask) {
    for (uint32_t i = 0; i < l->n; i++) {
        const size_t n = length(l, i);
        const uint64_t h = hash(l->at[i], n);
        size_t k = (size_t)h & mask;
        while (slots[k].id && (slots[k].hash != h || slots[k].n != n || memcmp(slots[k].bytes, l->at[i], n) != 0))
            k = (k + 1) & mask;
        if (!slots[k].id) slots[k] = (slot){l->at[i], n, h, ++d->n_ids};
        l->ids[i] = slots[k].id;
    }
}

static bool number_all(differ *d) {
    size_t room = 16;
    while (room < 2 * ((size_t)d->a.n + d->b.n)) room *= 2;
    slot *slots = calloc(room, sizeof *slots);
    if (!slots) return false;
    number(d, &d->a, slots, room - 1);
    number(d, &d->b, slots, room - 1);
    free(slots);
    return true;
}

/* ---- Between two anchors ---- */

/* Lines a0 .. a1 - 1 and b0 .. b1 - 1. */
typedef struct range {
    uint32_t a0, a1, b0, b1;
} range;

/* Myers' greedy algorithm: row d of `trace` holds, for each diagonal k = -d, -d + 2 ... d, how far down `a` d edits reach. */
static bool find_shortest(differ *d, range r) {
    const int32_t n = (int32_t)(r.a1 - r.a0), m = (int32_t)(r.b1 - r.b0);
    const int32_t most = n + m < MOST_EDITS ? n + m : MOST_EDITS;
    const uint32_t *a = d->a.ids + r.a0, *b = d->b.ids + r.b0;
    int32_t **trace = calloc((size_t)most + 1, sizeof *trace), edits = 0;
    bool found = false, failed = !trace;
    for (; edits <= most && !found && !failed; edits++) {
        int32_t *row = trace[edits] = calloc((size_t)edits + 1, sizeof *row), *before = edits ? trace[edits - 1] : NULL;
        failed = !row;
        for (int32_t i = 0; i <= edits && !found && !failed; i++) { /* k = 2 * i - edits */
            const int32_t k = 2 * i - edits;
            int32_t x = 0;
            if (edits > 0) x = i == 0 || (i < edits && before[i - 1] < before[i]) ? before[i] : before[i - 1] + 1;
            while (x < n && x - k < m && x - k >= 0 && a[x] == b[x - k]) x++;
            row[i] = x;
            found = x >= n && x - k >= m;
        }
    }
    /* Back along the rows; beyond the limit nothing is kept. */
    for (int32_t x = n, y = m, e = edits - 1; found && e >= 0; e--) {
        const int32_t k = x - y, i = (k + e) / 2;
        int32_t from_x = 0, from_y = 0;
        if (e > 0) {
            const int32_t *before = trace[e - 1];
            const bool down = i == 0 || (i < e && before[i - 1] < before[i]);
            from_x = down ? before[i] : before[i - 1] + 1;
            from_y = from_x - k;
        }
        while (x > from_x && y > from_y) d->a.kept[r.a0 + (uint32_t)--x] = d->b.kept[r.b0 + (uint32_t)--y] = true;
        if (e > 0) {
            const int32_t *before = trace[e - 1];
            const bool down = i == 0 || (i < e && before[i - 1] < before[i]);
            x = down ? before[i] : before[i - 1];
            y = x - (down ? k + 1 : k - 1);
        }
    }
    for (int32_t e = 0; trace && e <= most; e++) free(trace[e]);
    free(trace);
    return !failed;
}

/* ---- Anchors ---- */

static void keep_ends(differ *d, range *r) {
    while (r->a0 < r->a1 && r->b0 < r->b1 && d->a.ids[r->a0] == d->b.ids[r->b0]) d->a.kept[r->a0++] = d->b.kept[r->b0++] = true;
    while (r->a0 < r->a1 && r->b0 < r->b1 && d->a.ids[r->a1 - 1] == d->b.ids[r->b1 - 1])
        d->a.kept[--r->a1] = d->b.kept[--r->b1] = true;
}

static bool find_between(differ *d, range r) {
    keep_ends(d, &r);
    return r.a0 == r.a1 || r.b0 == r.b1 || find_shortest(d, r);
}

typedef struct occurrence {
    uint32_t n_a, n_b, at_b;
} occurrence;

/* Lines of `a` that occur once in each text, with their places in b: the longest ascending sequence of these. */
static bool find_anchors(const differ *d, range r, range *anchors, uint32_t *n_out) {
    occurrence *seen = calloc((size_t)d->n_ids + 1, sizeof *seen);
    uint32_t *tails = calloc((size_t)(r.a1 - r.a0) + 1, sizeof *tails); /* ends of sequences by length, as indices into a */
    uint32_t *before = calloc((size_t)d->a.n + 1, sizeof *before), n = 0;
    bool good = seen && tails && before;
    for (uint32_t i = r.a0; good && i < r.a1; i++) seen[d->a.ids[i]].n_a++;
    for (uint32_t i = r.b0; good && i < r.b1; i++) {
        seen[d->b.ids[i]].n_b++;
        seen[d->b.ids[i]].at_b = i;
    }
    for (uint32_t i = r.a0; good && i < r.a1; i++) {
        const occurrence *o = &seen[d->a.ids[i]];
        if (o->n_a != 1 || o->n_b != 1) continue;
        uint32_t low = 0, high = n;
        while (low < high) {
            const uint32_t middle = (low + high) / 2;
            if (seen[d->a.ids[tails[middle]]].at_b < o->at_b)
                low = middle + 1;
            else
                high = middle;
        }
        before[i] = low ? tails[low - 1] : UINT32_MAX;
        tails[low] = i;
        if (low == n) n++;
    }
    for (uint32_t k = n, i = n ? tails[n - 1] : 0; good && k-- > 0; i = before[i])
        anchors[k] = (range){.a0 = i, .b0 = seen[d->a.ids[i]].at_b};
    *n_out = good ? n : 0;
    free(seen);
    free(tails);
    free(before);
    return good;
}

static bool find_common(differ *d) {
    range all = {0, d->a.n, 0, d->b.n}, *anchors = calloc((size_t)d->a.n + 1, sizeof *anchors);
    uint32_t n = 0;
    bool good = anchors != NULL;
    keep_ends(d, &all);
    if (good && all.a0 < all.a1 && all.b0 < all.b1) good = find_anchors(d, all, anchors, &n);
    range gap = all;
    for (uint32_t i = 0; good && i < n; i++) {
        gap.a1 = anchors[i].a0;
        gap.b1 = anchors[i].b0;
        good = find_between(d, gap);
        d->a.kept[gap.a1] = d->b.kept[gap.b1] = true;
        gap.a0 = gap.a1 + 1;
        gap.b0 = gap.b1 + 1;
    }
    gap.a1 = all.a1;
    gap.b1 = all.b1;
    if (good) good = find_between(d, gap);
    free(anchors);
    return good;
}

/* ---- Hunks ---- */

static void put_line(FILE *out, char sign, const lines *l, uint32_t i) {
    const size_t n = length(l, i);
    putc(sign, out);
    fwrite(l->at[i], 1, n, out);
    if (n == 0 || l->at[i][n - 1] != '\n') fputs("\n\\ No newline at end of file\n", out);
}

static void put_place(FILE *out, char sign, uint32_t from, uint32_t to) {
    const uint32_t n = to - from, first = n ? from + 1 : from; /* an empty part is named by the line before it */
    if (n == 1)
        fprintf(out, " %c%u", sign, (unsigned)first);
    else
        fprintf(out, " %c%u,%u", sign, (unsigned)first, (unsigned)n);
}

static void put_hunk(FILE *out, const differ *d, range r) {
    fputs("@@", out);
    put_place(out, '-', r.a0, r.a1);
    put_place(out, '+', r.b0, r.b1);
    fputs(" @@\n", out);
    for (uint32_t i = r.a0, k = r.b0; i < r.a1 || k < r.b1;) {
        if (i < r.a1 && !d->a.kept[i])
            put_line(out, '-', &d->a, i++);
        else if (k < r.b1 && !d->b.kept[k])
            put_line(out, '+', &d->b, k++);
        else {
            put_line(out, ' ', &d->a, i++);
            k++;
        }
    }
}

static size_t put_hunks(FILE *out, const differ *d) {
    const lines *a = &d->a, *b = &d->b;
    size_t n_hunks = 0;
    for (uint32_t i = 0, k = 0; i < a->n || k < b->n;) {
        if (i < a->n && a->kept[i] && k < b->n && b->kept[k]) {
            i++;
            k++;
            continue;
        }
        const uint32_t lead = i < k ? (i < CONTEXT ? i : CONTEXT) : (k < CONTEXT ? k : CONTEXT);
        range r = {i - lead, i, k - lead, k};
        uint32_t same = 0; /* lines kept since the last difference */
        while ((i < a->n || k < b->n) && same <= 2 * CONTEXT) {
            if (i < a->n && !a->kept[i])
                same = 0, r.a1 = ++i, r.b1 = k;
            else if (k < b->n && !b->kept[k])
                same = 0, r.b1 = ++k, r.a1 = i;
            else
                same++, i++, k++;
        }
        const uint32_t rest = a->n - r.a1, tail = rest < CONTEXT ? rest : CONTEXT;
        r.a1 += tail;
        r.b1 += tail;
        if (n_hunks++ == 0) fprintf(out, "--- %s\n+++ %s\n", a->text->name, b->text->name);
        put_hunk(out, d, r);
        i = r.a1;
        k = r.b1;
    }
    return n_hunks;
}

static void release(lines *l) {
    free(l->at);
    free(l->ids);
    free(l->kept);
}

bool line_diff(FILE *out, const diff_text *from, const diff_text *to, size_t *n_hunks) {
    differ d = {.n_ids = 0};
    const bool good = split(&d.a, from) && split(&d.b, to) && number_all(&d) && find_common(&d);
    const size_t n = good ? put_hunks(out, &d) : 0;
    release(&d.a);
    release(&d.b);
    if (n_hunks) *n_hunks = n;
    return good;
}
