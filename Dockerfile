# Two stages: build on Debian 12 with the packages of scripts/packages; run with only the shared
# libraries that the binaries were linked with (their package names are taken from the binaries).
#
#   docker build -t trellis .
#   docker run --rm -p 8099:8099 -v "$PWD/examples/data:/data:ro" trellis
FROM debian:12 AS build
WORKDIR /src
COPY scripts/packages scripts/packages
RUN scripts/packages && rm -rf /var/lib/apt/lists/*
COPY . .
RUN cmake -S . -B build/release -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
          -DTRELLIS_TESTS=OFF -DTRELLIS_BENCHMARKS=OFF \
 && cmake --build build/release --target trellis trellis-broker trellis-server
RUN mkdir -p /out/bin \
 && for name in trellis trellis-broker trellis-server; do \
      find build/release -type f -name "$name" -perm -u+x -exec cp {} /out/bin/ \; ; \
      test -x "/out/bin/$name" || exit 1; \
    done \
 && ldd /out/bin/* | awk '$3 ~ /^\// {print $3}' | sort -u | while read -r library; do \
      dpkg -S "$(realpath "$library")" 2>/dev/null || dpkg -S "${library#/usr}" 2>/dev/null \
        || dpkg -S "$library"; \
    done | cut -d: -f1 | sort -u >/out/packages \
 && test -s /out/packages

FROM debian:12-slim
COPY --from=build /out/packages /tmp/packages
# curl is for the health checks, tzdata for queries that name a time zone.
RUN apt-get update \
 && xargs -a /tmp/packages apt-get install -y --no-install-recommends curl tzdata \
 && rm -rf /var/lib/apt/lists/* /tmp/packages \
 && useradd --system --no-create-home trellis
COPY --from=build /out/bin/ /usr/local/bin/
RUN ! ldd /usr/local/bin/trellis* | grep 'not found'
USER trellis
# 8099 broker HTTP, 8010 broker gRPC, 8090 server gRPC, 8097 server HTTP.
EXPOSE 8099 8010 8090 8097
STOPSIGNAL SIGTERM
CMD ["trellis", "serve", "--data-dir", "/data", "--host", "0.0.0.0", "--http-port", "8099"]
