"""Serves the kit's requests with OpenCV's DNN module."""
import base64
import json
import sys

import cv2
import numpy as np


def answer(request):
    for one in request["inputs"]:
        if one["type"] != "float":
            return {"unsupported": f"blobs of the DNN module are float, not {one['type']}"}
    net = cv2.dnn.readNetFromONNX(request["model"])
    for one in request["inputs"]:
        array = np.frombuffer(base64.b64decode(one["data"]), "<f4").reshape(one["dims"])
        net.setInput(np.ascontiguousarray(array), one["name"])
    result = np.asarray(net.forward())
    if result.dtype != np.float32:
        return {"unsupported": f"a result of type {result.dtype}"}
    return {"outputs": [{"type": "float", "dims": list(result.shape), "data": base64.b64encode(result.tobytes()).decode()}]}


def main():
    for line in sys.stdin:
        try:
            reply = answer(json.loads(line))
        except cv2.error as error:
            reply = {"refused": str(error)}
        except Exception as error:  # the process goes on to the next request
            reply = {"refused": f"{type(error).__name__}: {error}"}
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
