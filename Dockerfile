# Builds dist/, then ships it with the production dependencies only: those of the package, of its tools, and of
# deploy/package.json, for REDIS_URL and OTEL_*.

# A release of Node, by its digest: the tag can move, and this cannot. For a newer one, here and in
# packages/broker/: docker buildx imagetools inspect node:24-bookworm-slim --format '{{.Manifest.Digest}}'
FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS base

FROM base AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY deploy/package.json deploy/
COPY packages/audit/package.json packages/audit/
COPY packages/broker/package.json packages/broker/
COPY packages/cli/package.json packages/cli/
COPY packages/console/package.json packages/console/
COPY packages/create/package.json packages/create/
COPY packages/environment/package.json packages/environment/
COPY packages/folder/package.json packages/folder/
COPY packages/hints/package.json packages/hints/
COPY packages/http-sse/package.json packages/http-sse/
COPY packages/isolation/package.json packages/isolation/
COPY packages/tokens/package.json packages/tokens/
COPY packages/keys/package.json packages/keys/
COPY packages/memory/package.json packages/memory/
COPY packages/metrics/package.json packages/metrics/
COPY packages/json-schema/package.json packages/json-schema/
COPY packages/plain-http/package.json packages/plain-http/
COPY packages/redis/package.json packages/redis/
COPY packages/schema-libraries/package.json packages/schema-libraries/
COPY packages/sqlite/package.json packages/sqlite/
COPY packages/start-up/package.json packages/start-up/
COPY packages/state/package.json packages/state/
COPY packages/stdio/package.json packages/stdio/
COPY packages/task-tools/package.json packages/task-tools/
COPY packages/testing/package.json packages/testing/
COPY packages/token-exchange/package.json packages/token-exchange/
COPY packages/toolrack/package.json packages/toolrack/
COPY packages/tracing/package.json packages/tracing/
COPY packages/transforms/package.json packages/transforms/
COPY tools/package.json tools/
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev

FROM base
# The sample database would take 350 MB of the container's memory.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 TOOLS_DIR=/app/tools SAMPLE_DATABASE=false
COPY --from=build /app/package.json /opt/toolrack/
COPY --from=build /app/node_modules /opt/toolrack/node_modules
COPY --from=build /app/dist /opt/toolrack/dist
COPY deploy/ready.sh /opt/toolrack/
# /app is for your project: its tools/, package.json and node_modules (docs/guides/deploy.md). Any file there may import
# toolrack, which is this server.
RUN ln -s /opt/toolrack/dist/src/server.js /usr/local/bin/toolrack && \
  mkdir -p /node_modules /app/tools && ln -s /opt/toolrack /node_modules/toolrack && chown -R node:node /app
WORKDIR /app
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --start-interval=1s CMD ["bash", "/opt/toolrack/ready.sh"]
ARG REVISION=""
LABEL org.opencontainers.image.title="toolrack" \
  org.opencontainers.image.description="An MCP tool server: hang tools on it, and agents anywhere call them." \
  org.opencontainers.image.version="0.1.0" \
  org.opencontainers.image.revision="$REVISION" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.source="https://git.example.org/toolrack/toolrack" \
  org.opencontainers.image.documentation="https://git.example.org/toolrack/toolrack#readme"
CMD ["node", "/opt/toolrack/dist/src/server.js"]
