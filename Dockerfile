# syntax=docker/dockerfile:1

# The image of weir: one static binary, run by a user without rights.
#
#   docker build --build-arg VERSION=v1.2.3 --tag weir .

FROM golang:1.26.8-alpine AS build
WORKDIR /src

# Dependencies have a layer of their own: they change less often than the sources.
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download

COPY . .
ARG VERSION=
RUN --mount=type=cache,target=/go/pkg/mod \
    --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 go build -trimpath -buildvcs=false \
      -ldflags "-s -w -X github.com/weir-collect/weir/internal/telemetry.version=${VERSION}" \
      -o /out/weir .

FROM alpine:3.23
# Certificates for sources and for S3, time zones for the dates of parse rules.
RUN apk add --no-cache ca-certificates tzdata && adduser -D -H -u 10001 weir
COPY --from=build /out/weir /usr/local/bin/weir
# The licences want to go where the program goes.
COPY LICENSE THIRD_PARTY_NOTICES /usr/share/licenses/weir/
# weir reads weir.yaml in its working directory.
WORKDIR /etc/weir
USER 10001:10001
ENTRYPOINT ["/usr/local/bin/weir"]
CMD ["worker"]
