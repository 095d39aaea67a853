/* How the texts of a report show names that are too long for a line. */
#include <string.h>

#include "core/dims/terms.h"
#include "passes/report/report.h"

const char *ob__report_name(ob_report *report, const char *name, ob_arena *arena) {
    if (memchr(name, '\0', OB_NAME_SHOWN + 1)) return name;
    const size_t most = OB_NAME_SHOWN + OB_LONG_NAME_NUMBER;
    char *shown = ob__arena_alloc(arena, most + 1);
    if (shown) shown[ob__write_long_name(&report->long_names, name, ob__name_length(name), most, shown)] = '\0';
    return shown;
}

void ob__report_shorten_begin(ob_report *report) {
    report->model->dims->longest_name = OB_NAME_SHOWN;
    report->model->dims->long_names = &report->long_names;
}

void ob__report_shorten_end(ob_report *report) {
    if (report->shortens_names) return;
    report->model->dims->longest_name = 0;
    report->model->dims->long_names = NULL;
}

void ob_report_shorten_names(ob_report *report, bool on) {
    report->shortens_names = on;
    ob__report_shorten_begin(report);
    ob__report_shorten_end(report);
}

size_t ob_report_long_name_count(const ob_report *report) {
    return report->long_names.n;
}

const char *ob_report_long_name(const ob_report *report, size_t index) {
    return index < report->long_names.n ? report->long_names.texts[index] : NULL;
}
