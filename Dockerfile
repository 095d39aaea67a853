# onnx-broadcast-check and onnx-broadcast-run on Debian 12:
#
#     docker build -t onnx-broadcast .
#     docker run --rm --network none -v "$PWD:/models:ro" onnx-broadcast model.onnx
FROM debian:12 AS build
WORKDIR /src
COPY . .
RUN ./dev package && mkdir /packages && cp build-package/packages/onnx-broadcast_*.deb \
    build-package/packages/libonnx-broadcast0_*.deb /packages/

FROM debian:12-slim
RUN --mount=type=bind,from=build,source=/packages,target=/packages \
    apt-get update && apt-get install -y --no-install-recommends /packages/*.deb && rm -rf /var/lib/apt/lists/*
USER 65534:65534
WORKDIR /models
ENTRYPOINT ["onnx-broadcast-check"]
