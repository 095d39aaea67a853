/* Baselines: adding the findings of a report, writing, and leaving out the findings of a check that a baseline lists. */
#include "passes/report/baseline.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/list.h"
#include "passes/check/names.h"

ob_status ob_baseline_create(const ob_allocator *allocator, ob_baseline **out) {
    if (!out) return OB_E_ARGUMENT;
    if (!allocator) allocator = ob_allocator_default();
    ob_baseline *baseline = allocator->alloc(allocator->context, sizeof *baseline);
    if (!baseline) return OB_E_MEMORY;
    memset(baseline, 0, sizeof *baseline);
    ob__arena_init(&baseline->arena, allocator);
    ob__map_init(&baseline->names, &baseline->arena);
    *out = baseline;
    return OB_OK;
}

void ob_baseline_close(ob_baseline **baseline) {
    if (!baseline || !*baseline) return;
    ob_baseline *closing = *baseline;
    *baseline = NULL;
    ob_allocator allocator = closing->arena.allocator;
    ob__arena_release(&closing->arena);
    allocator.free(allocator.context, closing, sizeof *closing);
}

size_t ob_baseline_count(const ob_baseline *baseline) {
    size_t n = 0;
    for (uint32_t i = 0; baseline && i < baseline->n; i++)
        for (uint32_t k = 0; k < baseline->models[i]->n; k++) {
            const uint32_t one = baseline->models[i]->entries[k].n;
            n = n > SIZE_MAX - one ? SIZE_MAX : n + one;
        }
    return n;
}

/* ---- Entries ---- */

ob_status ob__baseline_model(ob_baseline *baseline, const char *name, size_t n, ob_baseline_model **out) {
    if (n > OB_BASELINE_TEXT) return OB_E_LIMIT;
    ob_map_entry *entry = ob__map_insert(&baseline->names, name, n);
    if (!entry) return OB_E_MEMORY;
    if (!entry->value) {
        ob_baseline_model **models =
            ob__list_in_arena(&baseline->arena, baseline->models, &baseline->capacity, baseline->n + 1, sizeof *models);
        ob_baseline_model *model = OB_ARENA_NEW(&baseline->arena, ob_baseline_model);
        if (models) baseline->models = models;
        if (!models || !model) return OB_E_MEMORY;
        model->name = ob__arena_strndup(&baseline->arena, name, n);
        if (!model->name) return OB_E_MEMORY;
        ob__map_init(&model->known, &baseline->arena);
        baseline->models[baseline->n++] = entry->value = model;
    }
    *out = entry->value;
    return OB_OK;
}

enum { ID_BYTES = sizeof((ob_baseline_entry *)0)->id, KEY_BYTES = ID_BYTES + OB_FINGERPRINT_BYTES };

/* Both texts are zero up to their ends. */
static void make_key(const ob_baseline_entry *entry, char key[KEY_BYTES]) {
    memcpy(key, entry->id, ID_BYTES);
    memcpy(key + ID_BYTES, entry->fingerprint, OB_FINGERPRINT_BYTES);
}

/* What identifies the finding. E_MEMORY. */
static ob_status identify(ob_report *report, const ob_finding *finding, ob_baseline_entry *out) {
    *out = (ob_baseline_entry){.n = 1};
    ob__copy_text(out->id, sizeof out->id, ob__finding_row(finding->id)->name);
    return ob__finding_fingerprint(report, finding, out->fingerprint);
}

ob_status ob__baseline_entry(ob_baseline *baseline, ob_baseline_model *model, const ob_baseline_entry *given) {
    char key[KEY_BYTES];
    make_key(given, key);
    ob_map_entry *known = ob__map_insert(&model->known, key, sizeof key);
    if (!known) return OB_E_MEMORY;
    if (known->value) {
        ob_baseline_entry *entry = &model->entries[(uintptr_t)known->value - 1];
        entry->n = entry->n > UINT32_MAX - given->n ? UINT32_MAX : entry->n + given->n;
        return OB_OK;
    }
    if (baseline->n_entries == OB_BASELINE_ENTRIES) return OB_E_LIMIT;
    ob_baseline_entry *entries =
        ob__list_in_arena(&baseline->arena, model->entries, &model->capacity, model->n + 1, sizeof *entries);
    if (!entries) return OB_E_MEMORY;
    model->entries = entries;
    ob_baseline_entry entry = *given;
    entry.node = ob__arena_strndup(&baseline->arena, given->node, strlen(given->node));
    entry.op_type = ob__arena_strndup(&baseline->arena, given->op_type, strlen(given->op_type));
    if (!entry.node || !entry.op_type) return OB_E_MEMORY;
    model->entries[model->n++] = entry;
    known->value = (void *)(uintptr_t)model->n;
    baseline->n_entries++;
    return OB_OK;
}

/* ---- The findings of a report ---- */

/* Bytes that are not UTF-8 become "?", since JSON cannot hold them. */
static void add_clean(ob_text *text, const char *bytes) {
    while (*bytes) {
        size_t n = ob__utf8_length((const unsigned char *)bytes);
        ob__text_append(text, n ? bytes : "?", n ? n : 1);
        bytes += n ? n : 1;
    }
}

static ob_status entry_of(ob_report *report, const ob_finding *finding, ob_arena *scratch, ob_baseline_entry *out) {
    const ob_node *node = finding->node;
    OB_TRY(identify(report, finding, out));
    ob__arena_restart(scratch);
    const char *label = node ? ob__node_label(node) : finding->value ? finding->value->name : "";
    label = ob__shown_name(label, OB_NAME_SHOWN, scratch);
    out->op_type = node ? ob__shown_name(node->op_type, OB_NAME_SHOWN, scratch) : "";
    out->node = label ? ob__arena_printf(scratch, "%s%s", finding->call_path ? finding->call_path : "", label) : NULL;
    return out->node && out->op_type ? OB_OK : OB_E_MEMORY;
}

static ob_status add_findings(ob_baseline *baseline, ob_baseline_model *model, ob_report *report, ob_arena *scratch) {
    for (uint32_t i = 0; i < report->findings.n; i++) {
        ob_baseline_entry entry;
        if (report->findings.items[i].id == OB0807) continue; /* it is about another baseline */
        OB_TRY(entry_of(report, &report->findings.items[i], scratch, &entry));
        OB_TRY(ob__baseline_entry(baseline, model, &entry));
    }
    return OB_OK;
}

ob_status ob_baseline_add(ob_baseline *baseline, const char *name, ob_report *report) {
    if (!baseline || !name || !report) return OB_E_ARGUMENT;
    ob_baseline_model *model;
    ob_text text;
    ob__text_init(&text, &baseline->arena.allocator);
    add_clean(&text, name);
    ob_status status = text.failed ? OB_E_MEMORY : ob__baseline_model(baseline, text.n ? text.data : "", text.n, &model);
    ob__text_release(&text);
    OB_TRY(status);
    baseline->n_entries -= model->n;
    model->n = 0;
    ob__map_init(&model->known, &baseline->arena);
    ob_arena scratch;
    ob__arena_init(&scratch, &baseline->arena.allocator);
    return ob__arena_finish(&scratch, add_findings(baseline, model, report, &scratch));
}

/* ---- Writing ---- */

static int by_content(const void *a, const void *b) {
    const ob_baseline_entry *x = a, *y = b;
    int order = strcmp(x->id, y->id);
    if (order == 0) order = strcmp(x->node, y->node);
    return order ? order : strcmp(x->fingerprint, y->fingerprint);
}

static int by_name(const void *a, const void *b) {
    const ob_baseline_model *x = *(ob_baseline_model *const *)a, *y = *(ob_baseline_model *const *)b;
    return strcmp(x->name, y->name);
}

static void write_string(ob_text *out, const char *text) {
    ob__text_puts(out, "\"");
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            ob__text_printf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            ob__text_printf(out, "\\u%04x", c);
        else
            ob__text_append(out, text, 1);
    }
    ob__text_puts(out, "\"");
}

static void write_entry(ob_text *out, ob_text *clean, const ob_baseline_entry *entry) {
    ob__text_puts(out, "{\"id\":");
    write_string(out, entry->id);
    const struct { const char *key, *text; } texts[] = {{",\"node\":", entry->node}, {",\"operator\":", entry->op_type}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        clean->n = 0;
        ob__text_puts(out, texts[i].key);
        add_clean(clean, texts[i].text);
        write_string(out, clean->n && !clean->failed ? clean->data : "");
    }
    ob__text_printf(out, ",\"fingerprint\":\"%s\",\"n\":%u}", entry->fingerprint, (unsigned)entry->n);
}

static ob_status write_models(const ob_baseline *baseline, ob_baseline_model **models, ob_arena *arena, ob_text *out) {
    ob_text clean;
    bool any = false;
    ob__text_init(&clean, &baseline->arena.allocator);
    ob__text_printf(out, "{\"onnx_broadcast_baseline\":%d,\n\"models\":[", OB_BASELINE_VERSION);
    for (uint32_t i = 0; i < baseline->n; i++) {
        const ob_baseline_model *model = models[i];
        if (model->n == 0) continue;
        ob_baseline_entry *entries = OB_ARENA_ARRAY(arena, ob_baseline_entry, model->n);
        if (!entries) break;
        memcpy(entries, model->entries, model->n * sizeof *entries);
        qsort(entries, model->n, sizeof *entries, by_content);
        ob__text_puts(out, any ? ",\n{\"model\":" : "\n{\"model\":");
        write_string(out, model->name);
        ob__text_puts(out, ",\"findings\":[");
        for (uint32_t k = 0; k < model->n; k++) {
            ob__text_puts(out, k ? ",\n" : "\n");
            write_entry(out, &clean, &entries[k]);
        }
        ob__text_puts(out, "\n]}");
        any = true;
    }
    ob__text_puts(out, "\n]}\n");
    bool failed = clean.failed || out->failed || arena->failed;
    ob__text_release(&clean);
    return failed ? OB_E_MEMORY : OB_OK;
}

ob_status ob_baseline_write(const ob_baseline *baseline, ob_write_sink sink, void *context, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!baseline || !sink, error, OB_E_ARGUMENT, "ob_baseline_write: baseline and sink must not be NULL");
    ob_arena arena;
    ob_text text;
    ob__arena_init(&arena, &baseline->arena.allocator);
    ob__text_init(&text, &baseline->arena.allocator);
    ob_baseline_model **models = OB_ARENA_ARRAY(&arena, ob_baseline_model *, baseline->n);
    ob_status status = models ? OB_OK : OB_E_MEMORY;
    if (models && baseline->n) {
        memcpy(models, baseline->models, baseline->n * sizeof *models);
        qsort(models, baseline->n, sizeof *models, by_name);
    }
    if (status == OB_OK) status = write_models(baseline, models, &arena, &text);
    if (status == OB_OK) status = sink(context, text.data, text.n);
    ob__text_release(&text);
    ob__arena_release(&arena);
    return ob__described(error, status, "");
}

/* ---- Checks ---- */

static const ob_baseline_model *find_model(const ob_baseline *baseline, const char *name, ob_text *text) {
    text->n = 0;
    add_clean(text, name);
    const ob_map_entry *entry = text->failed ? NULL : ob__map_find(&baseline->names, text->n ? text->data : "", text->n);
    return entry ? entry->value : NULL;
}

/* One finding about the entries that do not occur. Those of findings that the caller does not want to see may still occur. */
static ob_status tell_unused(ob_report *report, const ob_baseline_model *model, const uint32_t *used) {
    const ob_baseline_entry *first = NULL;
    size_t n = 0;
    if (report->severities[OB0807] == OB_SEVERITY_NONE) return OB_OK;
    for (int id = 0; id < OB_FINDING_COUNT; id++)
        if (report->findings.n_dropped[id]) return OB_OK; /* nobody knows whether they occur */
    for (uint32_t i = 0; i < model->n; i++) {
        const ob_baseline_entry *entry = &model->entries[i];
        const ob_finding_id id = ob__finding_find(entry->id);
        if (used[i] >= entry->n || (id != OB_FINDING_NONE && report->severities[id] == OB_SEVERITY_NONE)) continue;
        if (!first) first = entry;
        n += entry->n - used[i];
    }
    if (n == 0) return OB_OK;
    ob_finding *finding =
        n == 1 ? ob__findings_add(&report->findings, OB0807,
                                  "a finding of the baseline does not occur any more: %s at \"%.200s\"", first->id, first->node)
               : ob__findings_add(&report->findings, OB0807,
                                  "%zu findings of the baseline do not occur any more, the first is %s at \"%.200s\"", n,
                                  first->id, first->node);
    if (finding) finding->severity = report->severities[OB0807];
    return OB_OK;
}

static ob_status subtract(ob_report *report, const ob_baseline_model *model, uint32_t *used) {
    ob_findings *findings = &report->findings;
    uint32_t n = 0;
    for (uint32_t i = 0; i < findings->n; i++) {
        ob_baseline_entry entry;
        char key[KEY_BYTES];
        OB_TRY(identify(report, &findings->items[i], &entry));
        make_key(&entry, key);
        const ob_map_entry *known = ob__map_find(&model->known, key, sizeof key);
        const size_t at = known && known->value ? (uintptr_t)known->value - 1 : SIZE_MAX;
        if (at != SIZE_MAX && used[at] < model->entries[at].n) {
            used[at]++;
            report->summary.n_baseline++;
            continue;
        }
        findings->items[n++] = findings->items[i];
    }
    findings->n = n;
    return tell_unused(report, model, used);
}

ob_status ob__report_subtract(ob_report *report) {
    const ob_baseline *baseline = report->baseline;
    report->baseline = NULL; /* it may be closed before the report is */
    if (!baseline) return OB_OK;
    const ob_baseline_model *model = find_model(baseline, report->baseline_model, &report->key);
    report->baseline_model = NULL;
    if (!model) return report->key.failed ? OB_E_MEMORY : OB_OK;
    uint32_t *used = OB_ARENA_ARRAY(&report->arena, uint32_t, model->n);
    return used ? subtract(report, model, used) : OB_E_MEMORY;
}
