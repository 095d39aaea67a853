/** @file
 * @brief The whole public API: what this build has of it. A build with OB_WITH_CHECKER=OFF defines OB_WITHOUT_CHECKER for those
 * who use it, one with OB_WITH_PROTOBUF=OFF defines OB_WITHOUT_PROTOBUF, too (docs/embedding.md). */
#ifndef ONNX_BROADCAST_H
#define ONNX_BROADCAST_H

#include "onnx_broadcast/ahead.h"
#include "onnx_broadcast/allocator.h"
#include "onnx_broadcast/broadcast.h"
#include "onnx_broadcast/cell.h"
#include "onnx_broadcast/dim.h"
#include "onnx_broadcast/dtype.h"
#include "onnx_broadcast/elementwise.h"
#include "onnx_broadcast/logger.h"
#include "onnx_broadcast/machine.h"
#include "onnx_broadcast/status.h"
#include "onnx_broadcast/version.h"
#include "onnx_broadcast/view.h"

#ifndef OB_WITHOUT_PROTOBUF /* models and sessions */
#include "onnx_broadcast/cell_file.h"
#include "onnx_broadcast/emit.h"
#include "onnx_broadcast/model.h"
#include "onnx_broadcast/operator.h"
#include "onnx_broadcast/session.h"
#include "onnx_broadcast/tensor_file.h"
#include "onnx_broadcast/tensor_set.h"
#include "onnx_broadcast/worker.h"
#endif

#ifndef OB_WITHOUT_CHECKER
#include "onnx_broadcast/baseline.h"
#include "onnx_broadcast/certificate.h"
#include "onnx_broadcast/check.h"
#include "onnx_broadcast/compare.h"
#include "onnx_broadcast/contract.h"
#include "onnx_broadcast/cost.h"
#include "onnx_broadcast/fix.h"
#include "onnx_broadcast/independence.h"
#include "onnx_broadcast/passes.h"
#include "onnx_broadcast/report.h"
#include "onnx_broadcast/rewrite.h"
#include "onnx_broadcast/target.h"
#endif

#endif
