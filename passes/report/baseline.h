/* Accepted findings: by model, and inside a model by id and fingerprint. */
#ifndef OB_PASSES_REPORT_BASELINE_H
#define OB_PASSES_REPORT_BASELINE_H

#include "core/base/arena.h"
#include "core/base/map.h"
#include "onnx_broadcast/baseline.h"
#include "passes/report/report.h"

enum { OB_BASELINE_ENTRIES = 1 << 20, OB_BASELINE_TEXT = 65536 /* bytes */ };

/* Equal findings of one model. */
typedef struct ob_baseline_entry {
    char id[8];
    char fingerprint[OB_FINGERPRINT_BYTES];
    const char *node, *op_type;
    uint32_t n;
} ob_baseline_entry;

typedef struct ob_baseline_model {
    const char *name;
    ob_baseline_entry *entries;
    uint32_t n, capacity;
    ob_map known; /* id and fingerprint -> (void *)(index + 1) */
} ob_baseline_model;

struct ob_baseline {
    ob_arena arena;
    ob_map names; /* -> ob_baseline_model */
    ob_baseline_model **models;
    uint32_t n, capacity;
    uint32_t n_entries; /* of all models */
};

/* The model with that name, n bytes without NUL; made if it is new. E_LIMIT, E_MEMORY. */
ob_status ob__baseline_model(ob_baseline *baseline, const char *name, size_t n, ob_baseline_model **out);
/* Counts `entry` in the model; a new one gets copies of its texts. E_LIMIT, E_MEMORY. */
ob_status ob__baseline_entry(ob_baseline *baseline, ob_baseline_model *model, const ob_baseline_entry *entry);

#endif
