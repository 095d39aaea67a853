/* What a certificate says beyond the runs: which shapes and elements are proved equal. */
#ifndef OB_RUNTIME_CERTIFY_PROVED_H
#define OB_RUNTIME_CERTIFY_PROVED_H

#include "onnx_broadcast/certificate.h"
#include "passes/format/output.h"
#include "passes/report/report.h"

/* Writes an object, and the counts into *info. E_MEMORY. */
ob_status ob__certify_put_proved(ob_output *out, ob_report *before, ob_report *after, ob_certificate_info *info);

#endif
