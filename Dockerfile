# Builds dist/, then ships it with the production dependencies only: those of the package, of its tools, and of
# deploy/package.json, for REDIS_URL and OTEL_*.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY deploy/package.json deploy/
COPY deploy/broker/package.json deploy/broker/
COPY console/package.json console/
COPY create-toolrack/package.json create-toolrack/
COPY tools/package.json tools/
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev

FROM node:24-slim
# The sample database would take 350 MB of the container's memory.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 TOOLS_DIR=/app/tools SAMPLE_DATABASE=false
COPY --from=build /app/package.json /opt/toolrack/
COPY --from=build /app/node_modules /opt/toolrack/node_modules
COPY --from=build /app/dist /opt/toolrack/dist
# /app is for your project: its tools/, package.json and node_modules (docs/deploy.md). Any file there may import
# toolrack, which is this server.
RUN ln -s /opt/toolrack/dist/src/server.js /usr/local/bin/toolrack && \
  mkdir -p /node_modules /app/tools && ln -s /opt/toolrack /node_modules/toolrack && chown -R node:node /app
WORKDIR /app
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/ready`).then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "/opt/toolrack/dist/src/server.js"]
